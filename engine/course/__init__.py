"""The course around the engine: the learner's copy, JupyterLab, exercises, and stored outputs."""

from engine.course.checks.asking import check, hint

__all__ = ["check", "hint"]
