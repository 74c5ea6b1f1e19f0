# SPDX-License-Identifier: BSD-3-Clause
"""Follows a page of the documentation to its last step, as a reader would.

A fenced block whose first line is a comment with a file's name is that file; a block without a
language is typed in a shell; other blocks are only looked at. All go into one script in the order
of the page. It starts in a stand-in for the reader's clone, in which nothing is written that is not
asked for, with an empty home.
"""

from __future__ import annotations

import os
import re
import subprocess
import textwrap
from pathlib import Path

from firesim.build.paths import ROOT, cache_root

_BLOCK = re.compile(r"^(?P<indent> *)```(?P<language>\w*)\n(?P<text>.*?)^ *```$", re.M | re.S)
_FILE = re.compile(r"(?://|#|/\*) (?P<name>[\w./-]+\.\w+)(?: \*/)?\n")
_MARK = "END_OF_THE_FILE_OF_THE_PAGE"
LIMIT_S = 1200


def script_of(page: Path) -> str:
    """Return the files and commands of a page as one shell script."""
    steps = []
    for block in _BLOCK.finditer(page.read_text()):
        text = textwrap.dedent(block["text"])
        named = _FILE.match(text)
        if named:
            steps.append(f"cat > {named['name']} <<'{_MARK}'\n{text}{_MARK}\n")
        elif not block["language"]:
            steps.append(text)
    return "".join(steps)


def _clone(folder: Path) -> Path:
    """Make a folder that is to a reader what a clone is; what is written in it stays in it."""
    clone = folder / "firesim"
    clone.mkdir()
    for entry in ROOT.iterdir():
        if entry.name not in ("build", "results", ".git"):
            (clone / entry.name).symlink_to(entry)
    return clone


def follow(page: str, folder: Path) -> str:
    """Follow `docs/PAGE` in `folder`; return what the reader sees. Results are in folder/results.

    Raises:
        AssertionError: a command of the page failed.
    """
    clone = _clone(folder)
    script = folder / "page.sh"
    script.write_text(f"set -eu\ncd {clone}\n{script_of(ROOT / 'docs' / page)}")
    environment = {
        **os.environ,
        "HOME": str(folder),
        "FIRESIM": str(clone),
        "FIRESIM_CACHE": str(cache_root()),
        "FIRESIM_RESULTS": str(folder / "results"),
        "CCACHE_DIR": os.environ.get("CCACHE_DIR", str(Path.home() / ".cache/ccache")),
        "COLUMNS": "100",
    }
    done = subprocess.run(
        ["bash", script],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=LIMIT_S,
    )
    assert done.returncode == 0, f"{page}:\n{done.stdout}\n{done.stderr}"
    return done.stdout
