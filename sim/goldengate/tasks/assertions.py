# SPDX-License-Identifier: BSD-3-Clause
"""Concurrent assertions of a text: their clocks and declarations, and what becomes of them."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from goldengate.tasks.elaborated import parameter
from goldengate.tasks.properties import Clock, Lowering, Named, Unsupported
from goldengate.tasks.source import Source, is_token, key, kind, text

Node = Any
_DECLARATIONS = ("PropertyDeclaration", "SequenceDeclaration")


@dataclass
class Lowered:
    """What stands in place of an assertion: module items, the edge, and conditions of failing.

    Of a cover, the condition is that of what is counted.
    """

    items: list[str]
    edge: str
    conditions: list[str]


@dataclass
class Scope:
    """What a module declares for its assertions."""

    names: dict[str, Named] = field(default_factory=dict)
    clocking: Node = None
    disable: Node = None


class Assertions:
    """The properties, sequences and default clocks of a text, by the scope that declares them."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._scopes: dict[tuple[int, int], Scope] = {}
        self._everywhere: dict[str, Named] = {}
        self._number = 0

    def declare(self, node: Node) -> bool:
        """Note a declaration; return whether the reader must not see it."""
        what = kind(node)
        if what in _DECLARATIONS:
            scope = self._scope(node)
            name = node.name.valueText
            scope.names[name] = Named(node, scope.names)
            self._everywhere.setdefault(name, scope.names[name])
            return True
        if what == "ClockingDeclaration" and text(node.globalOrDefault) == "default":
            self._scope(node).clocking = node.event
            return True
        if what == "DefaultDisableDeclaration":
            self._scope(node).disable = node.expr
            return True
        return False

    def _scope(self, node: Node) -> Scope:
        while node.parent is not None and not kind(node).endswith("ModuleDeclaration"):
            if kind(node) in ("PackageDeclaration", "InterfaceDeclaration"):
                break
            node = node.parent
        return self._scopes.setdefault(key(node.sourceRange.start), Scope())

    def _module(self, node: Node) -> str:
        while node.parent is not None and kind(node) != "ModuleDeclaration":
            node = node.parent
        return str(node.header.name.valueText) if kind(node) == "ModuleDeclaration" else ""

    def lower(self, statement: Node, inline: bool) -> Lowered:
        """Return what replaces an assertion; `inline` within a procedure.

        Raises:
            Unsupported: it has what is not taken.
        """
        scope = self._scope(statement)
        names = {**self._everywhere, **scope.names}
        for bound in (scope.names, names):
            for name, one in self._everywhere.items():
                bound.setdefault(name, one)
        clocking, disable, node, names = _resolved(statement.propertySpec, names)
        clock = _clock(clocking, scope, inline)
        self._number += 1
        module = self._module(statement)
        lowering = Lowering(clock, f"firesim_sva_{self._number}", self._values(module), inline)
        if disable is not None:
            condition, bound = disable
            clock.disabled = lowering.wire(lowering.expression(condition, bound))
        elif scope.disable is not None:
            clock.disabled = lowering.wire(lowering.expression(scope.disable, names))
        begin = lowering.wire(f"!({clock.disabled})") if clock.disabled else "1'b1"
        if kind(statement).startswith("Cover"):
            conditions = [_covered(lowering, node, begin, names)]
        else:
            conditions = lowering.fails(node, begin, names)
        if clock.disabled:
            conditions = [f"{each} && !({clock.disabled})" for each in conditions]
        return Lowered(lowering.items, clock.edge, conditions)

    def _values(self, module: str) -> Callable[[Node], int | None]:
        def value(node: Node) -> int | None:
            shown = text(node)
            if shown.isdigit():
                return int(shown)
            if re.fullmatch(r"[A-Za-z_]\w*", shown):
                return parameter(self._source, module, shown)
            return None

        return value


def _covered(lowering: Lowering, node: Node, begin: str, names: dict[str, Named]) -> str:
    while kind(node) in ("ParenthesizedPropertyExpr", "StrongWeakPropertyExpr"):
        node = node.expr
    if kind(node) != "SimplePropertyExpr" and "SequenceExpr" not in kind(node):
        raise Unsupported("a cover of what is no sequence")
    return lowering.matches(node, begin, names)


def _resolved(
    spec: Node, names: dict[str, Named]
) -> tuple[Node, tuple[Node, dict[str, Named]] | None, Node, dict[str, Named]]:
    """Return clock, condition of `disable iff`, expression and names of a property."""
    clocking = disable = None
    helper = Lowering(Clock(""), "", lambda node: None)
    node = spec
    while True:
        if kind(node) == "PropertySpec":
            if node.clocking is not None:
                clocking = _other(clocking, (node.clocking, names))
            if node.disable is not None:
                disable = _other(disable, (node.disable.expr, names))
            node = node.expr
            continue
        if kind(node) == "ClockingPropertyExpr" and node.expr is not None:
            clocking = _other(clocking, (node.event, names))
            node = node.expr
            continue
        inner = node.expr if kind(node) == "SimplePropertyExpr" else None
        simple = inner is not None and kind(inner) == "SimpleSequenceExpr"
        bound = None
        if inner is not None and simple and inner.repetition is None:
            bound = helper.bound(inner.expr, names)
        if bound is None or kind(bound.node) != "PropertySpec":
            return (clocking and _event(*clocking)), disable, node, names
        node, names = bound.node, bound.names


def _other(found: Any, new: Any) -> Any:
    if found is not None:
        raise Unsupported("two clocks or two conditions of disable iff")
    return new


def _event(node: Node, names: dict[str, Named]) -> str:
    """Return the text of `posedge clock` of an event, without the parentheses."""
    words = Lowering(Clock(""), "", lambda each: None, True).expression(node, names)
    return words.strip()


def _clock(event: str | None, scope: Scope, inline: bool) -> Clock:
    if event is None and scope.clocking is not None:
        event = text(scope.clocking)
    if event is None:
        if inline:
            return Clock("")
        raise Unsupported("no clock, and no default clocking")
    words = re.sub(r"^@\s*|[()]", " ", event).split()
    if len(words) < 2 or words[0] not in ("posedge", "negedge") or "iff" in words or "or" in words:
        raise Unsupported(f"the clock '{event}', which is no edge of one signal")
    return Clock(" ".join(words))


__all__ = ["Assertions", "Lowered", "Unsupported", "is_token"]
