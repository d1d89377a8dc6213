"""One test for many cases: each of them is a subtest, and all of them run."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import pytest


def each(cases: Mapping[str, Any] | Iterable[Any]) -> Callable[[Callable[..., None]], Any]:
    """Make a test of a check of one case; a case that is a tuple is given as several arguments."""
    listed = list(cases.items()) if isinstance(cases, Mapping) else [(str(c), c) for c in cases]

    def decorate(check: Callable[..., None]) -> Callable[[pytest.Subtests], None]:
        def test(subtests: pytest.Subtests) -> None:
            for name, case in listed:
                with subtests.test(name):
                    check(*(case if isinstance(case, tuple) else (case,)))

        test.__name__, test.__doc__ = check.__name__, check.__doc__
        return test

    return decorate
