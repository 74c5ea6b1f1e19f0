# SPDX-License-Identifier: BSD-3-Clause
"""The syntax trees of a design, its elaboration, and changes of its text that keep line numbers.

Everything is found in the tree, so behind macros and included files, and changed in the text: a
change that touches what a macro gives replaces the whole use of that macro by its expansion.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import pyslang.driver
import pyslang.parsing
import pyslang.syntax

from goldengate.errors import GoldenGateError
from goldengate.state import Request

Token = Any
Node = Any
TRANSLATE_OFF = ("pragma", "synopsys", "synthesis")
"""What the reader takes before `translate_off`, too."""
_INCLUDE = re.compile(rb'`include\s*(?:"[^"\n]*"|<[^>\n]*>|`\w+)')


def is_token(node: Node) -> bool:
    """Return whether this leaf of the tree is a token."""
    return isinstance(node, pyslang.parsing.Token)


def tokens(node: Node) -> Iterator[Token]:
    """Yield the tokens of a node that are in the text, in order."""
    if is_token(node):
        if node.rawText and not node.isMissing:
            yield node
        return
    for child in node:
        if child is not None:
            yield from tokens(child)


def text(node: Node) -> str:
    """Return the text of a node with its macros expanded, on one line."""
    return " ".join(token.rawText.replace("\\\n", "") for token in tokens(node))


def short(node: Node) -> str:
    """Return the text of a node as a message shows it."""
    shown = text(node)
    return shown if len(shown) <= 60 else shown[:57] + "..."


def kind(node: Node) -> str:
    """Return the name of a node's kind."""
    return str(node.kind).rpartition(".")[2]


def key(location: Any) -> tuple[int, int]:
    """Return what tells two places apart, each expansion of a macro having its own."""
    return hash(location.buffer), int(location.offset)


@dataclass
class Edit:
    """A range of a file's bytes and its new text."""

    start: int
    end: int
    text: str


@dataclass
class _Member:
    """The tokens of a member of a file, and the range of the text that each is from."""

    tokens: list[Token]
    spans: list[tuple[Any, int, int]]
    index: dict[tuple[int, int], int] = field(default_factory=dict)


class Source:
    """The files of a request, read by slang as the reader reads them.

    `names` says, by its real path, how the user calls a file; `more` are options of the reader.
    """

    def __init__(
        self, request: Request, names: Mapping[str, str], more: Sequence[str] = ()
    ) -> None:
        self._names = names
        self._driver = pyslang.driver.Driver()
        self._driver.addStandardArgs()
        words = ["slang", "--single-unit", "--ignore-unknown-modules", "--top", request.top]
        words += ["--allow-use-before-declare", "--relax-enum-conversions", "--error-limit=0"]
        words += ["--allow-dup-initial-drivers", *more]
        words += ["-DSYNTHESIS"] if request.synthesis else []
        for word in TRANSLATE_OFF:
            words.append(f"--translate-off-format={word},translate_off,translate_on")
        named = [names.get(os.path.realpath(file), file) for file in request.sources]
        folders = [*request.include_dirs, *dict.fromkeys(_folder(file) for file in named)]
        words += [f"-I{folder}" for folder in folders]
        for name, value in request.defines.items():
            words.append(f"-D{name}" if value is None else f"-D{name}={value}")
        words += [f"-G{name}={value}" for name, value in request.parameters.items()]
        command = " ".join(_quoted(word) for word in [*words, *request.sources])
        driver = self._driver
        self.read = driver.parseCommandLine(command) and driver.processOptions()
        self.read = self.read and driver.parseAllSources()
        self.manager = driver.sourceManager
        self.edits: dict[Any, list[Edit]] = {}
        self._members: dict[tuple[int, int], _Member] = {}

    def members(self) -> Iterator[Node]:
        """Yield the members of all files: modules, packages, and what stands beside them."""
        for tree in self._driver.syntaxTrees if self.read else ():
            root = tree.root
            yield from root.members if kind(root) == "CompilationUnit" else [root]

    @cached_property
    def design(self) -> Any:
        """The elaborated design."""
        return self._driver.createCompilation()

    def outermost(self, location: Any) -> tuple[Any, int, int | None]:
        """Return (buffer, start, end) of a place in a file; end of a macro's use, else None."""
        end = None
        while self.manager.isMacroLoc(location):
            used = self.manager.getExpansionRange(location)
            location, end = used.start, int(used.end.offset)
        return location.buffer, int(location.offset), end

    def place(self, node: Node) -> str:
        """Return `file:line` of a node."""
        file, line = self.written(next(tokens(node)))
        return f"{file}:{line}"

    def written(self, token: Token) -> tuple[str, int]:
        """Return the file, as the user has it, and the line in which a token was written.

        Where the text has been put elsewhere, `line says it.
        """
        location = self.manager.getFullyExpandedLoc(token.location)
        file = os.path.realpath(self.manager.getFileName(location))
        return self._names.get(file, file), int(self.manager.getLineNumber(location))

    def _file(self, buffer: Any) -> Path:
        return Path(str(self.manager.getFullPath(buffer)))

    def path(self, buffer: Any) -> str:
        """Return the path of a file, as the user has it."""
        path = str(self.manager.getFullPath(buffer))
        return self._names.get(os.path.realpath(path), path)

    def _span(self, token: Token) -> tuple[Any, int, int]:
        buffer, start, end = self.outermost(token.location)
        size = len(token.rawText.encode("utf-8", "surrogateescape"))
        return buffer, start, start + size if end is None else end

    def _member(self, node: Node) -> _Member:
        while node.parent is not None and kind(node.parent) != "CompilationUnit":
            node = node.parent
        place = key(node.sourceRange.start)
        if place not in self._members:
            found = list(tokens(node))
            member = _Member(found, [self._span(token) for token in found])
            member.index = {key(token.location): number for number, token in enumerate(found)}
            self._members[place] = member
        return self._members[place]

    def replace(self, changes: list[tuple[Node, str]]) -> None:
        """Note the new texts of nodes, none within another."""
        regions: dict[tuple[int, int, int], list[tuple[int, int, str]]] = {}
        for node, new in changes:
            first_token, last_token = node.getFirstToken(), node.getLastToken()
            ends = [self.outermost(each.location) for each in (first_token, last_token)]
            if all(end is None for _, _, end in ends) and hash(ends[0][0]) == hash(ends[1][0]):
                size = len(last_token.rawText.encode("utf-8", "surrogateescape"))
                edit = Edit(ends[0][1], ends[1][1] + size, new)
                self.edits.setdefault(ends[0][0], []).append(edit)
                continue
            member = self._member(node)
            inside = list(tokens(node))
            first = member.index[key(inside[0].location)]
            last = member.index[key(inside[-1].location)]
            low = self._same_use(member, first, -1)
            high = self._same_use(member, last, 1)
            regions.setdefault((id(member), low, high), []).append((first, last, new))
        members = {id(member): member for member in self._members.values()}
        for member, low, high, parts in _joined(regions, members):
            self._edit(member, low, high, sorted(parts))

    def insert(self, token: Token, new: str) -> None:
        """Note a text to be put before a token that no macro gives."""
        buffer, start, end = self.outermost(token.location)
        if end is not None:
            file, line = self.written(token)
            raise GoldenGateError(
                f"{file}:{line}: found {token.rawText} in a macro, expected it in the text, since "
                f"a module is bound in."
            )
        self.edits.setdefault(buffer, []).append(Edit(start, start, new))

    def _same_use(self, member: _Member, at: int, step: int) -> int:
        span = member.spans[at]
        while 0 <= at + step < len(member.spans) and member.spans[at + step] == span:
            at += step
        return at

    def _edit(
        self, member: _Member, low: int, high: int, parts: list[tuple[int, int, str]]
    ) -> None:
        buffer, start, _ = member.spans[low]
        other, _, end = member.spans[high]
        if hash(buffer) != hash(other):
            raise GoldenGateError(
                f"{self.path(buffer)}: a statement begins in this file and ends in "
                f"{self.path(other)}; expected it in one file."
            )
        words: list[str] = []
        at = low
        for first, last, new in parts:
            words += [token.rawText for token in member.tokens[at:first]]
            words.append(new)
            at = last + 1
        words += [token.rawText for token in member.tokens[at : high + 1]]
        self.edits.setdefault(buffer, []).append(Edit(start, end, " ".join(words)))

    def write(self, folder: Path) -> list[tuple[Path, Path]]:
        """Write the changed files; return the original path and the copy of each.

        A changed file that another one includes is a copy for this inclusion, which a changed copy
        of the other names.
        """
        buffers = [buffer for buffer in self.manager.getAllBuffers() if self._is_file(buffer)]
        parents = {hash(b): self.manager.getIncludedFrom(b) for b in buffers}
        changed = {hash(buffer) for buffer in self.edits}
        known = {hash(buffer): buffer for buffer in buffers}
        for number in list(changed):
            while (parent := parents[number]).buffer.id != 0:  # Up to a file of the user's list.
                number = hash(parent.buffer)
                changed.add(number)
        copies = {
            number: folder / str(at) / self._file(known[number]).name
            for at, number in enumerate(sorted(changed))
        }
        edits = {hash(buffer): list(found) for buffer, found in self.edits.items()}
        for number, buffer in known.items():
            parent = hash(parents[number].buffer)
            if parent in changed:
                target = copies.get(number, self._file(buffer))
                edits.setdefault(parent, []).append(
                    self._include(known[parent], parents[number], target)
                )
        written = []
        for number, copy in copies.items():
            original = self._file(known[number])
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_bytes(_applied(original.read_bytes(), edits.get(number, [])))
            written.append((original, copy))
        return written

    def _is_file(self, buffer: Any) -> bool:
        return self._file(buffer).is_file()

    def _include(self, buffer: Any, location: Any, target: Path) -> Edit:
        raw = self._file(buffer).read_bytes()
        start = raw.rfind(b"`include", 0, int(location.offset) + len(b"`include"))
        found = _INCLUDE.match(raw, start)
        if found is None:
            raise GoldenGateError(f"{self.path(buffer)}: found an `include without a file's name.")
        return Edit(start, found.end(), f'`include "{target}"')


def _folder(file: str) -> str:
    return os.path.dirname(file) or "."  # noqa: PTH120 (as it was given)


def _quoted(word: str) -> str:
    return '"' + word.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _joined(
    regions: dict[tuple[int, int, int], list[tuple[int, int, str]]], members: dict[int, _Member]
) -> Iterator[tuple[_Member, int, int, list[tuple[int, int, str]]]]:
    """Yield the ranges of tokens to be replaced, those joined that share the use of a macro."""
    open_range: tuple[int, int, int] | None = None
    parts: list[tuple[int, int, str]] = []
    for region in sorted(regions):
        if open_range and region[0] == open_range[0] and region[1] <= open_range[2]:
            open_range = (open_range[0], open_range[1], max(open_range[2], region[2]))
            parts = parts + regions[region]
            continue
        if open_range:
            yield members[open_range[0]], open_range[1], open_range[2], parts
        open_range, parts = region, regions[region]
    if open_range:
        yield members[open_range[0]], open_range[1], open_range[2], parts


def _applied(raw: bytes, edits: list[Edit]) -> bytes:
    """Return a file with its edits; each keeps the number of lines."""
    pieces: list[bytes] = []
    done = 0
    for edit in sorted(edits, key=lambda edit: edit.start):
        new = edit.text.encode("utf-8", "surrogateescape")
        lines = raw.count(b"\n", edit.start, edit.end) - new.count(b"\n")
        pieces += [raw[done : edit.start], new, b"\n" * lines]
        done = edit.end
    return b"".join([*pieces, raw[done:]])
