# SPDX-License-Identifier: BSD-3-Clause
"""Step of pass `read`: registers that only an asynchronous reset assigns keep its value.

The reader forgets a register, or the bits of one, that the clocked branch of a process never
assigns, say because a parameter switched that part off:

    always @(posedge clock or negedge reset_n)
      if (!reset_n) mode <= 3;
      else if (HAS_MODES) mode <= next;

In: the reader's modules, and the text that preprocessor directives leave of the files. Out: the
source files, or copies of them with equal line numbers, in which such a branch begins with
`mode <= mode;`, for the reader to read again. Only processes that the reader took part in this.
"""

from __future__ import annotations

import os
import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from goldengate.errors import GoldenGateError
from goldengate.passes.directives import active
from goldengate.passes.rewrite import check_readable, tokens_of
from goldengate.state import State, plain, public

_EDGES = re.compile(r"\balways(?:_ff)?\s*@\s*\([^)]*edge\b[^)]*edge\b")
_ALWAYS = re.compile(r"\balways\b|\balways_")
_WITH_CONDITION = ("if", "for", "foreach", "while", "repeat")
_LOOPS = ("for", "foreach", "while", "repeat")
_CASES = ("case", "casez", "casex")
_PREFIXES = ("unique", "unique0", "priority")
_CLOSING = {"(": ")", "[": "]", "{": "}", "begin": "end"}
_STARTS = {"begin", "end", "endcase", "else", ";", ":"}
_ASSIGNS = ("=", "<=")
_ITEM = re.compile(r"\b(?:always\w*|assign|initial|generate|endgenerate|endmodule|function|task)\b")
_ASSIGNED = re.compile(r"(\w+)\s*(?:\[[^\]]*\])?\s*<?=")

Token = tuple[str, int, int]


@dataclass(frozen=True)
class _Process:
    """An `always` with an asynchronous reset: its text range and that of its clocked branch.

    `assigned` maps what stands left of assignments in the reset branches to the operator;
    `problem` says why the text cannot be mended. `body` is where its statement begins.
    """

    start: int
    body: int
    end: int
    branch: tuple[int, int]
    assigned: dict[str, str]
    problem: str = ""


class _Unclear(Exception):
    """The text is not what it seems: it ends early, or macros hide a reset's branches."""


class _Scanner:
    """Finds the ends of statements in the tokens of a file, whose text is `source`."""

    def __init__(self, source: str, tokens: list[Token]) -> None:
        self.source = source
        self.tokens = tokens

    def text(self, index: int) -> str:
        """Return a token, or nothing beyond the end."""
        return self.tokens[index][0] if index < len(self.tokens) else ""

    def closed(self, index: int) -> int:
        """Return the index after the token that closes tokens[index]."""
        opening, closing, depth = self.text(index), _CLOSING[self.text(index)], 0
        for at in range(index, len(self.tokens)):
            word = self.text(at)
            depth += (word == opening) - (word == closing)
            if depth == 0:
                return at + 1
        raise _Unclear

    def named(self, index: int) -> int:
        """Return the index after an optional `: name`."""
        return index + 2 if self.text(index) == ":" else index

    def after(self, index: int) -> int:
        """Return the index after the statement that begins at tokens[index]."""
        word = self.text(index)
        if word in _PREFIXES:
            return self.after(index + 1)
        if word == "(" and self.text(index + 1) == "*":
            return self.after(self.closed(index))
        if word == "begin":
            return self.named(self.closed(index))
        if word in _WITH_CONDITION:
            end = self.after(self.closed(index + 1))
            return self.after(end + 1) if word == "if" and self.text(end) == "else" else end
        ending = "endcase" if word in _CASES else ";"
        depth = 0
        for at in range(index, len(self.tokens)):
            depth += self.text(at) in _CASES
            depth -= self.text(at) == "endcase"
            if self.text(at) == ending and depth == 0:
                return at + 1
        raise _Unclear

    def assigned(self, start: int, end: int) -> Iterator[tuple[str, str]]:
        """Yield (left side, operator) of the assignments between two indices.

        In a loop, the left side is the whole variable, since an index may be the loop's.
        """
        first, at, loop_end = start, start, start
        while at < end:
            word = self.text(at)
            if word in _LOOPS:
                loop_end = max(loop_end, self.after(at))
            if word == "(":
                first = at = self.closed(at)
                continue
            if word in ("[", "{"):
                at = self.closed(at)
                continue
            if word in _STARTS:
                first = at + 1
            elif word in _ASSIGNS:
                left = self.source[self.tokens[first][1] : self.tokens[at - 1][2]]
                for one in _roots(left) if at < loop_end else [left]:
                    yield one, word
                first = at = self.after(at)
                continue
            at += 1


def _roots(left: str) -> list[str]:
    """Return the variables on the left side of an assignment, without selections."""
    whole, count = left, 1
    while count:
        whole, count = re.subn(r"\[[^\[\]]*\]|\.\s*\w+", " ", whole)
    return re.findall(r"[A-Za-z_]\w*", whole)


def _joined(tokens: list[Token]) -> list[Token]:
    """Make one token of `<` and `=` side by side, and of `=` twice."""
    found: list[Token] = []
    for token in tokens:
        last = found[-1] if found else ("", 0, -1)
        if token[0] == "=" and last[2] == token[1] and last[0] in ("<", ">", "=", "!", "=="):
            found[-1] = (last[0] + "=", last[1], token[2])
        else:
            found.append(token)
    return found


def _process(text: str, start: int, edges: int) -> _Process:
    """Read the `always` at text[start:]."""
    limit = text.find("endmodule", start)
    # No `always` has another one in it, but for its comments: most need not be read to the end of
    # their module, which in a netlist is that of the file.
    following = _ALWAYS.search(text, start + 1)
    if following is not None and following.start() < limit:
        found = _process_before(text, start, following.start(), edges)
        if not found.problem:
            return found
    return _process_before(text, start, limit, edges)


def _process_before(text: str, start: int, limit: int, edges: int) -> _Process:
    """Read the `always` at text[start:], which ends before `limit`."""
    tokens = [(word, a + start, b + start) for word, a, b in tokens_of(text[start:limit])]
    scan = _Scanner(text, _joined(tokens))
    assigned: dict[str, str] = {}
    body = limit
    try:
        index = scan.closed(2)
        body = scan.tokens[index][1] if index < len(scan.tokens) else limit
        last = scan.after(index)
        end = scan.tokens[last - 1][2]
        while index < last and scan.text(index) != "if":
            is_block = scan.text(index) == "begin"
            index = scan.named(index + 1) if is_block else scan.after(index)
        for _ in range(edges - 1):
            if scan.text(index) != "if":
                raise _Unclear
            index = scan.closed(index + 1)
            after = scan.after(index)
            assigned.update(scan.assigned(index, after))
            if scan.text(after) != "else":
                raise _Unclear
            index = after + 1
        branch = scan.tokens[index][1], scan.tokens[scan.after(index) - 1][2]
    except _Unclear:
        names = _ASSIGNED.findall(text[start : min(limit, _next_item(text, start))])
        found = dict.fromkeys(names, "")
        return _Process(start, body, limit, (start, start), found, "with an end that macros hide")
    return _Process(start, body, end, branch, assigned)


def _next_item(text: str, start: int) -> int:
    """Return where the item after the `always` at text[start:] may begin at the latest."""
    item = _ITEM.search(text, start + 1)
    return item.start() if item else len(text)


def _processes(text: str) -> list[_Process]:
    """Return the processes of a file that have asynchronous resets, in order."""
    found = []
    for match in _EDGES.finditer(text):
        head = text[match.start() : text.index(")", match.start())]
        edges = len(re.findall(r"\b(?:pos|neg)edge\b", head))
        found.append(_process(text, match.start(), edges))
    return found


def _constants(module: Any) -> set[str]:
    """Return the last names of the variables with bits that never change."""
    return {
        plain(bit.wire.name).rpartition(".")[2]
        for cell in module.cells_.values()
        if plain(cell.type) == "$buf" and cell.getPort(public("A")).is_fully_const()
        for bit in cell.getPort(public("Y")).to_sigbit_vector()
    }


def _places(module: Any) -> Iterator[tuple[str, int, int]]:
    """Yield (file, line, column) of the processes of a module."""
    for process in module.processes.values():
        place = re.match(r"(.*?):(\d+)\.(\d+)", process.get_src_attribute())
        if place:
            yield os.path.realpath(place[1]), int(place[2]), int(place[3])


class _Files:
    """The files with such processes, and what is to be mended in each."""

    def __init__(self, state: State) -> None:
        self.state = state
        self.active: dict[str, str] | None = None
        """What the directives leave of each file, once it is needed."""
        self.texts: dict[str, str] = {}
        self.lines: dict[str, list[int]] = {}
        """Where each line of a file begins."""
        self.processes: dict[str, list[_Process]] = {}
        self.wanted: dict[str, dict[int, set[str]]] = {}

    def look(self, file: str, line: int, column: int, constants: set[str]) -> None:
        """Note what the process at a place assigns and the netlist has as constant."""
        if file not in self.texts:
            self._read(file)
        # A netlist has as many processes as registers, so none is looked for one by one.
        offset = self.lines[file][line - 1] + column - 1
        processes = self.processes[file]
        number = bisect_right(processes, offset, key=lambda process: process.start) - 1
        if number < 0 or offset >= processes[number].end:
            return
        if processes[number].problem and offset != processes[number].body:
            return  # Another one, which the hidden end seems to include.
        lost = {left for left in processes[number].assigned if constants & set(_roots(left))}
        if lost:
            self._check(file, line, processes[number], min(lost))
            self.wanted.setdefault(file, {}).setdefault(number, set()).update(lost)

    def _read(self, file: str) -> None:
        if self.active is None:
            request = self.state.request
            folders = [*request.include_dirs, *(str(Path(one).parent) for one in request.sources)]
            defined = {*request.defines, *(["SYNTHESIS"] if request.synthesis else [])}
            self.active = active(self.state.sources, defined, folders)
        text = check_readable(Path(file))
        self.texts[file] = text
        self.lines[file] = [0, *(match.end() for match in re.finditer("\n", text))]
        self.processes[file] = _processes(self.active.get(file, text))

    def _check(self, file: str, line: int, process: _Process, name: str) -> None:
        is_source = any(os.path.realpath(path) == file for path in self.state.sources)
        problem = process.problem or ("" if is_source else "in an included file")
        if problem:
            raise GoldenGateError(
                f"{self.state.original.get(file, file)}:{line}: '{name}' is assigned only while "
                f"the asynchronous reset is active; found its process {problem}, expected it in "
                f"a source file with 'begin' and 'end' outside of macros, or an assignment in "
                f"the clocked branch, such as '{name} <= {name};'."
            )

    def mended(self, file: str) -> str:
        """Return the text of a file with the missing assignments."""
        text = self.texts[file]
        for number in sorted(self.wanted[file], reverse=True):
            process = self.processes[file][number]
            start, end = process.branch
            lost = sorted(self.wanted[file][number])
            kept = "".join(f" {left} {process.assigned[left]} {left};" for left in lost)
            text = f"{text[:start]}begin{kept} {text[start:end]} end{text[end:]}"
        return text


def mend(state: State) -> bool:
    """Change `state.sources` where registers were forgotten; return whether there were any.

    Raises:
        GoldenGateError: one was forgotten, and its process cannot be changed.
    """
    files = _Files(state)
    for module in state.design.modules_.values():
        places = sorted(set(_places(module)))
        constants = _constants(module) if places else set()
        for place in places if constants else ():
            files.look(*place, constants)
    for number, path in enumerate(state.sources):
        file = os.path.realpath(path)
        if file in files.wanted:
            copy = state.out / "mended" / str(number) / path.name
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_text(files.mended(file))
            state.sources[number] = copy
            state.original[os.path.realpath(copy)] = state.original[file]
    return bool(files.wanted)
