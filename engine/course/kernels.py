"""Where a kernel that a command starts listens, so that no other program is in its way."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

from jupyter_client.kernelspec import KernelSpecManager
from jupyter_client.manager import AsyncKernelManager

LONGEST = 100  # bytes: a socket's file may have a name of 104, with the ending that it gets


def connection(file: Path) -> dict[str, Any]:
    """What tells a kernel manager to talk to its kernel over files beside this one.

    A port that is free when it is chosen can be another program's a second later, when the kernel
    wants it; the kernel then dies. A port it is where the system has no sockets that are files, or
    where the file's name is too long for one.

    Args:
        file: where the manager may write down the connection; nothing may be there yet.

    >>> sorted(connection(Path("kernel.json")))
    ['connection_file', 'transport']
    >>> connection(Path("a" * 200))["transport"]
    'tcp'
    """
    files = os.name == "posix" and len(os.fsencode(file)) <= LONGEST
    return {"connection_file": str(file), "transport": "ipc" if files else "tcp"}


def manager(folder: Path) -> AsyncKernelManager:
    """The manager of one kernel of this very environment, which is not started yet.

    Args:
        folder: an empty folder that stays as long as the kernel does.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     manager(Path(folder)).kernel_name
    'python3'
    """
    here = Path(sys.prefix) / "share" / "jupyter" / "kernels"
    specs = KernelSpecManager(kernel_dirs=[str(here)])
    return AsyncKernelManager(
        kernel_name="python3", kernel_spec_manager=specs, **connection(folder / "kernel.json")
    )
