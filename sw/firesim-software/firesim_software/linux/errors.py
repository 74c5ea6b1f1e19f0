# SPDX-License-Identifier: BSD-3-Clause
"""The one error of the package, and running commands that may fail."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from firesim_common.watch import watched


class LinuxError(RuntimeError):
    """Something for Linux could not be built, read or run; the message says what to do."""


PACKAGES = {
    "riscv64-linux-gnu-gcc": "gcc-riscv64-linux-gnu",
    "riscv64-unknown-elf-gcc": "gcc-riscv64-unknown-elf",
    "qemu-system-riscv64": "qemu-system-misc",
}


def run(
    command: Sequence[str], *, cwd: Path | None = None, environment: Mapping[str, str] | None = None
) -> str:
    """Run a command and return its standard output.

    Raises:
        LinuxError: it is missing or failed; the message has the end of its output.
    """
    try:
        done = subprocess.run(
            command,
            cwd=cwd,
            env=watched({**os.environ, **(environment or {})}),
            text=True,
            errors="replace",
            capture_output=True,
            check=False,
            stdin=subprocess.DEVNULL,
        )
    except FileNotFoundError as error:
        package = PACKAGES.get(command[0], command[0])
        raise LinuxError(f"{command[0]} is not installed: apt-get install {package}") from error
    if done.returncode != 0:
        tail = (done.stdout + done.stderr).strip()[-3000:]
        raise LinuxError(f"{command[0]} failed with status {done.returncode}:\n{tail}")
    return done.stdout
