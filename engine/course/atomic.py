"""Write files so that a crash leaves the old one or the new one, and never half of one."""

from __future__ import annotations

import contextlib
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

UNFINISHED_PREFIX, UNFINISHED_SUFFIX = ".course-", ".part"
# A file this old belongs to no writing under way.
UNFINISHED_SECONDS = 3600


def write(path: Path, content: bytes) -> None:
    """Put a file in place in one step, over an older one.

    Args:
        path: the file to write; its folder is made when it is missing.
        content: every byte of the file.

    Raises:
        OSError: the folder cannot be written to.

    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write(Path(folder) / "note.txt", b"a note")
    ...     (Path(folder) / "note.txt").read_text()
    'a note'
    """
    with _written_beside(path, content) as beside:
        beside.replace(path)


def write_new(path: Path, content: bytes) -> bool:
    """Put a file in place in one step, only where there is none.

    Args:
        path: the file to write; its folder is made when it is missing.
        content: every byte of the file.

    Returns:
        True when the file was written, False when something was already there.

    Raises:
        OSError: the folder cannot be written to.

    >>> with tempfile.TemporaryDirectory() as folder:
    ...     first = write_new(Path(folder) / "note.txt", b"mine")
    ...     second = write_new(Path(folder) / "note.txt", b"yours")
    ...     first, second, (Path(folder) / "note.txt").read_text()
    (True, False, 'mine')
    """
    if os.path.lexists(path):
        return False
    with _written_beside(path, content) as beside:
        try:
            path.hardlink_to(beside)
        except FileExistsError:
            return False
        except OSError:
            return _write_exclusively(path, content)
    return True


def write_over(path: Path, old: bytes, content: bytes) -> bool:
    """Put a file in place in one step, only over one that still holds what it is known to hold.

    Args:
        path: the file to write.
        old: every byte that it is known to hold.
        content: every byte that it is to hold.

    Returns:
        True when the file was written, False when it holds something else by now, or is gone.

    Raises:
        OSError: the file cannot be read, or its folder cannot be written to.

    >>> with tempfile.TemporaryDirectory() as folder:
    ...     note = Path(folder) / "note.txt"
    ...     write(note, b"old")
    ...     write_over(note, b"older", b"new"), write_over(note, b"old", b"new"), note.read_text()
    (False, True, 'new')
    """
    with _written_beside(path, content) as beside:
        # Writing takes a while; the file is looked at when nothing but its renaming is left.
        try:
            held = path.read_bytes()
        except FileNotFoundError:
            return False
        if held != old:
            return False
        beside.replace(path)
    return True


def make_folder(folder: Path) -> None:
    """Make a folder, and see that it can be written to, before the long work that fills it.

    Args:
        folder: the folder; it may be there already.

    Raises:
        OSError: the folder cannot be written to.

    >>> with tempfile.TemporaryDirectory() as outer:
    ...     make_folder(Path(outer) / "pages")
    ...     list((Path(outer) / "pages").iterdir())
    []
    """
    folder.mkdir(parents=True, exist_ok=True)
    try:
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        error.filename = str(folder)
        raise


def remove_unfinished(folder: Path) -> None:
    """Remove what writings of ours that were killed long ago have left below a folder.

    Args:
        folder: the folder; it may be missing.

    >>> with tempfile.TemporaryDirectory() as folder:
    ...     left = Path(folder) / ".course-ab12.part"
    ...     left.touch()
    ...     os.utime(left, (0, 0))
    ...     remove_unfinished(Path(folder))
    ...     left.exists()
    False
    """
    for file in folder.rglob(f"{UNFINISHED_PREFIX}*{UNFINISHED_SUFFIX}"):
        with contextlib.suppress(OSError):  # gone by now, or not ours to remove
            if time.time() - file.stat().st_mtime > UNFINISHED_SECONDS:
                file.unlink()


@contextlib.contextmanager
def locked(file: Path) -> Iterator[None]:
    """Let one process after the other pass; one that is killed lets the next one pass, too.

    Args:
        file: what they all lock. Where it cannot be written, nobody waits.

    >>> with tempfile.TemporaryDirectory() as folder, locked(Path(folder) / "lock"):
    ...     print("alone")
    alone
    """
    with contextlib.ExitStack() as stack:
        with contextlib.suppress(OSError):
            file.parent.mkdir(parents=True, exist_ok=True)
            _lock(stack.enter_context(file.open("ab")).fileno())
        yield


def _lock(descriptor: int) -> None:
    if sys.platform == "win32":
        import msvcrt

        msvcrt.locking(descriptor, msvcrt.LK_LOCK, 1)
    else:
        import fcntl

        fcntl.flock(descriptor, fcntl.LOCK_EX)


def set_aside(file: Path) -> Path:
    """Rename a damaged file, so that nothing in it is lost.

    Args:
        file: the file.

    Returns:
        Its new path, beside the old one.

    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write(Path(folder) / "note.json", b"half a no")
    ...     set_aside(Path(folder) / "note.json").name
    'note.damaged-1.json'
    """
    count = 1
    while (aside := file.with_name(f"{file.stem}.damaged-{count}{file.suffix}")).exists():
        count += 1
    file.rename(aside)
    return aside


def is_aside(file: Path) -> bool:
    """Whether a file has been set aside.

    Args:
        file: the file.

    >>> is_aside(Path("note.damaged-1.json")), is_aside(Path("01.1.json"))
    (True, False)
    """
    return ".damaged-" in file.name


def _write_exclusively(path: Path, content: bytes) -> bool:
    """Some file systems have no hard links; opening with "x" still never writes over a file."""
    try:
        file = path.open("xb")
    except FileExistsError:
        return False
    try:
        with file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
    except BaseException:
        # Half a file would be taken for the learner's own, and never be replaced.
        path.unlink(missing_ok=True)
        raise
    return True


@contextlib.contextmanager
def _written_beside(path: Path, content: bytes) -> Iterator[Path]:
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor, name = tempfile.mkstemp(
        dir=path.parent, prefix=UNFINISHED_PREFIX, suffix=UNFINISHED_SUFFIX
    )
    beside = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        beside.chmod(0o666 & ~_umask())
        yield beside
    finally:
        beside.unlink(missing_ok=True)


def _umask() -> int:
    mask = os.umask(0o022)
    os.umask(mask)
    return mask
