# SPDX-License-Identifier: BSD-3-Clause
"""Functions that the reader does not know, as text that it takes: `e.next()`, `$random(seed)`.

In: the elaborated design. Out: the same text with equal line numbers, in which a step of an
enumeration is a choice among its values (a value that is none of them leads to 0), and `$random`
with a seed is a function of the package below.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pyslang.ast as ast

from goldengate.errors import GoldenGateError
from goldengate.tasks.source import Source, is_token, key, kind, text

Node = Any
RANDOM = "$random"
STEPS = ("next", "prev")
PACKAGE = "firesim_random"
RANDOM_VERILOG = f"""// What IEEE 1800 (annex N) says of $random(seed), without its floating point.
package {PACKAGE};
  function automatic int of(input int old, output int seed);
    seed = (old == 0 ? 259341593 : old) * 69069 + 1;
    of = {{~seed[31], seed[30:9], 9'h000}} + 32'd512 + seed[31:23]
       - (!seed[31] && seed[22:9] == 0); // A whole number that is rounded down by one.
  endfunction
endpackage
"""
_VARIABLES = (
    ast.ExpressionKind.NamedValue,
    ast.ExpressionKind.HierarchicalValue,
    ast.ExpressionKind.ElementSelect,
    ast.ExpressionKind.RangeSelect,
    ast.ExpressionKind.MemberAccess,
)
_CONDITIONAL = (
    "ConditionalExpression",
    "LogicalAndExpression",
    "LogicalOrExpression",
    "LogicalImplicationExpression",
)
_Key = tuple[tuple[int, int], tuple[int, int]]


@dataclass
class _Call:
    """A call in the text: of `$random`, or a step among values of a number of bits."""

    node: Node
    name: str
    values: tuple[int, ...] = ()
    width: int = 0


class Functions:
    """Writes these functions in other words."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self._calls: dict[_Key, _Call] = {}

    def run(self) -> bool:
        """Change the text; return whether the package is needed.

        Raises:
            GoldenGateError: a call cannot be hardware.
        """
        design = self.source.design
        for scope in [design.getRoot(), *design.getPackages()]:
            scope.visit(self._see)
        outer = [call.node for call in self._calls.values() if not self._is_inside(call.node)]
        self.source.replace([(node, self._render(node)) for node in outer])
        return any(call.name == RANDOM for call in self._calls.values())

    def _see(self, expression: Any) -> None:
        if not isinstance(expression, ast.CallExpression) or not expression.isSystemCall:
            return
        name, node = expression.subroutineName, expression.syntax
        if node is None or not expression.arguments:
            return
        if name == RANDOM:
            self._check_random(node, expression.arguments[0])
            self._calls[_key(node)] = _Call(node, name)
        elif name in STEPS:
            type_ = expression.arguments[0].type.canonicalType
            members = [one for one in type_ if one.kind == ast.SymbolKind.EnumValue]
            width = int(type_.bitWidth)
            values = tuple(int(one.value.value) % (1 << width) for one in members)
            call = _Call(node, name, values, width)
            known = self._calls.setdefault(_key(node), call)
            if (known.values, known.width) != (values, width):
                raise GoldenGateError(
                    f"{self.source.place(node)}: found '{name}' of an enumeration whose values are "
                    "not the same in all instances, expected values that no parameter changes."
                )

    def _check_random(self, node: Node, seed: Any) -> None:
        while seed.kind == ast.ExpressionKind.Conversion:
            seed = seed.operand
        problem = None
        if seed.kind not in _VARIABLES:
            problem = "with a seed that is no variable, expected one, which each call changes"
        elif not _is_procedural(node):
            problem = (
                "outside of a process, expected it in an 'initial' block or under a clock's edge"
            )
        elif _is_conditional(node):
            problem = "where '?:', '&&', '||' or '->' may not call it, expected 'if'"
        if problem:
            raise GoldenGateError(f"{self.source.place(node)}: found '$random' {problem}.")

    def _is_inside(self, node: Node) -> bool:
        return any(_key(one) in self._calls for one in _around(node))

    # What it becomes

    def _render(self, node: Node) -> str:
        if is_token(node):
            return str(node.rawText)
        call = self._calls.get(_key(node))
        if call is None or kind(node) != kind(call.node):
            return " ".join(self._render(child) for child in node if child is not None)
        given = _arguments(node)
        if call.name == RANDOM:
            seed = self._render(given[0])
            return f"{PACKAGE}::of({seed}, {seed})"
        variable = before = _before(node)
        while (inner := self._calls.get(_key(variable))) and kind(variable) == kind(inner.node):
            variable = _before(variable)
        by = self._render(given[0]) if given else "1"
        return f"({_step(self._render(before), call, by, f'type({self._render(variable)})')})"


def _before(node: Node) -> Node:
    """Return what a step is one of."""
    return (node.left if kind(node) == "InvocationExpression" else node).left


def _step(value: str, call: _Call, by: str, type_: str) -> str:
    """Return a choice of the value that is a number of steps away.

    Each value is of the type, not the whole: slang takes `type(e)'(1) == 1` as one of types.
    """
    size, width = len(call.values), call.width
    literal = [f"{width}'h{one:x}" for one in call.values]
    if by.strip().isdecimal():
        away = int(by) if call.name == "next" else -int(by)
        steps = (
            f"{value} == {v} ? {type_}'({literal[(n + away) % size]}) : "
            for n, v in enumerate(literal)
        )
        return f"{''.join(steps)}{type_}'({width}'h0)"
    index = f"({''.join(f'{value} == {v} ? {n} : ' for n, v in enumerate(literal))}{size})"
    away_ = f"32'({by}) % {size}" if call.name == "next" else f"{size} - 32'({by}) % {size}"
    table = f"{{{', '.join(reversed(literal))}}}"
    found = f"{table} >> (({index} + {away_}) % {size} * {width})"
    return f"{index} == {size} ? {type_}'({width}'h0) : {type_}'({width}'({found}))"


def _key(node: Node) -> _Key:
    return key(node.sourceRange.start), key(node.sourceRange.end)


def _around(node: Node) -> Iterator[Node]:
    while node.parent is not None:
        node = node.parent
        yield node


def _arguments(node: Node) -> list[Node]:
    if kind(node) != "InvocationExpression" or node.arguments is None:
        return []
    return [one for one in node.arguments.parameters if not is_token(one)]


def _is_procedural(node: Node) -> bool:
    """Whether a call is under an edge, in an initial block, a subroutine or a first value."""
    for one in _around(node):
        what = kind(one)
        if what in ("AlwaysBlock", "AlwaysFFBlock"):
            control = one.statement
            timed = kind(control) == "TimingControlStatement"
            return timed and "edge" in text(control.timingControl)
        if what in ("AlwaysCombBlock", "AlwaysLatchBlock"):
            return False
        if what in ("InitialBlock", "FunctionDeclaration", "TaskDeclaration", "DataDeclaration"):
            return True
    return False


def _is_conditional(node: Node) -> bool:
    """Whether an operator around a call decides whether it is called."""
    for one in _around(node):
        what = kind(one)
        if what in _CONDITIONAL:
            first = one.predicate if what == "ConditionalExpression" else one.left
            if _key(node)[0] != _key(first)[0] and not _holds(first, node):
                return True
        if what.endswith(("Statement", "Block", "Declaration")):
            return False
    return False


def _holds(outer: Node, inner: Node) -> bool:
    return any(_key(one) == _key(outer) for one in [inner, *_around(inner)])
