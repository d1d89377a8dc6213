"""The package, the README and CI say the same thing, and each command is what it claims to be."""

import ast
import os
import re
import shutil
import stat
import subprocess
import sys
import sysconfig
import tomllib
import venv
import zipfile
from importlib.metadata import entry_points, packages_distributions
from itertools import chain
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text("utf-8")
PYPROJECT_TEXT = (ROOT / "pyproject.toml").read_text("utf-8")
PROJECT = tomllib.loads(PYPROJECT_TEXT)["project"]

on_linux = pytest.mark.skipif(sys.platform != "linux", reason=".ci/run is for Debian and Ubuntu")


def requirement_lines() -> list[str]:
    """Return the lines of pyproject.toml that ask for a package."""
    extras = PROJECT["optional-dependencies"].values()
    asked = [*PROJECT["dependencies"], *chain.from_iterable(extras)]
    assert len(set(PROJECT["dependencies"])) == len(PROJECT["dependencies"])
    lines = PYPROJECT_TEXT.splitlines()
    found = [line for line in lines if any(f'"{wanted}"' in line for wanted in asked)]
    assert len(found) == len(asked)
    return found


def command_in_readme(name: str) -> str:
    """Return the code block that follows a command's marker in the README."""
    found = re.findall(rf"^<!-- command: {name} -->\n```bash\n(.+?)\n```$", README, re.M | re.S)
    assert len(found) == 1
    return str(found[0])


# --- pyproject.toml ---------------------------------------------------------------------------


@pytest.mark.parametrize("line", requirement_lines())
def test_every_package_is_asked_for_with_a_range_and_a_reason(line: str) -> None:
    quoted, _, reason = line.partition("#")
    operators = {part.operator for part in Requirement(quoted.strip(' ",')).specifier}
    assert operators == {">=", "<"}
    assert len(reason.split()) >= 3


def test_the_engine_imports_only_what_is_asked_for() -> None:
    asked = {canonicalize_name(Requirement(line).name) for line in PROJECT["dependencies"]}
    owners = packages_distributions()
    for path in sorted((ROOT / "engine").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom) and node.level == 0:
                names = [node.module or ""]
            else:
                continue
            roots = {name.split(".")[0] for name in names} - sys.stdlib_module_names - {"engine"}
            for root in roots:
                packages = {canonicalize_name(owner) for owner in owners.get(root, [])}
                assert packages & asked, f"{path.relative_to(ROOT)} imports {root}"


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The package as it is handed out."""
    folder = tmp_path_factory.mktemp("wheel")
    subprocess.run(
        [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", folder, ROOT], check=True
    )
    (made,) = folder.glob("reverse_walk-*.whl")
    return made


def test_a_wheel_holds_every_file_of_the_engine_and_the_course_without_solutions(
    wheel: Path,
) -> None:
    packed = set(zipfile.ZipFile(wheel).namelist())
    kept = subprocess.run(
        ["git", "ls-files", "engine", "notebooks", "exercises"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.splitlines()
    carried = {
        name if name.startswith("engine/") else f"engine/course/content/{name}" for name in kept
    }
    assert carried <= packed
    assert "engine/py.typed" in packed
    assert not any("solutions" in name for name in packed)


def test_the_course_comes_out_of_a_wheel_into_a_folder_of_the_learner(
    wheel: Path, tmp_path: Path
) -> None:
    home, mine = tmp_path / "environment", tmp_path / "my courses"
    mine.mkdir()
    venv.create(home, with_pip=False)
    python = home / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    (site,) = home.rglob("site-packages")
    # What the wheel needs is here already: as a line of a .pth file, without the course itself.
    (site / "needed.pth").write_text(sysconfig.get_path("purelib"), encoding="utf-8")
    install = [sys.executable, "-m", "pip", "--python", str(python), "install", "-q", "--no-deps"]
    subprocess.run([*install, str(wheel)], check=True)

    def course(*words: str) -> str:
        return subprocess.run(
            [python, "-m", "engine.course", *words],
            cwd=mine,
            capture_output=True,
            encoding="utf-8",
            check=True,
            env={**os.environ, "PYTHONPATH": ""},
        ).stdout

    assert str(mine / "reverse-walk") in course("doctor")
    assert "Next: 01.1" in course("check")
    with subprocess.Popen(
        [python, "-m", "engine.course", "--no-browser", "--port", "0"],
        cwd=mine,
        stdout=subprocess.PIPE,
        encoding="utf-8",
        env={**os.environ, "PYTHONPATH": ""},
    ) as lab:
        assert lab.stdout is not None
        address = next(line for line in lab.stdout if "token=" in line)
        lab.terminate()
    assert "00-start-here.ipynb" in address
    copied = {path.name for path in (mine / "reverse-walk" / "notebooks").glob("*.ipynb")}
    assert copied == {path.name for path in (ROOT / "notebooks").glob("*.ipynb")}
    assert not (mine / "reverse-walk" / "solutions").exists()
    course("slides", "02")
    assert list(mine.rglob("02-*.html"))


def test_course_is_one_command_under_two_names() -> None:
    (script,) = entry_points(group="console_scripts", name="course")
    assert script.value == "engine.course.__main__:main"
    installed = Path(sys.executable).with_name("course.exe" if os.name == "nt" else "course")
    answers = [
        subprocess.run([*start, "--help"], cwd=ROOT, capture_output=True, text=True, check=True)
        for start in ([installed], [sys.executable, "-m", "engine.course"])
    ]
    assert answers[0].stdout == answers[1].stdout != ""


def test_the_test_command_covers_every_notebook() -> None:
    options = tomllib.loads(PYPROJECT_TEXT)["tool"]["pytest"]["ini_options"]
    assert {"--nbval", "--doctest-modules"} <= set(options["addopts"])
    kept = subprocess.run(
        ["git", "ls-files", "*.ipynb"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    folders = {name.split("/")[0] for name in kept.stdout.splitlines()}
    assert folders <= set(options["testpaths"])


# --- README.md --------------------------------------------------------------------------------


@pytest.mark.parametrize("page", ["README.md", "solutions/README.md", "binder/README.md"])
def test_a_link_in_the_readme_or_a_guide_leads_somewhere(page: str) -> None:
    file = ROOT / page
    targets = re.findall(r"\]\((?!https?:)([^)#]+)\)", file.read_text("utf-8"))
    assert [target for target in targets if not (file.parent / target).exists()] == []


def test_the_layout_in_the_readme_is_the_tree() -> None:
    (layout,) = re.findall(r"^<!-- layout -->\n```\n(.+?)\n```$", README, re.M | re.S)
    for line in layout.splitlines():
        assert (ROOT / line.split()[0]).exists(), line


def test_the_readme_tells_of_every_command_of_course() -> None:
    asked = [sys.executable, "-m", "engine.course", "--help"]
    answer = subprocess.run(asked, cwd=ROOT, capture_output=True, text=True, check=True)
    offered = re.findall(r"^    (\w+) ", answer.stdout.split("COMMAND\n", 1)[1], re.M)
    assert offered
    assert sorted(re.findall(r"^\| `course (\w+)", README, re.M)) == sorted(offered)


def test_both_commands_make_their_own_environment_in_one_line() -> None:
    for name in ("start", "test"):
        command = command_in_readme(name)
        assert "\n" not in command
        assert command.startswith("python3 -m venv .venv && ")


# --- continuous integration -------------------------------------------------------------------


def small_clone(tmp_path: Path, command: str) -> Path:
    """Make a folder with our .ci and a README whose test command is another one."""
    shutil.copytree(ROOT / ".ci", tmp_path / ".ci")
    text = README.replace(command_in_readme("test"), command)
    (tmp_path / "README.md").write_text(text, "utf-8")
    return tmp_path / ".ci" / "run"


def programs(tmp_path: Path, **scripts: str) -> Path:
    """Make a folder of small programs that stand in for those of the machine."""
    folder = tmp_path / "programs"
    folder.mkdir()
    for name, script in scripts.items():
        program = folder / name.replace("_", "-")
        program.write_text(f"#!/bin/sh\n{script}\n", "utf-8")
        program.chmod(0o755)
    for name in ("awk", "bash", "dirname", "env", "grep", "sh"):
        found = shutil.which(name)
        assert found is not None
        (folder / name).symlink_to(found)
    return folder


def run_ci(run: Path, path: Path | str) -> subprocess.CompletedProcess[str]:
    """Run .ci/run with the given PATH and nothing else."""
    return subprocess.run(
        [shutil.which("bash") or "bash", run],
        env={"PATH": str(path)},
        capture_output=True,
        text=True,
        check=False,
    )


EVERYTHING = {
    "python3": "exit 0",
    "git": "exit 0",
    "dpkg_query": "exit 0",
    "chromium": "exit 0",
    "firefox_esr": "exit 0",
    "WebKitWebDriver": "exit 0",
    "Xvfb": "exit 0",
    "dot": "exit 0",
    # As long as on a machine with many fonts: more than a pipe holds.
    "fc_list": "for i in 1 2 3 4 5 6 7 8 9; do printf 'DejaVuSans.ttf%10000s\\n' ''; done",
    "id": "echo 0",
    "apt_get": "echo called apt-get; exit 9",
}


@on_linux
def test_ci_runs_the_test_command_of_the_readme() -> None:
    told = subprocess.run(
        [ROOT / ".ci" / "readme-command", "test"], capture_output=True, text=True, check=True
    )
    assert told.stdout == command_in_readme("test") + "\n"


@on_linux
def test_ci_ends_with_the_command_and_its_exit_status(tmp_path: Path) -> None:
    run = small_clone(tmp_path, 'echo "CI=$CI in $PWD"; exit 3')
    result = run_ci(run, programs(tmp_path, **EVERYTHING))
    assert result.returncode == 3, result.stderr
    assert result.stdout.splitlines() == [
        '+ echo "CI=$CI in $PWD"; exit 3',
        f"CI=true in {tmp_path}",
    ]


@on_linux
def test_ci_installs_what_a_bare_machine_lacks(tmp_path: Path) -> None:
    run = small_clone(tmp_path, "echo the command")
    folder = programs(tmp_path, id="echo 0", apt_get=f'echo "$@" >> {tmp_path}/asked')
    result = run_ci(run, folder)
    assert result.returncode == 0, result.stderr
    assert result.stdout.splitlines()[-1] == "the command"
    update, install = (tmp_path / "asked").read_text("utf-8").splitlines()
    assert update.split()[-1] == "update"
    wanted = ["python3", "python3-venv", "git", "chromium", "firefox-esr", "webkit2gtk-driver"]
    wanted += ["xvfb", "libatomic1", "graphviz", "fontconfig", "fonts-dejavu-core"]
    assert install.split()[-len(wanted) :] == wanted


@on_linux
def test_ci_asks_for_rights_only_where_it_needs_them(tmp_path: Path) -> None:
    run = small_clone(tmp_path, "echo the command")
    folder = programs(
        tmp_path,
        **EVERYTHING | {"id": "echo 1000", "dot": ""},
        sudo=f'echo "$@" >> {tmp_path}/asked',
    )
    (folder / "dot").unlink()
    assert run_ci(run, folder).returncode == 0
    asked = (tmp_path / "asked").read_text("utf-8").splitlines()
    assert len(asked) == 2
    assert asked[1].split()[-1] == "graphviz"


@on_linux
def test_ci_says_what_to_install_where_it_has_no_rights(tmp_path: Path) -> None:
    run = small_clone(tmp_path, "echo the command")
    folder = programs(tmp_path, **EVERYTHING | {"id": "echo 1000", "dot": ""})
    (folder / "dot").unlink()
    result = run_ci(run, folder)
    assert result.returncode == 1
    assert result.stderr.splitlines()[-1] == "apt-get install graphviz"


@on_linux
def test_ci_stops_when_an_installation_fails(tmp_path: Path) -> None:
    run = small_clone(tmp_path, "echo the command")
    folder = programs(tmp_path, **EVERYTHING)
    (folder / "dot").unlink()
    result = run_ci(run, folder)
    assert result.returncode == 9
    assert "the command" not in result.stdout


@on_linux
def test_ci_refuses_an_old_environment(tmp_path: Path) -> None:
    run = small_clone(tmp_path, "echo the command")
    (tmp_path / ".venv").mkdir()
    result = run_ci(run, programs(tmp_path, **EVERYTHING))
    assert result.returncode == 1
    assert "fresh clone" in result.stderr


@on_linux
def test_ci_stops_when_the_readme_has_no_command(tmp_path: Path) -> None:
    run = small_clone(tmp_path, "echo the command")
    (tmp_path / "README.md").write_text("No command.\n", "utf-8")
    result = run_ci(run, programs(tmp_path, **EVERYTHING))
    assert result.returncode == 1
    assert "no code block" in result.stderr


def test_the_workflow_runs_the_same_script_and_nothing_else() -> None:
    workflow = (ROOT / ".github" / "workflows" / "ci.yml").read_text("utf-8")
    assert re.findall(r"^\s*- run: (.+)$", workflow, re.M) == ["bash .ci/run"]
    assert "run: |" not in workflow
    assert re.findall(r"python: \[\"(3\.\d+)\"", workflow) == [
        PROJECT["requires-python"].removeprefix(">=")
    ]


@pytest.mark.skipif(os.name == "nt", reason="Windows keeps no executable bit")
@pytest.mark.parametrize("name", ["run", "readme-command"])
def test_the_scripts_of_ci_are_executable_and_strict(name: str) -> None:
    script = ROOT / ".ci" / name
    assert script.stat().st_mode & stat.S_IXUSR
    assert "set -euo pipefail" in script.read_text("utf-8").splitlines()
