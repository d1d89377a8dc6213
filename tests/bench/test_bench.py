"""The benchmarks still run, and compare engines that compute the same."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.bench import before, imports, memory, reference, speed, workloads
from tests.bench.size import TINY

ROOT = Path(__file__).parents[2]


def test_the_command_prints_every_section_at_a_tiny_size() -> None:
    result = subprocess.run(
        [sys.executable, "-m", "tests.bench", "--tiny"],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    for title in ("RECORDING + BACKWARD", "REPLAY", "TRAINING", "MEMORY", "IMPORT", "EXPLORER"):
        assert title in result.stdout
    assert "KEY TO PAINT" in result.stdout
    one_step, _ = result.stdout.split("TRAINING")
    for rival in workloads.CONTESTANTS:
        assert one_step.count(f"  {rival.name}  ") == 6  # two graphs and the GPT, twice each
    for mine, rival, bar in speed.BARS:
        assert f"bar: {mine.name} >= {bar:g} x {rival.name}" in result.stdout


@pytest.mark.parametrize("workload", workloads.workloads(TINY), ids=lambda w: w.name)
def test_all_engines_compute_the_same_gradients(workload: workloads.Workload) -> None:
    gradients = [speed.first_gradients(rival, workload) for rival in workloads.CONTESTANTS]
    assert any(gradient != 0.0 for gradient in gradients[0])
    for other in gradients[1:]:
        assert other == pytest.approx(gradients[0], rel=1e-9, abs=1e-12)


def test_engines_that_compute_something_else_are_not_compared(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def twice(self: reference.Value) -> reference.Value:
        return self + self

    workload, _ = workloads.workloads(TINY)
    monkeypatch.setattr(reference.Value, "relu", twice)
    with pytest.raises(AssertionError, match=r"reference .* computes other gradients"):
        speed.require_same_gradients(workload)


def test_a_bar_is_met_from_its_ratio_on() -> None:
    seconds = {"this engine, with a tape": 1.0, "this engine, without": 2.0}
    seconds |= {"reference (tuples, recursion)": 3.0, "micrograd": 7.9}
    verdicts = [line.rsplit(", ", 1)[1] for line in speed.bars(seconds)]
    assert verdicts == ["met", "MISSED", "met"]


def test_a_step_of_this_engine_leaves_no_garbage() -> None:
    workload, _ = workloads.workloads(TINY)
    assert memory.garbage(workloads.TAPE, workload) == 0
    assert memory.garbage(workloads.NO_TAPE, workload) == 0
    assert memory.garbage(workloads.MICROGRAD, workload) > 0


def test_a_node_takes_no_more_bytes_than_its_bar() -> None:
    workload, _ = workloads.workloads(TINY)
    assert 64 < memory.traced_bytes(workload) <= memory.BYTES_BAR


def test_the_import_loads_nothing_heavy() -> None:
    loaded = imports.modules_loaded()
    assert "engine.value" in loaded
    assert loaded.isdisjoint(imports.HEAVY)


def test_an_earlier_engine_is_compared_in_one_run() -> None:
    lines = list(before.report("HEAD", TINY))
    rows = [line.split()[0] for line in lines]
    expected = [(name, "tape", "plain") for name in ("2-16-16-1", "one", "GPT;")]
    assert rows == [word for rows in expected for _ in TINY.others for word in rows]
