# SPDX-License-Identifier: BSD-3-Clause
"""Where the reader gave up, when it does not say: it reads parts of the design again, and again.

`python -m goldengate.locate FOLDER`, a process of its own as the reader may end it, reads what the
pass `read` kept in FOLDER, and writes FOLDER/located.json. Processes, assignments and statements
are left out of the text behind some point, and half of the rest again, until the first is known
with which the reader fails as it did. What is neither is left out alone, one after the other.
"""

from __future__ import annotations

import dataclasses
import json
import os
import shutil
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from goldengate.passes.explain import LOCATED, READER
from goldengate.state import Request
from goldengate.tasks.source import Source, is_token, kind, short

Node = Any
LONGEST_S = 60.0
"""So long it searches; then the narrowest that it knows is said."""
_LOGIC = frozenset(
    """ContinuousAssign AlwaysBlock AlwaysCombBlock AlwaysFFBlock AlwaysLatchBlock InitialBlock
    FinalBlock ConcurrentAssertionMember ImmediateAssertionMember PrimitiveInstantiation""".split()
)
_SUBROUTINES = ("FunctionDeclaration", "TaskDeclaration")
_OTHERS = frozenset(
    """HierarchyInstantiation NetDeclaration DataDeclaration UserDefinedNetDeclaration
    NetTypeDeclaration CheckerInstantiation ClockingDeclaration DefParam NetAlias BindDirective
    CheckerDeclaration CovergroupDeclaration SequenceDeclaration PropertyDeclaration""".split()
)
_STATEMENTS = frozenset(
    """ExpressionStatement ReturnStatement ProceduralAssignStatement VoidCastedCallStatement
    JumpStatement ImmediateAssertStatement""".split()
)


@dataclass
class _Part:
    """What can be left out: the changes that do so, and what shows it."""

    shown: Node
    changes: list[tuple[Node, str]]


def _statements(node: Node) -> Iterator[_Part]:
    """Yield the innermost statements of a process or a subroutine, in order."""
    if is_token(node):
        return
    if kind(node) in _STATEMENTS:
        yield _Part(node, [(node, ";")])
        return
    for child in node:
        if child is not None:
            yield from _statements(child)


def _logic(node: Node) -> Iterator[_Part]:
    """Yield the processes, assignments, values and subroutines of a design."""
    what = "" if is_token(node) else kind(node)
    if not what:
        return
    if what in _LOGIC:
        yield _Part(node, [(node, "")])
    elif what in _SUBROUTINES:
        changes = [change for part in _statements(node) for change in part.changes]
        if changes:
            yield _Part(node, changes)
    elif what in ("NetDeclaration", "DataDeclaration"):
        for one in node.declarators:
            if not is_token(one) and one.initializer is not None:
                yield _Part(one, [(one.initializer, "")])
    else:
        for child in node:
            if child is not None:
                yield from _logic(child)


def _others(node: Node) -> Iterator[_Part]:
    """Yield instances and declarations."""
    if is_token(node):
        return
    if kind(node) in _OTHERS:
        yield _Part(node, [(node, "")])
        return
    for child in node:
        if child is not None:
            yield from _others(child)


class _Reader:
    """Reads the design without some parts, as the pass `read` did with all of them."""

    def __init__(self, folder: Path) -> None:
        kept = json.loads((folder / READER).read_text())
        self.words: list[str] = kept["words"]
        request = Request.from_json(json.loads((folder / "request.json").read_text()))
        request = dataclasses.replace(request, sources=kept["sources"], parameters={})
        self.source = Source(request, kept["original"], kept["versions"])
        self.until = time.monotonic() + LONGEST_S
        self._folder = folder / "locating"
        self._first, _ = self._read(self.words)

    def _read(self, words: list[str]) -> tuple[str, bool]:
        """Return how the reader ends, and whether it takes the design."""
        from pyosys import libyosys as ys

        log = self._folder / "log.txt"
        log.parent.mkdir(exist_ok=True)
        child = os.fork()
        if child == 0:
            out = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
            os.dup2(out, 1)
            os.dup2(out, 2)
            ys.Pass.call(ys.Design(), words)
            os._exit(0)
        _, status = os.waitpid(child, 0)
        errors = [one for one in log.read_text(errors="replace").splitlines() if "ERROR:" in one]
        return (errors or [f"status {status}"])[-1], status == 0

    def fails(self, without: Sequence[_Part]) -> tuple[bool, bool]:
        """Return whether it fails in the same way without parts, and whether it takes the rest."""
        if time.monotonic() > self.until:
            raise TimeoutError
        self.source.edits = {}
        self.source.replace([change for part in without for change in part.changes])
        copies = self._folder / "copies"
        shutil.rmtree(copies, ignore_errors=True)
        changed = {os.path.realpath(old): str(new) for old, new in self.source.write(copies)}
        words = [changed.get(os.path.realpath(word), word) for word in self.words]
        end, taken = self._read(words)
        return end == self._first, taken

    def first(self, parts: Sequence[_Part], always: Sequence[_Part] = ()) -> _Part | None:
        """Return the first part with which it fails, `always` being left out; None if at once."""
        low, high = 0, len(parts)
        while low < high:
            middle = (low + high) // 2
            if self.fails([*parts[middle:], *always])[0]:
                high = middle
            else:
                low = middle + 1
        return parts[low - 1] if low else None

    def alone(self, parts: Sequence[_Part], always: Sequence[_Part]) -> _Part | None:
        """Return the innermost part without which it does not fail."""
        found: list[tuple[_Part, bool]] = []
        for part in parts:
            same, taken = self.fails([part, *always])
            if not same:
                found.append((part, taken))
        best = [part for part, taken in found if taken] or [part for part, _ in found]
        return best[-1] if best else None


def _search(reader: _Reader) -> Node | None:
    """Return what the reader fails at, as closely as there is time for."""
    members = list(reader.source.members())
    logic = [part for member in members for part in _logic(member)]
    logic.sort(key=lambda part: kind(part.shown) in _SUBROUTINES)  # Those that call them first.
    found: _Part | None = None
    try:
        if reader.fails(logic)[0]:
            others = [part for member in members for part in _others(member)]
            inside = {id(part.shown) for part in others}
            rest = [part for part in logic if not _has_parent(part.shown, inside)]
            found = reader.alone(others, rest)
        elif found := reader.first(logic):
            behind = logic[logic.index(found) + 1 :]
            found = reader.first(list(_statements(found.shown)), behind) or found
    except TimeoutError:
        pass
    return found.shown if found else None


def _kind(reader: _Reader, node: Node) -> str:
    """Return the kind of a node, that of a declaration of a net of the user's type by its type."""
    if kind(node) == "DataDeclaration":
        parts = [part.shown for member in reader.source.members() for part in _others(member)]
        types = [one for one in parts if kind(one) == "NetTypeDeclaration"]
        if short(node.type) in [one.name.valueText for one in types]:
            return "NetTypeDeclaration"
    return kind(node)


def _has_parent(node: Node, parents: set[int]) -> bool:
    while node is not None:
        if id(node) in parents:
            return True
        node = node.parent
    return False


def main(folder: Path) -> int:
    """Write what is found, if anything is."""
    reader = _Reader(folder)
    node = _search(reader)
    if node is not None:
        found = {
            "place": reader.source.place(node),
            "text": short(node),
            "kind": _kind(reader, node),
        }
        (folder / LOCATED).write_text(json.dumps(found))
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
