"""The training data: clean, always the same, and a clear word when it is missing."""

from importlib.metadata import PackageNotFoundError
from pathlib import Path
from types import SimpleNamespace

import pytest

from engine import documents
from engine.documents import first_names
from engine.gpt import LETTERS, Shape, decode, encode


def lists(monkeypatch: pytest.MonkeyPatch, folder: Path, female: str, male: str) -> None:
    """Put two lists of our own in the place of the package's."""
    (folder / "names").mkdir()
    (folder / "names/dist.female.first").write_text(female, "ascii")
    (folder / "names/dist.male.first").write_text(male, "ascii")
    package = SimpleNamespace(locate_file=lambda file: folder / file)
    monkeypatch.setattr(documents, "distribution", lambda name: package)


def test_every_name_is_of_small_letters_and_stands_there_once() -> None:
    names = first_names()
    assert len(names) > 5000
    assert len(set(names)) == len(names)
    assert {letter for name in names for letter in name} == set(LETTERS)


def test_the_order_is_always_the_same() -> None:
    assert first_names() == first_names() == sorted(first_names())


def test_every_name_fits_the_model() -> None:
    names = first_names()
    assert all(2 <= len(encode(name)) <= Shape().context + 1 for name in names)
    assert all(decode(encode(name)) == name for name in names)


def test_both_lists_are_read_and_a_name_of_both_is_kept_once(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    lists(monkeypatch, tmp_path, "ANN  1.0 1.0 1\nLEE 0.5 1.5 2\n", "LEE 1.0 1.0 1\nBO 0.1 1 2\n\n")
    assert first_names() == ["ann", "bo", "lee"]


def test_long_names_and_other_characters_are_left_out(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    fits, too_long = "A" * 15, "B" * 16
    lists(
        monkeypatch, tmp_path, f"{fits} 1 1 1\n{too_long} 1 1 2\n", "O'NEIL 1 1 1\nJO-ANN 1 1 2\n"
    )
    assert first_names() == [fits.lower()]
    assert first_names(longest=14) == []


def test_a_missing_package_is_named_with_the_command_that_mends_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def nowhere(name: str) -> None:
        raise PackageNotFoundError(name)

    monkeypatch.setattr(documents, "distribution", nowhere)
    with pytest.raises(ModuleNotFoundError, match="%pip install names"):
        first_names()


def test_missing_lists_are_told_in_the_same_words(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    package = SimpleNamespace(locate_file=lambda file: tmp_path / file)
    monkeypatch.setattr(documents, "distribution", lambda name: package)
    with pytest.raises(ModuleNotFoundError, match="%pip install names"):
        first_names()
