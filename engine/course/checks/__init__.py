"""Checks that know what kind of wrong an answer is.

A learner writes ``check("05.2", answer)`` and reads one of three things: not tried yet, right, or
which mistake leads to this answer. ``hint("05.2")`` gives one hint more each time.

How to add exercises to a chapter, in four steps:

1. ``chapter_NN.py`` in this folder holds the tuple ``EXERCISES``: an
   :class:`~engine.course.checks.exercise.AnswerExercise` where the answer is data, a
   :class:`~engine.course.checks.exercise.FunctionExercise` where it is a function. What is right
   is computed there, and so is what each known mistake leads to; neither is typed in.
2. ``solutions/NN-title.ipynb`` is the notebook, with the chapter's own file name. For each
   exercise it has a heading ``## NN.k · Title``, the task, an answer cell and a check cell with
   nbgrader's metadata; :mod:`engine.course.exercise_notebooks` tells what they look like.
3. ``course build NN`` runs the solution and makes ``exercises/NN-title.ipynb`` from it.
4. ``tests/exercises/answers_NN.py`` lists wrong answers and mutants of the solution, each with the
   kind that the check must find.

How an answer travels: ``asking`` describes it as plain data (``plain``, ``packing``), another
process judges it (``judging``) by the exercise (``catalog``, ``exercise``), and a function is run
in yet another one (``running``). These are forks of one warm process (``processes``, ``serving``)
that knows nothing of the notebook. So nothing that a notebook changes in its own engine or its own
check changes what is right.
"""

from engine.course.checks.asking import check, hint

__all__ = ["check", "hint"]
