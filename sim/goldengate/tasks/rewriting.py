# SPDX-License-Identifier: BSD-3-Clause
"""The walk through the syntax trees: which statements the reader reads in other words."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from goldengate.errors import GoldenGateError
from goldengate.tasks.assertions import Assertions, Unsupported
from goldengate.tasks.calls import FAIL, FINISH, LEFT_OUT, PRINT, STOP, Call, Variant, effect
from goldengate.tasks.elaborated import find_variants
from goldengate.tasks.formats import Argument
from goldengate.tasks.source import Source, is_token, key, kind, text

Node = Any
OF_INTEREST = re.compile(
    r"\$f?(?:display|write|strobe|monitor)|\$(?:error|fatal|finish|stop|exit|info|warning)\b"
    r"|\b(?:assert|assume|cover|restrict|expect|property|sequence|clocking|disable)\b"
)
_IMMEDIATE = ("ImmediateAssertStatement", "ImmediateAssumeStatement", "ImmediateCoverStatement")
_CONCURRENT = re.compile(r"(Assert|Assume|Cover|Restrict)PropertyStatement|CoverSequenceStatement")
_SCOPE = re.compile(r"%-?\d*[mM]")


@dataclass
class _Left:
    """Places of what is left out, by what it is."""

    places: dict[str, list[str]] = field(default_factory=dict)

    def add(self, what: str, place: str) -> None:
        self.places.setdefault(what, []).append(place)

    def warnings(self) -> list[str]:
        found = []
        for what, places in sorted(self.places.items()):
            found.append(f"{', '.join(dict.fromkeys(places))}: {what}.")
        return found


class Rewriting:
    """What becomes of the system tasks and assertions of a text.

    `refuse` says that an assertion which is not taken is an error, `shows_instances` that each call
    is to tell which instance it is in.
    """

    def __init__(self, source: Source, refuse: bool, shows_instances: bool = False) -> None:
        self.source = source
        self._shows_instances = shows_instances
        self.calls: list[Call] = []
        self._refuse = refuse
        self._at: dict[tuple[int, int], Call] = {}
        self._failing: dict[tuple[int, int], Call] = {}
        self._targets: list[Node] = []
        self._assertions = Assertions(source)
        self._left = _Left()

    def run(self) -> list[str]:
        """Change the text; return warnings of what is left out.

        Raises:
            GoldenGateError: a format is wrong, or an assertion is refused.
        """
        for member in self.source.members():
            if _of_interest(member):
                self._walk(member, "")
        if not self._targets:
            return []
        unknown = {place: call for place, call in self._at.items() if not call.variants}
        if unknown:
            find_variants(self.source, unknown)
        self.source.replace([(node, self._render(node)) for node in self._targets])
        return self._left.warnings()

    # What is looked for

    def _walk(self, node: Node, around: str) -> None:
        """Note the outermost statements to be changed; `around` is an initial block or none."""
        what = kind(node)
        if is_token(node):
            return
        if what in ("InitialBlock", "FinalBlock"):
            around = what
        if self._is_target(node, what, around):
            self._targets.append(node)
            self._note(node, around)
            return
        for child in node:
            if child is not None and not is_token(child) and _of_interest(child):
                self._walk(child, around)

    def _is_target(self, node: Node, what: str, around: str) -> bool:
        if what == "ExpressionStatement":
            task = self._task(node)
            if around and task in ("$display", "$write"):
                return False
            return effect(task) is not None or bool(LEFT_OUT.fullmatch(task))
        if what in _IMMEDIATE:
            return node.action.elseClause is not None or kind(
                node.action.statement or node
            ) not in (
                what,
                "EmptyStatement",
            )
        if what == "ConcurrentAssertionMember" or _CONCURRENT.fullmatch(what):
            return True
        return self._assertions.declare(node)

    def _task(self, node: Node) -> str:
        call = node.expr
        name = call.left if kind(call) == "InvocationExpression" else call
        return text(name) if kind(name) == "SystemName" else ""

    def _note(self, node: Node, around: str, label: str = "", assertion: bool = False) -> None:
        """Number the calls within a statement."""
        what = kind(node)
        if is_token(node):
            return
        if what == "ExpressionStatement" and (task := self._task(node)):
            self._note_call(node, task, around, label, assertion)
            return
        if what in _IMMEDIATE or _CONCURRENT.fullmatch(what):
            label = node.label.name.valueText if node.label is not None else ""
            assertion = True
            if around == "" and not what.startswith(("ImmediateCover", "Cover")):
                call = self._new(FAIL, "", node, label)
                self._failing[key(node.sourceRange.start)] = call
        for child in node:
            if child is not None:
                self._note(child, around, label, assertion)

    def _note_call(self, node: Node, task: str, around: str, label: str, assertion: bool) -> None:
        kind_ = effect(task)
        if LEFT_OUT.fullmatch(task):
            self._left.add(
                f"{task} prints after the cycle and is left out", self.source.place(node)
            )
        elif kind_ is None:
            return
        elif around and kind_ != FAIL:
            self._left.add(
                f"{task} in an initial or final block is left out", self.source.place(node)
            )
        else:
            call = self._new(kind_, task, node, label)
            call.assertion = assertion
            if (texts := _only_texts(node)) is not None:
                call.variants["", ()] = Variant(texts, "")
            self._at[key(node.expr.sourceRange.start)] = call

    def _new(self, kind_: str, task: str, node: Node, label: str) -> Call:
        call = Call(len(self.calls), task, kind_, self.source.place(node), node, label)
        call.shows_instance = self._shows_instances
        self.calls.append(call)
        return call

    # What it becomes

    def _render(self, node: Node) -> str:
        what = kind(node)
        if is_token(node):
            return str(node.rawText)
        if what == "ExpressionStatement" and (task := self._task(node)):
            return self._render_call(node, task)
        if what in _IMMEDIATE:
            return self._render_immediate(node)
        if what == "ConcurrentAssertionMember":
            return self._render_concurrent(node.statement, False)
        if _CONCURRENT.fullmatch(what):
            return self._render_concurrent(node, True)
        if self._assertions.declare(node):
            return ""
        return " ".join(self._render(child) for child in node if child is not None)

    def _render_call(self, node: Node, task: str) -> str:
        call = self._at.get(key(node.expr.sourceRange.start))
        if call is None:
            known = effect(task) is not None or LEFT_OUT.fullmatch(task)
            return ";" if known else text(node)
        if not call.variants:
            return text(node)  # In no instance, or wrong: then the reader says so.
        unknown = [
            each for v in call.variants.values() for each in v.arguments if each.kind == "other"
        ]
        if unknown:
            self._left.add(
                f"{task} prints what is no number, text of a constant or name of an enum, "
                "and is left out",
                call.place,
            )
            return ";"
        return call.verilog()

    def _render_immediate(self, node: Node) -> str:
        condition = self._render(node.expr)
        passed = node.action.statement
        passes = self._render(passed) if passed is not None else ";"
        if kind(node) == "ImmediateCoverStatement":
            label = f"{node.label.name.valueText}: " if node.label is not None else ""
            return f"begin {label}cover {condition}; if {condition} {passes} end"
        if node.action.elseClause is not None:
            fails = self._render(node.action.elseClause.clause)
        else:
            fails = self._failing[key(node.sourceRange.start)].verilog()
        return f"begin if {condition} begin {passes} end else begin {fails} end end"

    def _render_concurrent(self, node: Node, inline: bool) -> str:
        what = kind(node)
        if what.startswith("Restrict"):
            return ";" if inline else ""
        try:
            lowered = self._assertions.lower(node, inline)
            action = self._action(node)
        except Unsupported as reason:
            return self._skip(node, str(reason), inline)
        failed = " || ".join(f"({each})" for each in lowered.conditions) or "1'b0"
        if what.startswith("Cover"):
            label = f"{node.label.name.valueText}: " if node.label is not None else ""
            # Alone in a process it would lose its name.
            statement = f"begin {label}cover ({failed}); if (1'b0) ; end"
        else:
            statement = f"if ({failed}) begin {action} end"
        if inline:
            return statement
        items = " ".join(lowered.items)
        return f"{items} always @({lowered.edge}) {statement}"

    def _action(self, node: Node) -> str:
        passed = node.action.statement
        if passed is not None and kind(passed) != "EmptyStatement":
            raise Unsupported("an action where it holds")
        if node.action.elseClause is not None:
            return self._render(node.action.elseClause.clause)
        call = self._failing.get(key(node.sourceRange.start))
        return call.verilog() if call is not None else ";"

    def _skip(self, node: Node, reason: str, inline: bool) -> str:
        place = self.source.place(node)
        if self._refuse:
            raise GoldenGateError(
                f"{place}: found an assertion with {reason}, which is not taken; expected one that "
                "is, or the assertion left out (--assertions skip)."
            )
        self._left.add("assertions that are not taken are skipped", f"{place} ({reason})")
        return ";" if inline else ""


def _of_interest(node: Node) -> bool:
    try:
        return OF_INTEREST.search(str(node)) is not None
    except UnicodeDecodeError:  # A comment of an included file is no UTF-8.
        return True


def _only_texts(node: Node) -> list[Argument] | None:
    """Return the arguments of a call if these are texts that are the same in every instance."""
    found = []
    if kind(node.expr) == "InvocationExpression" and node.expr.arguments is not None:
        for each in node.expr.arguments.parameters:
            if is_token(each):
                continue
            inner = each
            while kind(inner) in ("OrderedArgument", "SimplePropertyExpr", "SimpleSequenceExpr"):
                inner = inner.expr
            if kind(inner) != "StringLiteralExpression" or _SCOPE.search(inner.literal.valueText):
                return None
            found.append(Argument("literal", inner.literal.valueText, data=f"{{{text(inner)}}}"))
    return found


__all__ = ["FINISH", "OF_INTEREST", "PRINT", "STOP", "Rewriting", "Variant"]
