"""The course around the engine: the learner's copy, JupyterLab, and the chapters' stored outputs."""
