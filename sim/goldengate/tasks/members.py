# SPDX-License-Identifier: BSD-3-Clause
"""Members of `inside` and items of `case ... inside` that are signals, which the reader lacks.

In: the elaborated design. Out: the same text with equal line numbers, in which a signal is the
range from itself to itself. Bits of constants that are `?` match all; signals have no such bits.
"""

from __future__ import annotations

from typing import Any

import pyslang.ast as ast

from goldengate.tasks.source import Source, key, text

Node = Any
_CONSTANTS = (ast.SymbolKind.Parameter, ast.SymbolKind.EnumValue, ast.SymbolKind.Genvar)


class Members:
    """Writes them as ranges."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self._nodes: dict[tuple[tuple[int, int], tuple[int, int]], Node] = {}

    def run(self) -> None:
        """Change the text."""
        design = self.source.design
        for scope in [design.getRoot(), *design.getPackages()]:
            scope.visit(self._see)
        nodes = self._nodes.values()
        outer = [node for node in nodes if not any(_is_within(node, one) for one in nodes)]
        self.source.replace([(node, f"[{text(node)} : {text(node)}]") for node in outer])

    def _see(self, node: Any) -> None:
        members: list[Any] = []
        if isinstance(node, ast.InsideExpression):
            members = list(node.rangeList)
        elif isinstance(node, ast.CaseStatement) and node.condition.name == "Inside":
            members = [one for item in node.items for one in item.expressions]
        for member in members:
            while member.kind == ast.ExpressionKind.Conversion and member.isImplicit:
                member = member.operand
            if member.kind != ast.ExpressionKind.ValueRange and _reads_signals(member):
                self._nodes.setdefault(_range(member.syntax), member.syntax)


def _reads_signals(expression: Any) -> bool:
    found: list[Any] = []

    def see(node: Any) -> None:
        if isinstance(node, ast.ValueExpressionBase) and node.symbol.kind not in _CONSTANTS:
            found.append(node)

    expression.visit(see)
    return bool(found)


def _range(node: Node) -> tuple[tuple[int, int], tuple[int, int]]:
    return key(node.sourceRange.start), key(node.sourceRange.end)


def _is_within(node: Node, other: Node) -> bool:
    while (node := node.parent) is not None:
        if _range(node) == _range(other) and node.kind == other.kind:
            return True
    return False
