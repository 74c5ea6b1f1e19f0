# SPDX-License-Identifier: BSD-3-Clause
"""Watches which files the processes of a build step open, for the cache: a library preloaded."""

from __future__ import annotations

import os
import platform
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

from firesim_common.cache import cached, watched_step
from firesim_common.reads import FROM_HERE
from firesim_common.tools import run

_SOURCE = Path(__file__).with_name("watch.c")
_LOG, _LIBRARY = "FIRESIM_WATCH", "watch.so"
_COMMAND = "gcc -shared -fPIC -O2 -fvisibility=hidden -U_FORTIFY_SOURCE".split()


def watched(environment: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return the environment of a process that reads inputs of a step: ours, if none is given.

    Outside a step whose reading is watched nothing is added to it.
    """
    given = dict(os.environ if environment is None else environment)
    step = watched_step()
    if step is None:
        return given
    others = given.get("LD_PRELOAD", "")
    return given | {
        _LOG: str(step.log),
        "LD_PRELOAD": f"{_library()} {others}".strip(),
        "TMPDIR": str(step.scratch),
        "CCACHE_DISABLE": "1",  # where `gcc` is a link to ccache: it reads and writes its own files
    }


def stands_for(folder: Path, links: Mapping[str, str]) -> None:
    """Say of a temporary folder what its links, or copies, are of: that is what a step reads."""
    if (step := watched_step()) is not None:
        step.own.append(folder)
        step.stands_for.update(links)


def begin() -> None:
    """Let what this process has read so far be no input: its own modules."""
    if log := os.environ.get(_LOG):
        with Path(log).open("ab") as stream:
            stream.write(f"{FROM_HERE}{os.getpid()}\0".encode())


@lru_cache
def _library_in(root: str) -> Path:
    def build(folder: Path) -> None:
        run([*_COMMAND, "-o", folder / _LIBRARY, _SOURCE, "-ldl"])

    system = " ".join((platform.machine(), *platform.libc_ver()))
    return cached("watch", [_SOURCE, " ".join(_COMMAND), system], build) / _LIBRARY


def _library() -> Path:
    return _library_in(os.environ.get("FIRESIM_CACHE", ""))
