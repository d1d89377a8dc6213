"""Numbers that record how they were made, so that the recording can be walked backwards."""
