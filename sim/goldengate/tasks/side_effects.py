# SPDX-License-Identifier: BSD-3-Clause
"""Expressions that change a variable where an operator or a label decides whether they run.

The reader runs both sides of `?:`, `&&`, `||` and `->` and all labels of a `case`, so that the
variable would always change. Such an expression is refused with its place; in an `if` it means
what it says.
"""

from __future__ import annotations

from typing import Any

import pyslang.ast as ast

from goldengate.errors import GoldenGateError
from goldengate.tasks.source import Source, short

_STEPS = ("Preincrement", "Postincrement", "Predecrement", "Postdecrement")
_DECIDING = ("LogicalAnd", "LogicalOr", "LogicalImplication")
_OPERATOR, _LABEL = "'?:', '&&', '||' or '->'", "an earlier label of a 'case'"


def check(source: Source) -> None:
    """Refuse a design that has such an expression.

    Raises:
        GoldenGateError: with the place of the first.
    """

    def see(one: Any) -> None:
        if isinstance(one, ast.ConditionalExpression):
            refuse([one.left, one.right], _OPERATOR)
        elif isinstance(one, ast.BinaryExpression) and one.op.name in _DECIDING:
            refuse([one.right], _OPERATOR)
        elif isinstance(one, ast.CaseStatement):
            refuse([label for item in one.items for label in item.expressions][1:], _LABEL)

    def refuse(sides: list[Any], deciding: str) -> None:
        def look(one: Any) -> None:
            if one.syntax is not None and _is_change(one):
                raise GoldenGateError(
                    f"{source.place(one.syntax)}: found '{short(one.syntax)}', which changes a "
                    f"variable, where {deciding} decides whether it runs, expected it under 'if'."
                )

        for side in sides:
            side.visit(look)

    for scope in [source.design.getRoot(), *source.design.getPackages()]:
        scope.visit(see)


def _is_change(one: Any) -> bool:
    """Return whether an expression changes a variable by itself."""
    if isinstance(one, ast.AssignmentExpression):
        return True
    if isinstance(one, ast.UnaryExpression):
        return one.op.name in _STEPS
    if not isinstance(one, ast.CallExpression) or one.isSystemCall:
        return False
    return _gives_back(one.subroutine) or _changes_outside(one.subroutine, set())


def _gives_back(subroutine: Any) -> bool:
    return any(one.direction != ast.ArgumentDirection.In for one in subroutine.arguments)


def _changes_outside(subroutine: Any, seen: set[str]) -> bool:
    """Return whether a subroutine, or one that it calls, changes what is none of its own."""
    path = subroutine.hierarchicalPath
    if path in seen:
        return False
    seen.add(path)
    found = False

    def see(one: Any) -> None:
        nonlocal found
        if isinstance(one, ast.AssignmentExpression):
            found = found or _is_outside(one.left, path)
        elif isinstance(one, ast.UnaryExpression) and one.op.name in _STEPS:
            found = found or _is_outside(one.operand, path)
        elif isinstance(one, ast.CallExpression) and not one.isSystemCall:
            found = found or _changes_outside(one.subroutine, seen)

    subroutine.body.visit(see)
    return found


def _is_outside(changed: Any, path: str) -> bool:
    """Return whether a variable of a changed expression lies outside of a subroutine."""
    found = False

    def see(one: Any) -> None:
        nonlocal found
        if isinstance(one, ast.NamedValueExpression | ast.HierarchicalValueExpression):
            found = found or not one.symbol.hierarchicalPath.startswith(f"{path}.")

    while isinstance(changed, ast.ElementSelectExpression | ast.RangeSelectExpression):
        changed = changed.value  # What selects is not changed.
    changed.visit(see)
    return found
