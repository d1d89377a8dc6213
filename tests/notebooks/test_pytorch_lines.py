"""The PyTorch lines that chapter 18 and its exercises show as text: where PyTorch is, they run."""

import contextlib
import io
import re
import warnings
from pathlib import Path
from typing import Any

import hygiene
import pytest
from nbformat.notebooknode import NotebookNode

from engine.course.checks import chapter_18

NOTEBOOKS = Path(__file__).resolve().parents[2] / "notebooks"
BLOCK = re.compile(r"```python\n(?P<lines>.*?)```(?:\n\n```text\n(?P<printed>.*?)```)?", re.DOTALL)
# What both sides print: the numbers of our engine and those of PyTorch.
LEAST_IN_COMMON = 18


def cells() -> list[NotebookNode]:
    (file,) = NOTEBOOKS.glob("18-*.ipynb")
    return list(hygiene.read(file).notebook.cells)


def stored(cell: NotebookNode) -> str:
    return "".join(output.text for output in cell.outputs if output.output_type == "stream")


def blocks() -> list[re.Match[str]]:
    return [block for cell in cells() for block in BLOCK.finditer(cell.source)]


def ran(lines: str, variables: dict[str, Any]) -> str:
    """What lines print that go on from these variables."""
    said = io.StringIO()
    with contextlib.redirect_stdout(said), warnings.catch_warnings():
        warnings.simplefilter("error")
        exec(compile(lines, "a cell", "exec"), variables)
    return said.getvalue()


def test_every_block_of_pytorch_that_prints_says_what() -> None:
    assert blocks()
    for block in blocks():
        assert ("print(" in block["lines"]) == (block["printed"] is not None), block["lines"]


def test_pytorch_prints_lines_that_our_engine_printed() -> None:
    ours = "\n".join(stored(cell) for cell in cells() if cell.cell_type == "code").splitlines()
    theirs = "".join(block["printed"] or "" for block in blocks()).splitlines()
    with_numbers = [line for line in theirs if re.search(r"\d", line)]
    in_common = [line for line in with_numbers if line in ours]
    assert with_numbers == in_common
    assert len(in_common) >= LEAST_IN_COMMON


def test_the_lines_of_pytorch_print_what_the_chapter_says() -> None:
    """A reader's notebook: our cells, and PyTorch's lines in cells of their own between them."""
    torch = pytest.importorskip("torch")
    dtype = torch.get_default_dtype()
    variables: dict[str, Any] = {"__name__": "__main__"}
    try:
        for cell in cells():
            if cell.cell_type == "code":
                assert ran(cell.source, variables) == stored(cell), cell.source
            for block in BLOCK.finditer(cell.source) if cell.cell_type == "markdown" else ():
                assert ran(block["lines"], variables) == (block["printed"] or ""), block["lines"]
    finally:
        torch.set_default_dtype(dtype)


def test_the_programs_of_18_4_print_what_our_engine_says() -> None:
    pytest.importorskip("torch")
    said = ran(f"import torch\n{chapter_18.PROGRAMS}", {})
    found = {name: float(number) for name, number in re.findall(r"(\w): (\S+)", said)}
    assert found == pytest.approx(chapter_18.printed()["right"])


def test_the_array_engine_has_as_many_lines_as_chapter_18_says() -> None:
    from engine import arrays

    text = "\n".join(cell.source for cell in cells() if cell.cell_type == "markdown")
    assert "It is one file of 250 lines on NumPy." in text
    assert len(Path(arrays.__file__).read_text("utf-8").splitlines()) == 250


def test_a_second_softmax_keeps_the_loss_above_what_chapter_18_says() -> None:
    import numpy as np

    from engine.arrays import Array
    from engine.gpt_arrays import softmax

    text = "\n".join(cell.source for cell in cells() if cell.cell_type == "markdown")
    assert "with 27 tokens it can never come below 2.35" in text
    perfect = -np.log(softmax(Array(np.eye(27)[0])).data[0])
    assert 2.35 < perfect < 2.36
    some = np.random.default_rng(1).normal(size=(100, 27), scale=10)
    assert (-softmax(softmax(Array(some))).log()).data.min() > perfect
