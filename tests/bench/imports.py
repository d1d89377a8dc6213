"""What `import engine` costs over a bare interpreter."""

import statistics
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from tests.bench.size import Size

ROOT = Path(__file__).parents[2]
BAR = 0.050
HEAVY = ("IPython", "anywidget", "graphviz", "ipywidgets", "matplotlib", "numpy")


def report(size: Size) -> Iterator[str]:
    """Time the import in new interpreters, in turn with bare ones, and list what it loads."""
    yield "IMPORT"
    bare, loaded = [], []
    for _ in range(size.starts):
        bare.append(seconds_to_run("pass"))
        loaded.append(seconds_to_run("import engine"))
    cost = statistics.median(loaded) - statistics.median(bare)
    yield (
        f"  import engine: {1000 * cost:.0f} ms of the processor over a bare interpreter "
        f"({1000 * statistics.median(bare):.0f} ms), median of {size.starts} starts; "
        f"bar {1000 * BAR:.0f} ms: {'met' if cost <= BAR else 'MISSED'}"
    )
    modules = modules_loaded()
    heavy = [name for name in HEAVY if name in modules]
    yield f"  modules it loads: {len(modules)}; heavy ones: {', '.join(heavy) or 'none'}"


def seconds_to_run(code: str) -> float:
    """Run a new interpreter and return the processor seconds it has used by then."""
    return float(printed_by(f"{code}\nimport time\nprint(time.process_time())"))


def modules_loaded() -> set[str]:
    """Return the modules that `import engine` adds to a bare interpreter."""
    code = "import sys; before = set(sys.modules); import engine; print(*set(sys.modules) - before)"
    return set(printed_by(code).split())


def printed_by(code: str) -> str:
    """Run code in a new interpreter and return what it prints."""
    result = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return result.stdout
