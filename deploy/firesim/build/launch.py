# SPDX-License-Identifier: BSD-3-Clause
"""The one place that starts firesim-sim: in the background, or up to its end."""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import IO

from firesim.build.simulator import simulator

_PR_SET_PDEATHSIG = 1


def _words(description: Path, binary: Path | None, options: Sequence[str]) -> list[str]:
    return [str(binary or simulator()), *options, str(description)]


def end_with_parent() -> Callable[[], None]:
    """Return what a child does first: ask the kernel to be ended should its parent die."""
    libc = ctypes.CDLL(None)

    def setup() -> None:
        libc.prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)

    return setup


def start(
    description: Path,
    output: IO[bytes] | IO[str] | int,
    *,
    binary: Path | None = None,
    wrapper: Sequence[str] = (),
    own_group: bool = False,
) -> subprocess.Popen[bytes]:
    """Start the simulator on a description; what it prints goes to `output`.

    `binary` is the one to start, built if it is None. `wrapper` are the words of a program that
    runs it. With `own_group` it gets a session of its own and ends with this process.

    Raises:
        ToolError: the simulator cannot be built.
    """
    return subprocess.Popen(
        [*wrapper, *_words(description, binary, ())],
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=subprocess.STDOUT,
        start_new_session=own_group,
        preexec_fn=end_with_parent() if own_group else None,
    )


def finish(
    description: Path,
    *,
    binary: Path | None = None,
    options: Sequence[str] = (),
    environment: Mapping[str, str] | None = None,
    limit_s: float | None = None,
) -> subprocess.CompletedProcess[str]:
    """Run the simulator on a description to its end; return its status and what it printed.

    `environment` is added to that of this process.

    Raises:
        ToolError: the simulator cannot be built.
        subprocess.TimeoutExpired: it took longer than `limit_s`, and was ended.
    """
    return subprocess.run(
        _words(description, binary, options),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
        env={**os.environ, **(environment or {})},
        timeout=limit_s,
    )
