# SPDX-License-Identifier: BSD-3-Clause
"""Compiles C++ with models in it (a switch, a part) into a shared object, cached."""

from __future__ import annotations

import os
import platform
import re
import subprocess
from collections.abc import Sequence
from pathlib import Path

from firesim_common.cache import KeyPart, cached
from firesim_common.paths import ROOT
from firesim_common.watch import watched

COMPILER = "g++"
OPTIONS = ("-std=c++20", "-O3", "-march=native", "-fPIC", "-shared")
INCLUDE_FOLDERS = (ROOT / "sim", ROOT / "target-design")
SHARED_OBJECT = "models.so"
_ERROR = re.compile(
    r"^(?P<place>[^:\n]+:\d+(?::\d+)?): (?:fatal )?error: (?P<what>.*)$", re.MULTILINE
)


class CompileError(Exception):
    """A user's C++ file does not compile; `str(error)` is the compiler's first complaint."""


def model_library(source: Path, more: Sequence[Path] = ()) -> Path:
    """Return the shared object made from `source`, compiled if it or a header has changed.

    `more` are other files of it, below its folder.

    Every header that the compiler opens counts, ours too, and so does every place where it looked
    for one before.

    Raises:
        CompileError: it does not compile.
    """
    version = _compiler(source, "--version")
    processor = _compiler(source, "-Q", "--help=target")  # What -march=native stands for.
    options = " ".join(OPTIONS)
    key: list[KeyPart] = [source, source.name, version, options, platform.machine(), processor]
    names = [path.relative_to(source.parent).as_posix() for path in more]
    key += [*more, *names]

    def build(folder: Path) -> None:
        _compiler(source, *names, "-o", str(folder / SHARED_OBJECT))

    places = [source, *more, *INCLUDE_FOLDERS]
    return cached("models", key, build, places=places) / SHARED_OBJECT


def _compiler(source: Path, *words: str) -> str:
    """Run the compiler on `source`, in its folder so that places are short; return its output."""
    folders = [word for folder in INCLUDE_FOLDERS for word in ("-I", str(folder))]
    try:
        done = subprocess.run(
            [COMPILER, *OPTIONS, *folders, source.name, *words],
            cwd=source.parent,
            env=watched({**os.environ, "LC_ALL": "C", "COLUMNS": "80"}),
            text=True,
            errors="replace",
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
        )
    except OSError as error:
        raise CompileError(f"{COMPILER} cannot be started: {error.strerror}") from error
    if done.returncode != 0:
        raise CompileError(_complaint(done.stderr))
    return done.stdout


def _complaint(text: str) -> str:
    """Return the first error with its file and line, and how many more there are."""
    errors = list(_ERROR.finditer(text))
    if not errors:  # The linker's, say.
        lines = [line for line in text.splitlines() if line.strip()]
        return lines[0] if lines else f"{COMPILER} failed"
    first = f"{errors[0]['place']}: {errors[0]['what']}"
    more = len(errors) - 1
    return first if not more else f"{first} (and {more} more)"
