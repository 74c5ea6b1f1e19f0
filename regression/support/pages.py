# SPDX-License-Identifier: BSD-3-Clause
"""Runs a how-to page to its last step: writes its files, runs its commands, compares their output.

A fenced block whose first line is a comment with nothing but a file name (`// spreading.cc`,
`# spreading.yaml`), or that has one behind its language (`json run.json`), is that file. A block of
language `sh` is run by bash, in the folder with the files. A block of language `text` right after
it must be found in its output: its lines in their order, others may stand between; `…` in a line
stands for anything. Other blocks are left alone.

In commands `firesim` is the launcher of this checkout, and $FIRESIM its folder.
"""

from __future__ import annotations

import os
import re
import subprocess
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from firesim_common.paths import ROOT

HOW_TO = ROOT / "docs/how-to"
_FENCE = re.compile(
    r"^ *```(?P<language>\w*) *(?P<info>[^\n]*)\n(?P<text>.*?)^ *```[ ]*$", re.MULTILINE | re.DOTALL
)
_FILE_NAME = re.compile(r"^(?://|#|;|--)\s*(?P<name>[\w./-]+\.\w+)\s*$")
_ANYTHING = "…"


class PageError(AssertionError):
    """A page does not do what it says; the message names page, line and what happened."""


@dataclass(frozen=True)
class Block:
    """A fenced block of a page."""

    line: int
    """Line of the page on which its text begins."""
    language: str
    text: str
    file: str | None
    """The name of the file it is, if it is one."""


@dataclass(frozen=True)
class Ran:
    """A block of commands that was run."""

    block: Block
    output: str
    """What it wrote, errors included."""


def blocks(page: Path) -> list[Block]:
    """Return the fenced blocks of a page."""
    text = page.read_text(encoding="utf-8")
    found = []
    for match in _FENCE.finditer(text):
        body = textwrap.dedent(match["text"])
        name = _FILE_NAME.match(f"# {match['info']}") or _FILE_NAME.match(body.partition("\n")[0])
        line = text.count("\n", 0, match.start("text")) + 1
        found.append(Block(line, match["language"], body, name["name"] if name else None))
    return found


def page_file(page: Path, name: str) -> str:
    """Return the content of a file of a page.

    Raises:
        KeyError: the page has no such file.
    """
    for block in blocks(page):
        if block.file == name:
            return block.text
    raise KeyError(f"{page}: {name}")


def missing_line(expected: str, output: str) -> str | None:
    """Return the first line of `expected` that `output` does not have in its turn."""
    lines = iter(output.splitlines())
    for wanted in expected.splitlines():
        parts = [re.escape(part) for part in wanted.strip().split(_ANYTHING)]
        pattern = re.compile(".*".join(parts))
        if not any(pattern.fullmatch(line.strip()) for line in lines):
            return wanted
    return None


def run_page(page: Path, folder: Path, limit_s: float = 900) -> list[Ran]:
    """Do in `folder` what the page says, from its first block to its last.

    Raises:
        PageError: a command failed or did not print what the page shows.
    """
    done: list[Ran] = []
    every = blocks(page)
    for block, following in zip(every, [*every[1:], None], strict=True):
        if block.file is not None:
            path = folder / block.file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(block.text, encoding="utf-8")
        elif block.language == "sh":
            output = _run(page, block, folder, limit_s)
            done.append(Ran(block, output))
            shown = following.text if following and following.language == "text" else ""
            if (missing := missing_line(shown, output)) is not None:
                raise PageError(
                    f"{page}:{block.line}: found no line {missing!r} in the output:\n{output}"
                )
    if not done:
        raise PageError(f"{page}: found no commands, expected blocks of language sh.")
    return done


def _run(page: Path, block: Block, folder: Path, limit_s: float) -> str:
    words: Sequence[str] = ["bash", "-euo", "pipefail", "-c", block.text]
    environment = {
        **os.environ,
        "FIRESIM": str(ROOT),
        "PATH": f"{ROOT}{os.pathsep}{os.environ.get('PATH', '')}",
        "FIRESIM_RESULTS": str(folder / "results"),
        "COLUMNS": "200",
    }
    try:
        ended = subprocess.run(
            words,
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            check=False,
            timeout=limit_s,
        )
    except subprocess.TimeoutExpired as error:
        raise PageError(f"{page}:{block.line}: found no end after {limit_s:g} s.") from error
    if ended.returncode != 0:
        raise PageError(
            f"{page}:{block.line}: found exit status {ended.returncode}, expected 0:\n"
            f"{ended.stdout}"
        )
    return ended.stdout
