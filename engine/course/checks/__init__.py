r"""Checks that know what kind of wrong an answer is.

A learner writes ``check("05.2", answer)`` and reads one of three things: not tried yet, right, or
which mistake leads to this answer. ``hint("05.2")`` gives one hint more each time.

An exercise is one entry in the tuple ``EXERCISES`` of ``chapter_NN.py`` in this folder; no other
file has to be touched. A function is its task, its solution, its cases and its mistakes; a mistake
is an edit of the solution (:mod:`~engine.course.checks.mistakes` says how it is written)::

    FunctionExercise(
        name="03.6",
        title="The slope of a square",
        task="Write a function that gives the derivative of `x * x` at a number `x`. Help: ...",
        solution='''
    def slope_of_square(x):
        "How fast x * x grows at x."
        return 2 * x
    ''',
        cases=(Case("x = 3", lambda: (3.0,)), Case("x = -1.5", lambda: (-1.5,))),
        reference=lambda x: central_difference(lambda x: x * x, [x])[0],
        shape=number,
        mistakes='''
    squared | 2 * x -> x * x
        that is the square itself, and not how fast it grows.
    one use | 2 * x -> x
        x is used twice, and only one of the two contributions is there.
    ''',
        right="Each of the two factors has its contribution.",
        hints=("x is used twice.", "Each use contributes the data of the other factor."),
    )

The answer to an :class:`~engine.course.checks.exercise.AnswerExercise` is data. Its ``judge`` is
mostly ``number_by`` or ``numbers_by``: expressions for the right number and for each mistake.

``reference`` is computed by the engine or measured; neither it nor a right number is typed in.
``course build NN`` writes the cells into ``solutions/NN-title.ipynb``, runs them, and makes
``exercises/NN-title.ipynb``. The tests take up every exercise by themselves: an edit that does not
fit, changes no case, or cannot be told from another one is named there. Wrong answers that a person
invents stand in ``tests/exercises/answers_NN.py``.

How an answer travels: ``asking`` describes it as plain data (``plain``, ``packing``), another
process judges it (``judging``) by the exercise (``catalog``, ``exercise``), and a function is run
in yet another one (``running``). These are forks of one warm process (``processes``, ``serving``)
that knows nothing of the notebook. So nothing that a notebook changes in its own engine or its own
check changes what is right.
"""

from engine.course.checks.asking import check, hint

__all__ = ["check", "hint"]
