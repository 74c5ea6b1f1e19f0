# SPDX-License-Identifier: BSD-3-Clause
"""Pages, docstrings, help texts and messages are without idioms that a reader would read twice.

Examples of plainer sentences are beside each idiom. Comments in C++ and Scala are not looked at.
"""

from __future__ import annotations

import ast
import re
import subprocess
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from firesim_common.paths import ROOT

IDIOMS = {
    r"whoever|whomever": '"anyone who", or the name of who it is',
    r"anew|afresh": "again",
    r"in turns": "alternately",
    r"but for": "except for",
    r"of the user's own(?! \w)|of the user's(?! \w)": "a user's",
    r"so many": '"the number of", or the name of the number',
    r"expected one of both": '"X cannot be combined with Y: why. Remove one."',
    r"such a one|such ones": "the name of the thing",
    r"of whom|those who": '"who", in a sentence that begins with the person',
    r"upon|shall|hitherto|thereof|therein|whereof|wherein|hereby|thereby": "an everyday word",
    r"as ever": '"as before", or as what',
    r"sections? \d+": "the page that is meant, by a link or its path",
}
"""What no text says, and what it says instead."""
BEGINNINGS = {
    r"\| Of (?!course)": "the thing that a key or an option is",
    r"(?:^|[.;] )Who (?!calls it)\w+ \w+[^?]*\.": '"Anyone who", or the person',
}
"""How no sentence of a page begins."""
IN_KEYS = {
    "sw/firesim-software/linux/agent/README.md": 2,
    "sw/firesim-software/linux/drivers/README.md": 1,
}
"""Idioms of files that the kernel has in its key in the cache: mended when it is built again for
another reason. This table only ever becomes shorter."""
STRING = re.compile(r'"((?:[^"\\]|\\.)*)"')


def files() -> list[str]:
    """Return the names of all files of the repository except tests."""
    command = ["git", "-C", str(ROOT), "ls-files", "-co", "--exclude-standard"]
    listed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return [name for name in listed.splitlines() if "/tests/" not in name]


def texts(name: str, content: str) -> Iterator[tuple[int, str]]:
    """Yield what a file says to its reader, line by line, with the number of each line."""
    lines = content.splitlines()
    if name.endswith(".md"):
        yield from enumerate(lines, 1)
    elif name.endswith(".py"):
        for node in ast.walk(ast.parse(content)):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield from enumerate(node.value.splitlines(), node.lineno)
    elif name.endswith(".yaml"):
        yield from ((n, line.partition("#")[0]) for n, line in enumerate(lines, 1))
    elif name.endswith((".cc", ".h")):
        for number, line in enumerate(lines, 1):
            if not re.match(r"\s*(//|#|\*)", line):
                yield from ((number, text) for text in STRING.findall(line))


def faults(name: str, content: str) -> list[str]:
    """Return each idiom in a file: place, the line and what it should say."""
    banned = IDIOMS | (BEGINNINGS if name.endswith(".md") else {})
    return [
        f'{name}:{number}: "{line.strip()}", expected {instead}'
        for number, line in texts(name, content)
        for idiom, instead in banned.items()
        if re.search(idiom if idiom in BEGINNINGS else rf"\b(?:{idiom})\b", line, _flags(idiom))
    ]


def _flags(idiom: str) -> re.RegexFlag:
    return re.NOFLAG if idiom in BEGINNINGS else re.IGNORECASE


def test_no_text_has_an_idiom() -> None:
    found = [
        fault
        for name in files()
        if name.endswith((".md", ".py", ".yaml", ".cc", ".h"))
        for fault in faults(name, (ROOT / name).read_text(encoding="utf-8"))
    ]
    known = Counter(fault.partition(":")[0] for fault in found)
    assert [fault for fault in found if fault.partition(":")[0] not in IN_KEYS] == []
    assert {name: known[name] for name in IN_KEYS} == IN_KEYS


def test_idioms_are_found() -> None:
    page = "It is made Anew.\n| `--seed` | Of a run: its seed. |\nWho has none gets one.\n"
    assert [fault.split(", expected ")[0] for fault in faults("a.md", page)] == [
        'a.md:1: "It is made Anew."',
        'a.md:2: "| `--seed` | Of a run: its seed. |"',
        'a.md:3: "Who has none gets one."',
    ]
    python = (
        'def f():\n    """Say it.\n\n    In so many words.\n    """\n    # anew, in a comment\n'
    )
    assert faults("a.py", python) == [
        'a.py:4: "In so many words.", expected "the number of", or the name of the number'
    ]
    cpp = '// in turns\nfail("see interfaces.md, section 5");\n'
    assert faults("a.cc", cpp) == [
        'a.cc:2: "see interfaces.md, section 5", expected the page that is meant, by a link or its '
        "path"
    ]
    assert faults("a.yaml", "meaning: bytes of whoever reads  # anew\n") == [
        'a.yaml:1: "meaning: bytes of whoever reads", expected "anyone who", or the name of who it '
        "is"
    ]
    plain = "Read the user's own files, or one of the user's bridges; who asks? Who is it?"
    assert faults("b.md", plain) == []
    assert faults("c.md", "a blade of the user's own\n") and faults("d.md", "one of the user's.\n")


def test_what_is_looked_at_is_there() -> None:
    names: Counter[str] = Counter(Path(name).suffix for name in files())
    assert all(names[suffix] > 20 for suffix in (".md", ".py", ".yaml", ".cc", ".h"))


def dates(page: str) -> list[str]:
    """Return the days that a page names, except those in names of folders and in times."""
    return re.findall(r"(?<![/\d])\b20\d\d-\d\d-\d\d\b(?![-T])", page)


def test_reference_pages_are_no_diaries() -> None:
    pages = sorted((ROOT / "docs/reference").rglob("*.md"))
    dated = [page.name for page in pages if dates(page.read_text(encoding="utf-8"))]
    assert dated == [], "what was measured, and when, is in docs/measurements"
    assert len(pages) > 15


def test_a_date_is_found() -> None:
    page = (
        "It took 3 s (2026-11-24). `built: 2026-11-23T14:00:00Z`, results/2026-01-31-12-00-00-x\n"
    )
    assert dates(page) == ["2026-11-24"]
