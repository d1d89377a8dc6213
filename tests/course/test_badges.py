"""The badges: each opens its chapter, and shows a picture that is in the repository."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import parse_qs, urlsplit
from xml.etree import ElementTree

import pytest

from engine.course import badges, build
from engine.course.__main__ import main
from engine.course.places import CourseError, Places

ROOT = Path(__file__).resolve().parents[2]
ADDRESS = "https://binder.example/v2/gh/someone/walk/v1"
BADGE = re.compile(r"\[!\[([^\]]+)\]\(([^)]+)\)\]\(([^)]+)\)")
NOT_ADDRESSES = [
    "",
    "binder.example/v2/gh/someone/walk/v1",
    "https://binder.example",
    "https://binder.example/v2/gh/someone/walk",
    "https://binder.example/v2/git/v1",
    "https:///v2/gh/someone/walk/v1",
    "file:///v2/gh/someone/walk/v1",
    "https://binder.example/v2/",
    "https://binder.example/v2/gh//walk/v1",
    "https://binder.example/v2/git//v1",
    "https://[binder/v2/gh/someone/walk/v1",
    "https://bin der.example/v2/gh/someone/walk/v1",
    'https://binder".example/v2/gh/someone/walk/v1',
]


def opened(link: str) -> str:
    """The file that a link opens."""
    (path,) = parse_qs(urlsplit(link).query)["labpath"]
    return path


def test_the_command_prints_a_badge_for_the_course_and_for_each_chapter(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["badges", ADDRESS, "--root", str(ROOT)]) == 0
    found = BADGE.findall(capsys.readouterr().out)
    chapters = [file.relative_to(ROOT).as_posix() for file in build.chapter_files(Places(ROOT))]
    assert [opened(link) for _, _, link in found] == [chapters[0], *chapters]
    for words, picture, link in found:
        assert words
        assert link.startswith(f"{ADDRESS}?labpath=notebooks%2F")
        assert (ROOT / picture).is_file()


def test_each_chapter_is_named_by_its_title() -> None:
    rows = badges.markdown(Places(ROOT), ADDRESS).splitlines()
    (walk,) = [row for row in rows if "06-the-seven-node-walk" in row]
    assert walk.startswith("| 06 · The seven-node walk | [")


def test_a_stroke_in_a_title_does_not_end_the_cell(tmp_path: Path) -> None:
    chapter = build.chapter_files(Places(ROOT))[0].read_text("utf-8")
    (tmp_path / "notebooks").mkdir()
    changed = chapter.replace("# 00 · Start here", "# 00 · This | that")
    (tmp_path / "notebooks" / "00-a.ipynb").write_text(changed, "utf-8")
    assert r"| 00 · This \| that | [" in badges.markdown(Places(tmp_path), ADDRESS)


@pytest.mark.parametrize("end", ["", "/", "?labpath=notebooks%2F00.ipynb", "/?urlpath=lab"])
def test_what_stands_after_the_address_is_left_out(end: str) -> None:
    assert badges.binder(ADDRESS + end) == ADDRESS


@pytest.mark.parametrize("address", NOT_ADDRESSES)
def test_another_address_is_refused_with_the_right_form(address: str) -> None:
    with pytest.raises(CourseError, match=re.escape(badges.FORM)):
        badges.binder(address)


@pytest.mark.parametrize("host", ["[::1]:8585", "localhost:8585", "hub.example/binder"])
def test_a_hub_may_have_a_port_and_a_folder(host: str) -> None:
    address = f"http://{host}/v2/gh/someone/walk/v1"
    assert badges.binder(address) == address


def test_a_branch_may_hold_a_slash_and_a_space_is_written_as_in_addresses() -> None:
    assert badges.binder("https://b.example/v2/gh/a/b/one/two x").endswith("/one/two%20x")


def test_no_address_can_end_the_link_it_stands_in() -> None:
    found = BADGE.fullmatch(badges.badge("x", badges.link(badges.binder(f"{ADDRESS})("), "n")))
    assert found
    assert found[3] == f"{ADDRESS}%29%28?labpath=n"


def test_the_picture_is_our_own_and_says_its_words() -> None:
    picture = ElementTree.parse(ROOT / badges.PICTURE).getroot()
    assert picture.get("aria-label") == badges.WORDS
    assert badges.WORDS in "".join(picture.itertext())
    assert not [name for part in picture.iter() for name in part.attrib if name.endswith("href")]
