"""The course around the engine: the learner's copy, JupyterLab, and the stored outputs."""
