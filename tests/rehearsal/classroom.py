"""A class, for real: a hub, students at once, an update in between, and the right grades."""

from __future__ import annotations

import asyncio
import contextlib
import json
import random
import shutil
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Iterator
from pathlib import Path
from tempfile import mkdtemp
from urllib.parse import quote

import nbformat
from nbformat.notebooknode import NotebookNode

from engine.course import notebook_files
from engine.course.checks.asking import HEADINGS
from engine.course.places import CHAPTERS, EXERCISES
from tests.rehearsal import answers, hub, image, report, repository, spying, users
from tests.rehearsal.answers import RIGHT, UNTOUCHED, WRONG
from tests.rehearsal.grading import ASSIGNMENT, COURSE, Grades, Grading
from tests.rehearsal.kept import lost_cells
from tests.rehearsal.repository import BRANCH, NEW_CELL, NEW_FILE, NEW_START, NEWS
from tests.rehearsal.room import CHAPTER, FOLDER, Class, Person, Plan
from tests.rehearsal.student import RefusedError, Student, has_picture, printed

MORE_PACKAGES = ("nbgitpuller", "nbgrader>=0.9.5,<0.10")
READ_ONLY = f"{CHAPTERS}/01-wiggle-a-number.ipynb"
NOTES = f"{EXERCISES}/my-notes.txt"
SAID = {RIGHT: "right", WRONG: "wrong", UNTOUCHED: "untouched"}
SERVER_SETTINGS = {
    # For the student in a browser, who is asked what the page shows.
    "LabApp": {"expose_app_in_browser": True},
    # On one machine two servers can choose the same port for their kernels at the same moment, and
    # the second kernel never answers. A socket in the student's own folder has no such rival.
    "ConnectionFileMixin": {"transport": "ipc"},
}
# Three in six answers are right and two are wrong.
ANSWERED = (RIGHT, RIGHT, RIGHT, WRONG, WRONG, UNTOUCHED)
FIRST_MISTAKES = 4


def rehearse(plan: Plan, environment: Path | None) -> int:
    """Rehearse a class, and print what came of it.

    Args:
        plan: what to rehearse.
        environment: where to build the image, and find it the next time; None for neither.

    Returns:
        The exit code: 1 when something was not as it must be.
    """
    if refusal := users.refusal():
        print(refusal)
        return 1
    python = image.python_for_everybody()
    if python is None:
        print(f"no {image.RUNTIME} that every user may run is on the PATH")
        return 1
    with _folder() as base:
        made = image.build(environment or base / "image", MORE_PACKAGES, python)
        proxy = hub.install_proxy(made.tree.parent / "node")
        _open_for_reading(made.tree.parent)
        print(f"the image of binder/ with {' and '.join(MORE_PACKAGES)} is built", flush=True)
        names = [f"{number:02}" for number in range(1, plan.students + 1)]
        (base / "homes").mkdir()
        with (
            users.users(["instructor", *names], base / "homes") as (instructor, *students),
            repository.served(made.tree, base) as repo,
        ):
            grading = Grading(instructor, made, base / "settings", base / "exchange")
            grading.prepare()
            (base / "settings" / "jupyter_server_config.json").write_text(
                json.dumps(SERVER_SETTINGS), "utf-8"
            )
            with hub.running(made, proxy, students, base / "settings", base / "hub") as running:
                people = [
                    Person(user, Student(user.name, running.url), number)
                    for number, user in enumerate(students)
                ]
                klass = Class(plan, people, repo, grading, made.tree)
                grading.release(klass.solution_files)
                asyncio.run(_at_the_hub(klass))
            _grade(klass)
    report.show(klass)
    return 1 if klass.problems else 0


@contextlib.contextmanager
def _folder() -> Iterator[Path]:
    """A temporary folder that every user of the machine may pass through."""
    base = Path(mkdtemp(prefix="rehearsal-"))
    base.chmod(0o755)
    try:
        yield base
    finally:
        shutil.rmtree(base)


def _open_for_reading(folder: Path) -> None:
    """Let every user read an environment, and nobody but us change it."""
    for path in (folder, *folder.rglob("*")):
        if not path.is_symlink():
            mode = path.stat().st_mode
            runs = 0o111 if path.is_dir() or mode & 0o100 else 0
            path.chmod(mode & 0o700 | 0o444 | runs)


# At the hub.


async def _at_the_hub(klass: Class) -> None:
    steps = (
        ("log in", _log_in),
        ("fetch the exercises and run a chapter", _run_a_chapter),
        ("do the exercises", _do_exercises),
        ("pull the update", _pull_the_update),
        ("hand in", _hand_in),
        ("try to read another's files", _spy),
    )
    for what, step in steps:
        start = time.monotonic()
        if step is _pull_the_update:
            klass.given = {name: klass.repository.text(name) for name in klass.notebooks}
            klass.repository.update(CHAPTER, klass.exercise_files[0])
        await _all(klass.people, lambda person, step=step: step(klass, person))
        klass.note(f"all at once, {what}", f"{time.monotonic() - start:.0f} s")
        if step is _run_a_chapter:
            report.measure(klass, "server and one kernel")
        if step is _do_exercises:
            report.measure(klass, f"server and {1 + len(klass.plan.chapters)} kernels")
    for person in klass.people:
        for kernel in person.kernels.values():
            kernel.close()
        await person.student.close()


async def _all(people: Iterable[Person], step: Callable[[Person], Awaitable[None]]) -> None:
    await asyncio.gather(*(step(person) for person in people))


async def _log_in(_klass: Class, person: Person) -> None:
    await person.student.log_in()


async def _run_a_chapter(klass: Class, person: Person) -> None:
    """From "start my server" to the chapter's last cell."""
    if person.number < klass.plan.browsers:
        await _run_in_a_browser(klass, person)
        return
    start = time.monotonic()
    pressed = await person.student.start_server()
    if pressed > 1:
        klass.note(f"{person.user.name} pressed Start My Server", f"{pressed} times")
    person.waits.server = time.monotonic() - start
    await person.student.pull(klass.repository.url, BRANCH, FOLDER)
    person.waits.pulled = time.monotonic() - start
    path = f"{FOLDER}/{CHAPTER}"
    notebook = await person.student.read(path)
    stored = [printed(cell.outputs) for cell in notebook.cells if cell.cell_type == "code"]
    kernel = await person.student.start_kernel(path)
    person.kernels[CHAPTER] = kernel

    def look(output: object) -> None:
        if not person.waits.drawn and has_picture(output):
            person.waits.drawn = time.monotonic() - start

    await kernel.run_notebook(notebook, look)
    person.waits.ran = time.monotonic() - start
    ran = [printed(cell.outputs) for cell in notebook.cells if cell.cell_type == "code"]
    klass.expect(person.waits.drawn > 0, f"{person.user.name} saw no drawing in {CHAPTER}")
    klass.expect(ran == stored, f"{CHAPTER} printed something else for {person.user.name}")
    await _save(person, CHAPTER, notebook)


async def _run_in_a_browser(klass: Class, person: Person) -> None:
    from tests.rehearsal import browser

    path = f"{FOLDER}/{CHAPTER}"
    student = person.student
    start = time.monotonic()
    seen = await browser.follow_link_apart(
        student.name, student.token, klass.link, student.server, path
    )
    person.waits.pulled = seen.stored
    person.waits.drawn = seen.drawn
    person.waits.ran = time.monotonic() - start
    person.kernels[CHAPTER] = await student.start_kernel(path)
    await _save(person, CHAPTER, await student.read(path))


async def _save(person: Person, name: str, notebook: NotebookNode) -> None:
    """Save with a cell of the student's own at the end, and remember what was saved."""
    own = nbformat.v4.new_markdown_cell(person.marker, id=f"own-{name[-10:-6]}")
    notebook.cells.append(own)
    await person.student.save(f"{FOLDER}/{name}", notebook)
    person.written[name] = person.file(name).read_text("utf-8")


async def _do_exercises(klass: Class, person: Person) -> None:
    # Any number for a student that is the same each time.
    chance = random.Random(1000 * klass.plan.seed + person.number)
    for name, file in zip(klass.exercise_files, klass.solution_files, strict=True):
        solution = notebook_files.read(file)
        notebook = await person.student.read(f"{FOLDER}/{name}")
        for cell in notebook.cells:
            if exercise := answers.exercise_of(cell, "answer"):
                how, source = _answer(solution, exercise, chance)
                person.answered[exercise] = how
                if source:
                    cell.source = f"{source}\n# {person.marker}"
        kernel = await person.student.start_kernel(f"{FOLDER}/{name}")
        person.kernels[name] = kernel
        await kernel.run_notebook(notebook)
        _compare_words(klass, person, notebook)
        await _save(person, name, notebook)
    notes = {"type": "file", "format": "text", "content": person.marker}
    for name in (NOTES, NEW_FILE):
        # The second has the name of a file that the instructor is about to add.
        await person.student.api("PUT", f"api/contents/{FOLDER}/{quote(name)}", notes)
        person.written[name] = person.file(name).read_text("utf-8")


def _answer(solution: NotebookNode, exercise: str, chance: random.Random) -> tuple[str, str]:
    """How a student answers an exercise, and with what."""
    mistakes = answers.wrong(solution, exercise)[:FIRST_MISTAKES]
    how = chance.choice([how for how in ANSWERED if mistakes or how != WRONG])
    if how == UNTOUCHED:
        return how, ""
    return how, answers.right(solution, exercise) if how == RIGHT else chance.choice(mistakes)


def _compare_words(klass: Class, person: Person, notebook: NotebookNode) -> None:
    """Each check says in the notebook what the grade will say."""
    for cell in notebook.cells:
        if exercise := answers.exercise_of(cell, "check"):
            heading = HEADINGS[SAID[person.answered[exercise]]]
            words = json.dumps(cell.outputs, ensure_ascii=False)
            klass.expect(
                f"{exercise} · {heading}" in words,
                f"{exercise} of {person.user.name}, {person.answered[exercise]}, is told {words}",
            )


# The update.


async def _pull_the_update(klass: Class, person: Person) -> None:
    person.file(READ_ONLY).unlink()
    try:
        await person.student.pull(klass.repository.url, BRANCH, FOLDER)
    except RuntimeError as error:
        klass.expect(False, str(error))
        return
    for name, before in person.written.items():
        _nothing_lost(klass, person, name, before)
    for name in klass.repository.names():
        if name not in person.written and not name.startswith(NEW_FILE):
            same = person.file(name).read_text("utf-8", "replace") == _text(klass, name)
            klass.expect(same, f"{person.user.name} has not the newest {name}")


def _text(klass: Class, name: str) -> str:
    return (klass.repository.folder / name).read_text("utf-8", "replace")


def _nothing_lost(klass: Class, person: Person, name: str, before: str) -> None:
    """What a student wrote is there still, and what came new is there too."""
    if name == NEW_FILE:
        stem = NEW_FILE.rpartition("/")[2].partition(".")[0]
        kept = [path.read_text("utf-8") for path in person.file(EXERCISES).glob(f"{stem}*")]
        klass.expect(before in kept, f"{person.user.name} lost their own {name}")
        newest = klass.repository.text(name)
        klass.expect(newest in kept, f"{person.user.name} did not get the new {name}")
        return
    after = person.file(name).read_text("utf-8")
    if not name.endswith(".ipynb"):
        klass.expect(after == before, f"{name} of {person.user.name} was changed")
        return
    lost = lost_cells(klass.given[name], before, after)
    klass.expect(not lost, f"{person.user.name} lost in {name}: {lost}")
    for what, news in (("sentence", NEWS), ("cell", NEW_CELL), ("starter", NEW_START)):
        if news in klass.repository.text(name):
            klass.reached[f"new {what} of {name}"] += news in after


# Handing in, and looking at what others handed in.


async def _hand_in(klass: Class, person: Person) -> None:
    program = klass.grading.image.programs / "nbgrader"
    code = f"""
import subprocess
done = subprocess.run(
    [{str(program)!r}, "submit", {ASSIGNMENT!r}],
    cwd={str(person.user.home / FOLDER)!r}, capture_output=True, text=True,
)
print(done.returncode, done.stderr)
"""
    said = printed(await person.kernels[CHAPTER].run(code))
    klass.expect(said.startswith("0 "), f"{person.user.name} cannot hand in: {said}")


async def _spy(klass: Class, person: Person) -> None:
    """Each student tries to read what the next one wrote, and first their own."""
    victim = klass.people[(person.number + 1) % len(klass.people)]
    own = await _attempts(klass, person, person)
    readable = {what for what, came in own.items() if came == spying.READ}
    expected = {"list their home", "open their notebook", "write into their notebook"}
    klass.expect(
        expected | {"read the variables of their processes"} <= readable,
        f"{person.user.name} cannot read their own files, so the attempts prove nothing: {own}",
    )
    if victim is person:
        return
    for what, came in (await _attempts(klass, person, victim)).items():
        klass.expect(came != spying.READ, f"{person.user.name} can {what}, of {victim.user.name}")
        klass.came[f"{what}: {came}"] += 1
    asked = f"api/contents/{FOLDER}/{quote(klass.exercise_files[0])}"
    await person.student.api("GET", asked)
    try:
        await person.student.api("GET", asked, of=victim.user.name)
    except RefusedError as error:
        klass.came[f"ask their server: HTTP {error.status}"] += 1
    else:
        klass.expect(False, f"the server of {victim.user.name} answers {person.user.name}")


async def _attempts(klass: Class, person: Person, victim: Person) -> dict[str, str]:
    request = {
        "home": str(victim.user.home),
        "notebook": str(victim.file(klass.exercise_files[0])),
        "user": victim.user.name,
        "marker": victim.marker,
        "places": [str(klass.grading.exchange / COURSE / "inbound")],
        "temporary": ["/tmp", "/var/tmp", "/dev/shm"],
    }
    # The marker is not to stand in the program's text, nor in a command line of its own.
    source = Path(spying.__file__).read_text("utf-8").partition("\nif __name__")[0]
    code = f"{source}\nprint(json.dumps(attempts(**json.loads({json.dumps(request)!r}))))"
    outputs = await person.kernels[CHAPTER].run(code)
    try:
        came: dict[str, str] = json.loads(printed(outputs))
    except ValueError as error:
        raise RuntimeError(f"the attempts did not come to an end: {outputs}") from error
    return came


# Grades.


def _grade(klass: Class) -> None:
    start = time.monotonic()
    klass.grading.collect()
    found = klass.grading.grade()
    klass.note("collect and grade, one after the other", f"{time.monotonic() - start:.0f} s")
    wanted = _wanted(klass)
    klass.expect(found.keys() == wanted.keys(), f"graded: {found.keys() ^ wanted.keys()}")
    for (student, check), points in wanted.items():
        klass.expect(
            found.get((student, check)) == points,
            f"{check} of {student}: {found.get((student, check))} points, not {points}",
        )
    kinds = Counter(how for person in klass.people for how in person.answered.values())
    told = ", ".join(f"{kinds[how]} {how}" for how in (RIGHT, WRONG, UNTOUCHED))
    klass.note("answers", f"{told}; {len(found)} grades compared")


def _wanted(klass: Class) -> Grades:
    """The grades that follow from which answers were right."""
    wanted = {}
    for file in klass.solution_files:
        for cell in notebook_files.read(file).cells:
            if exercise := answers.exercise_of(cell, "check"):
                facts = cell.metadata.nbgrader
                for person in klass.people:
                    right = person.answered[exercise] == RIGHT
                    wanted[person.user.name, facts.grade_id] = facts.points if right else 0.0
    return wanted
