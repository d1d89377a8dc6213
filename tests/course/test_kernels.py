"""A kernel of a command listens where no other program can be in its way."""

import json
import os
import tempfile
from pathlib import Path

import nbformat
import pytest

from engine.course import build, kernels
from tests.kernels import run

WHERE = "from ipykernel.connect import get_connection_info\nprint(get_connection_info())"


def where(notebook: nbformat.NotebookNode) -> tuple[str, Path]:
    said = json.loads(notebook.cells[0].outputs[0]["text"])
    return said["transport"], Path(said["ip"])


@pytest.mark.skipif(os.name != "posix", reason="sockets that are files")
def test_it_listens_on_files_that_are_gone_afterwards(tmp_path: Path) -> None:
    file = tmp_path / "00-a.ipynb"
    nbformat.write(nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(WHERE)]), file)
    transport, first = where(build.executed(file))
    assert transport == "ipc"
    assert first.is_relative_to(tempfile.gettempdir())
    assert not first.parent.exists()
    assert where(run(WHERE))[1] != first


def test_a_name_too_long_for_a_socket_makes_it_a_port(tmp_path: Path) -> None:
    folder = tmp_path / ("long" * 20)
    folder.mkdir()
    manager = kernels.manager(folder)
    assert manager.transport == "tcp"
    assert manager.ip == "127.0.0.1"
