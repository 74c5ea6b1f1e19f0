# SPDX-License-Identifier: BSD-3-Clause
"""Calls of system tasks: what each is, and what the reader reads in its place.

The reader knows `$write` and forgets much of its format, so a call becomes
`$write("firesim:N:%d%d", a, b)`: its number, by which its format is found again, and the arguments
that are no text. A failed assertion, `$finish` and the like are such calls too.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from goldengate.tasks.formats import Argument, Item, constant, plan

MARK = "firesim:"
HERE = "firesim_here"
"""A variable that nothing assigns, by whose name an argument tells which instance a call is in."""
PRINT, FAIL, FINISH, STOP = "print", "fail", "finish", "stop"
_TASK = re.compile(r"\$(f?)(display|write)([bho]?)")
_SEVERITIES = {"$info": "Info", "$warning": "Warning", "$error": "Error", "$fatal": "Fatal"}
_ENDS = {"$finish": FINISH, "$exit": FINISH, "$stop": STOP}
LEFT_OUT = re.compile(r"\$(?:f?(?:strobe|monitor)[bho]?|monitoron|monitoroff)")
"""Tasks that print later than they are called."""


def effect(task: str) -> str | None:
    """Return what a task does; None of one that is not ours."""
    if _TASK.fullmatch(task) or task in ("$info", "$warning"):
        return PRINT
    return FAIL if task in ("$error", "$fatal") else _ENDS.get(task)


@dataclass(frozen=True)
class Variant:
    """A call in one instance of its module: its arguments, and its scope below the instance."""

    arguments: list[Argument]
    scope: str


@dataclass
class Call:
    """One call in the text.

    `variants` has, by the path of the instance and the values of the loops of generate blocks
    around the call, what differs between them; `loops` are the names of these loops' variables.
    """

    number: int
    task: str
    kind: str
    place: str
    node: Any = None
    """The statement in the syntax tree."""
    label: str = ""
    assertion: bool = False
    shows_instance: bool = False
    """Whether it has `HERE` as its last argument, as where the reader puts all into the top."""
    loops: tuple[str, ...] = ()
    variants: dict[tuple[str, tuple[int, ...]], Variant] = field(default_factory=dict)

    @property
    def any(self) -> Variant:
        """One of the variants."""
        return next(iter(self.variants.values()), Variant([], ""))

    def variant(self, path: str, loops: tuple[int, ...]) -> Variant:
        """Return the variant of an instance."""
        return self.variants.get((path, loops), self.any)

    def plan(self, variant: Variant) -> list[str | Item]:
        """Return what the call prints.

        Raises:
            GoldenGateError: its format is wrong.
        """
        arguments = variant.arguments
        base = "d"
        if found := _TASK.fullmatch(self.task):
            base = found[3] or "d"
            arguments = arguments[1:] if found[1] else arguments
        elif self.task == "$fatal":
            arguments = arguments[1:]
        elif self.kind in (FINISH, STOP):
            arguments = []
        pieces = plan(arguments, base, self.place)
        skipped = len(variant.arguments) - len(arguments)
        pieces = [
            Item(piece.argument + skipped if piece.argument >= 0 else -1, piece.spec)
            if isinstance(piece, Item)
            else piece
            for piece in pieces
        ]
        if self.task in ("$info", "$warning"):
            prefix = f"%{_SEVERITIES[self.task]}: {self.place.rpartition('/')[2]}: "
            return [prefix, *pieces, "\n"]
        return [*pieces, "\n"] if found and found[2] == "display" else pieces

    def passed(self) -> list[int]:
        """Return the numbers of the arguments whose bits are needed, in order."""
        variant, found = self.any, []
        for piece in self.plan(variant):
            if not isinstance(piece, Item) or piece.argument < 0:
                continue
            argument = variant.arguments[piece.argument]
            if argument.kind != "time" and constant(argument, piece.spec) is None:
                found.append(piece.argument)
        return found

    def verilog(self) -> str:
        """Return the call that the reader reads."""
        words = [self.any.arguments[number].data for number in self.passed()]
        words += list(self.loops)
        words += [HERE] if self.shows_instance else []
        formats, passed = "%d" * len(words), "".join(f", {word}" for word in words)
        call = f'$write("{MARK}{self.number}:{formats}"{passed});'
        return f"begin static logic {HERE}; {call} end" if self.shows_instance else call
