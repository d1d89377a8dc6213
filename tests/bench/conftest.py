"""Which models of the benchmarks can be looked at here."""

from importlib.util import find_spec

MODELS = {"gpt_jax.py": "jax", "gpt_torch.py": "torch"}
collect_ignore = [file for file, package in MODELS.items() if find_spec(package) is None]
