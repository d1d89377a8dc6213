"""Benchmarks: how fast and how small the engine is, beside others in the same run."""
