"""Words: how a walk is told, and what each wrong number means."""
