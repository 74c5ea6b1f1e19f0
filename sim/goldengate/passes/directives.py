# SPDX-License-Identifier: BSD-3-Clause
"""Which text of a Verilog file its preprocessor directives leave, at equal places.

Directives, comments, strings and everything that `ifdef` or `translate_off` switches off become
blanks, so that a place in the result is the same place in the file. Macros are not expanded.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from pathlib import Path

_MARK = re.compile(
    r"""(?P<comment>//[^\n]*|/\*.*?\*/)|(?P<string>"(?:\\.|[^"\\\n])*")
    |`(?P<word>ifdef|ifndef|elsif|else|endif|undefineall|undef|define|include)\b""",
    re.DOTALL | re.VERBOSE,
)
_DEFINITION = re.compile(r"(?:[^\n\\]|\\.)*", re.DOTALL)
"""The rest of a line, with those that a backslash continues it by."""
_NAMED = ("ifdef", "ifndef", "elsif", "define", "undef")
_NAME = re.compile(r"\s*\\?([A-Za-z_][\w$]*)")
_FILE = re.compile(r'\s*(?:"([^"\n]*)"|<([^>\n]*)>)')
_OFF = re.compile(r"\b(?:pragma|synopsys|synthesis|xilinx)\s+(translate|synthesis)_(off|on)\b")

_HIDDEN = re.compile(
    r"\b(?:pragma|synopsys|synthesis|xilinx)\s+(translate|synthesis)_off\b[^\n]*"
    r"(?P<hidden>.*?)//[^\n]*\b\1_on\b",
    re.DOTALL,
)
_INSTANCE = re.compile(r"\s*(\w+)\s+(?:#\s*\(.*?\)\s*)?(\w+)\s*\(", re.DOTALL)


def _blank(text: str) -> str:
    return "\n".join(" " * len(line) for line in text.split("\n"))


class Preprocessor:
    """Reads files in order, as one compilation unit: a macro is known to the files after it."""

    def __init__(self, defined: Iterable[str], folders: Sequence[str]) -> None:
        self.defined = set(defined)
        self.folders = [Path(folder) for folder in folders]
        self.texts: dict[str, str] = {}
        """What is left of each file that was read, by its real path."""
        self._reading: list[str] = []

    def read(self, path: Path) -> None:
        """Read a file and those that it includes."""
        key = os.path.realpath(path)
        if key in self._reading:
            return
        self._reading.append(key)
        self.texts[key] = self._left(path.read_text(errors="replace"), path.parent)
        self._reading.pop()

    def _left(self, text: str, folder: Path) -> str:
        pieces: list[str] = []
        conditions: list[tuple[bool, bool]] = []
        """Of each open `ifdef`: whether its branch counts, and whether an earlier one did."""
        done, hidden = 0, ""
        for mark in _MARK.finditer(text):
            if mark.start() < done:
                continue
            counts = not hidden and all(branch for branch, _ in conditions)
            pieces.append(
                text[done : mark.start()] if counts else _blank(text[done : mark.start()])
            )
            end = mark.end()
            if mark["comment"]:
                if switch := _OFF.search(mark["comment"]):
                    if switch[2] == "off":
                        hidden = hidden or switch[1]
                    elif hidden == switch[1]:
                        hidden = ""
            elif mark["word"] and not hidden:
                end = self._obey(mark["word"], text, end, conditions, folder)
            pieces.append(_blank(text[mark.start() : end]))
            done = end
        return "".join(pieces) + text[done:]

    def _obey(
        self, word: str, text: str, at: int, conditions: list[tuple[bool, bool]], folder: Path
    ) -> int:
        """Follow a directive whose word ends at text[at]; return where the directive ends."""
        counts = all(branch for branch, _ in conditions)
        if word == "undefineall" and counts:
            self.defined.clear()
        elif word == "include":
            return self._include(text, at, folder, counts)
        elif word == "else" and conditions:
            conditions.append((not conditions.pop()[1], True))
        elif word == "endif" and conditions:
            conditions.pop()
        name = _NAME.match(text, at) if word in _NAMED else None
        if name is None:
            return at
        if word in ("define", "undef"):
            return self._define(word, name, counts)
        self._condition(word, name[1] in self.defined, conditions)
        return name.end()

    def _condition(self, word: str, known: bool, conditions: list[tuple[bool, bool]]) -> None:
        if word == "elsif":
            taken = conditions.pop()[1] if conditions else True
            conditions.append((known and not taken, taken or known))
        else:
            branch = known == (word == "ifdef")
            conditions.append((branch, branch))

    def _define(self, word: str, name: re.Match[str], counts: bool) -> int:
        """Note a macro; return where its text ends."""
        if counts and word == "define":
            self.defined.add(name[1])
        elif counts:
            self.defined.discard(name[1])
        rest = _DEFINITION.match(name.string, name.end()) if word == "define" else None
        return rest.end() if rest else name.end()

    def _include(self, text: str, at: int, folder: Path, counts: bool) -> int:
        """Read an included file; return where its name ends."""
        file = _FILE.match(text, at)
        if file is None:
            return at
        found = [one / (file[1] or file[2]) for one in (folder, *self.folders)]
        existing = next((one for one in found if one.is_file()), None)
        if counts and existing:
            self.read(existing)
        return file.end()


def hidden_driver(text: str, name: str) -> str | None:
    """Return what `translate_off` hides in a file that has to do with a name, and its line."""
    for region in _HIDDEN.finditer(text):
        for statement in re.finditer(r"[^;]+;", region["hidden"]):
            if not re.search(rf"(?<![\w$]){re.escape(name)}(?![\w$])", statement[0]):
                continue
            begin = statement.start() + len(statement[0]) - len(statement[0].lstrip())
            line = text.count("\n", 0, region.start("hidden") + begin) + 1
            instance = _INSTANCE.match(statement[0])
            what = f"'{instance[2]}' of module '{instance[1]}'" if instance else "a statement"
            return f"{what} in line {line}"
    return None


def active(files: Sequence[Path], defined: Iterable[str], folders: Sequence[str]) -> dict[str, str]:
    """Return what the directives leave of each file and of those included, by real path."""
    unit = Preprocessor(defined, folders)
    for file in files:
        unit.read(file)
    return unit.texts
