# SPDX-License-Identifier: BSD-3-Clause
"""Runs a page of the docs to its last step: writes its files, runs its commands, compares output.

A fenced block whose first line is a comment with nothing but a file name (`// spreading.cc`,
`# spreading.yaml`), or that has one behind its language (`json run.json`), is that file. A block of
language `sh` is run by bash, `python` by this checkout's Python, in the folder with the files. A
block of language `text` right after it must be found in its output: its lines in their order,
others may stand between; `…` in a line stands for anything. `sh not-run=KEY` is not run, for the
reason that `NOT_RUN` gives, and `sh needs=PROGRAM` only where that is installed (`root`: in a
network of its own). A block without a language shows something; commands of FireSim stand in no
such block. Others are left alone.

How commands are typed, and what their comments mean, is said in `shell_session`.
"""

from __future__ import annotations

import re
import shlex
import shutil
import sys
import textwrap
from dataclasses import dataclass
from pathlib import Path

from firesim_common.paths import ROOT

from regression.support.shell_session import CommandError, ShellSession, why_no_namespace

HOW_TO = ROOT / "docs/how-to"
_FENCE = re.compile(
    r"^ *```(?P<language>\w*) *(?P<info>[^\n]*)\n(?P<text>.*?)^ *```[ ]*$", re.MULTILINE | re.DOTALL
)
_FILE_NAME = re.compile(r"^(?://|#|;|--)\s*(?P<name>[\w./-]+\.\w+)\s*$")
_ANYTHING = "…"
_COMMAND = re.compile(r"^(\./)?firesim\s", re.MULTILINE)
ROOT_RIGHTS = "root"
"""Needed by what changes the network of this computer: it gets one of its own."""
_LANGUAGES_RUN = ("sh", "python")
NOT_RUN = {
    "afi": "needs an account of AWS with FPGA images; deploy/tests run these against moto",
    "board": "needs an FPGA board, and routes; the rest of its page runs on a simulated one",
    "endless": "runs until Ctrl-C; the how-to run-on-a-board.md runs it",
    "ec2": "needs an account of AWS; runfarm-ec2 runs these commands against moto",
    "slurm": "needs a Slurm cluster; runfarm-slurm runs these commands on one of its own",
    "ssh": "needs several hosts; runfarm-ssh runs these commands on its test bed",
    "routing": "places and routes for minutes, with tools that set-up does not install",
    "s3": "needs a bucket; deploy/tests run these commands against moto",
    "prometheus": "needs a free port of a given number",
    "experiment": "is an experiment of its own, which CI runs",
    "incumbent": "needs files of FireSim 1.x; deploy/tests import some with the same keys",
    "kernel": "builds a kernel for minutes; experiments with --with-kernel run such nodes",
    "installed": "what CI does before it runs this",
    "long": "takes half an hour of processor time when its results are not in the cache",
    "terminal": "needs QEMU's console on a terminal",
    "viewer": "needs a wave viewer and a screen",
}
"""Why a block is not run, by the key in its first line."""


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
    not_run: str | None = None
    """Why it is not run, if it is not."""


@dataclass(frozen=True)
class Ran:
    """A block of commands that was run."""

    block: Block
    output: str
    """What it wrote, errors included."""


def blocks(page: Path, given: str = "") -> list[Block]:
    """Return the fenced blocks of a page; those that say `not-run=GIVEN` are run.

    Raises:
        PageError: one is not run and does not say why, or not in words known here.
    """
    text = page.read_text(encoding="utf-8")
    found = []
    for match in _FENCE.finditer(text):
        body = textwrap.dedent(match["text"])
        line = text.count("\n", 0, match.start("text")) + 1
        if not match["language"] and _COMMAND.search(body):
            raise PageError(
                f"{page}:{line}: found commands in a block without a language, expected sh."
            )
        key = match["info"].partition("not-run=")[2].strip()
        if key and key not in NOT_RUN:
            known = ", ".join(NOT_RUN)
            raise PageError(f"{page}:{line}: found not-run={key}, expected one of {known}.")
        lacks = "" if key == given else key
        reason = NOT_RUN.get(lacks) or _lacking(match["info"].partition("needs=")[2].strip())
        if reason:
            found.append(Block(line, match["language"], body, None, reason))
            continue
        name = _FILE_NAME.match(f"# {match['info']}") or _FILE_NAME.match(body.partition("\n")[0])
        found.append(Block(line, match["language"], body, name["name"] if name else None))
    return found


def _lacking(program: str) -> str | None:
    if program == ROOT_RIGHTS:
        return why_no_namespace()
    if not program or shutil.which(program) is not None:
        return None
    return f"needs {program}, which is not installed"


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


def run_page(
    page: Path,
    folder: Path,
    limit_s: float = 900,
    transcript: Path | None = None,
    given: str = "",
) -> list[Ran]:
    """Do in `folder` what the page says, from its first block to its last.

    What is typed and answered is also written to `transcript`. Blocks that say `not-run=GIVEN` are
    run: the caller has set up what they need.

    Raises:
        PageError: a command failed or did not print what the page shows.
    """
    done: list[Ran] = []
    every = blocks(page, given)
    at = page.name
    try:
        with ShellSession(folder, limit_s, _changes_network(page), transcript) as session:
            for block, following in zip(every, [*every[1:], None], strict=True):
                at = f"{page}:{block.line}"
                if block.not_run is not None:
                    continue
                if block.file is not None:
                    path = session.present / block.file
                    path.parent.mkdir(parents=True, exist_ok=True)
                    path.write_text(block.text, encoding="utf-8")
                elif block.language in _LANGUAGES_RUN:
                    done.append(_run(page, block, following, session))
    except CommandError as error:
        raise PageError(f"{at}: {error}") from error
    if not any(block.language == "sh" for block in every):
        raise PageError(f"{page}: found no commands, expected blocks of language sh.")
    return done


def _changes_network(page: Path) -> bool:
    return f"needs={ROOT_RIGHTS}" in page.read_text() and why_no_namespace() is None


def _run(page: Path, block: Block, following: Block | None, session: ShellSession) -> Ran:
    text = block.text
    if block.language == "python":
        text = f"{shlex.quote(sys.executable)} -P -c {shlex.quote(text)}"
    output = session.run(text)
    shown = following.text if following and following.language == "text" else ""
    if (missing := missing_line(shown, output)) is not None:
        raise PageError(f"{page}:{block.line}: found no line {missing!r} in the output:\n{output}")
    return Ran(block, output)
