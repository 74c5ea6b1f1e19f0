# SPDX-License-Identifier: BSD-3-Clause
"""Every file and folder of the repository that a page, comment or docstring names is there."""

from __future__ import annotations

import ast
import io
import re
import subprocess
import tokenize
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import PurePath

from firesim_common.paths import ROOT

READ = set(".py .md .cc .h .c .inc .S .scala .sbt .sv .v .yaml .j2 .js .css .tcl .sh".split())
TOPS = "common|deploy|docs|platforms|regression|scripts|shared|sim|simulator|sw|target-design"
FROM_THE_TOP = re.compile(rf"(?<![\w/.~$}}\-])(?:{TOPS})/[\w./*{{}},\-]*[\w*/}}]")
PROGRAM = re.compile(r"(?<![\w/.*~$}\-])(?:[\w\-]+/)*[\w\-]+\.(?:md|py)\b")
PLACEHOLDER = re.compile(r"(^|[/_])[A-Z]{3,}\b")
"""A word of capitals stands for a name: `regression/ROOM/NAME.py`."""
COMMENT = re.compile(r"(?<!:)//.*|^\s*\*.*|/\*.*|(?:^|\s)#\s.*")
ELSEWHERE = {
    "aws_build_dcp_from_cl.py",  # of AWS's kit
    "deploy/workloads/bare-base.json",  # of FireSim 1, as are the next two
    "firesim/deploy/config_runtime.yaml",
    "user_topology.py",
    "sw/firesim-software/workloads/linux-count/",  # made in a how-to
    "targets/lambdaconcept_ecpix5.py",  # of litex-boards
    "letters.py",  # made in a how-to, as is the next one
    "program.py",
}
"""What is not ours, or is made by the reader."""


def listed() -> list[str]:
    """Return the names of all files of the repository."""
    command = ["git", "-C", str(ROOT), "ls-files", "-co", "--exclude-standard"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return [name for name in done.stdout.splitlines() if (ROOT / name).is_file()]


def known_names(files: list[str]) -> set[str]:
    """Return every way to name a file or a folder: its path, from any folder above it on."""
    paths = {*files, *(str(folder) for name in files for folder in PurePath(name).parents)}
    parts = (PurePath(path).parts for path in paths)
    return {"/".join(path[at:]) for path in parts for at in range(len(path))}


def prose(name: str, text: str) -> Iterator[tuple[int, str]]:
    """Yield lines of a page, or of the comments and docstrings of a program, with their numbers."""
    if name.endswith(".md"):
        yield from enumerate(text.splitlines(), 1)
    elif name.endswith(".py"):
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.COMMENT:
                yield token.start[0], token.string
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
                yield from enumerate(str(node.value.value).splitlines(), node.lineno)
    else:
        for number, line in enumerate(text.splitlines(), 1):
            if found := COMMENT.search(line):
                yield number, found[0]


def is_there(path: str, known: set[str]) -> bool:
    """Return whether a path names something; `{a,b}` stands for both, `*` for any name."""
    if choice := re.search(r"\{([^}]*)\}", path):
        choices = (path.replace(choice[0], word) for word in choice[1].split(","))
        return all(is_there(one, known) for one in choices)
    if "*" in path:
        return any(fnmatch(name, path) for name in known)
    return path.rstrip("/") in known


def dangling(name: str, text: str, known: set[str]) -> list[str]:
    """Return each path in the prose of a file that leads nowhere, with its place."""
    return [
        f"{name}:{number}: {path}"
        for number, line in prose(name, text)
        for path in dict.fromkeys(FROM_THE_TOP.findall(line) + PROGRAM.findall(line))
        if not any(path.startswith(other) for other in ELSEWHERE)
        if not PLACEHOLDER.search(path) and not is_there(path, known)
    ]


def test_named_files_are_there() -> None:
    files = listed()
    known = known_names(files)
    ours = (name for name in files if PurePath(name).suffix in READ and name != "CHANGELOG.md")
    texts = ((name, (ROOT / name).read_text(encoding="utf-8")) for name in ours)
    here = "deploy/tests/test_named_paths.py"
    found = [fault for name, text in texts if name != here for fault in dangling(name, text, known)]
    assert found == []


def test_a_dangling_path_is_found() -> None:
    known = known_names(["sim/core/link.h", "docs/reference/one.md", "deploy/firesim/run/go.py"])
    page = "See `sim/core/link.h`, sim/core/none.h, `reference/one.md`, two.md and `run/go.py`.\n"
    assert dangling("a.md", page, known) == ["a.md:1: sim/core/none.h", "a.md:1: two.md"]
    python = '"""As gone.py says."""\npath = "sim/none"  # of sim/{core,nope}/link.h\n'
    assert dangling("a.py", python, known) == ["a.py:2: sim/{core,nope}/link.h", "a.py:1: gone.py"]
    cpp = "int a;  // docs/reference/o*.md, docs/explanation/o*.md\n"
    assert dangling("a.cc", cpp, known) == ["a.cc:1: docs/explanation/o*.md"]
    assert dangling("a.md", "sim/NAME/link.h, https://x.org/sim/none, ~/deploy/none", known) == []


def test_what_is_elsewhere_is_named() -> None:
    files = (name for name in listed() if PurePath(name).suffix in READ)
    text = "".join((ROOT / name).read_text(encoding="utf-8") for name in files)
    assert [path for path in ELSEWHERE if text.count(path) < 2] == []
