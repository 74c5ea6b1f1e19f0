# SPDX-License-Identifier: BSD-3-Clause
"""Arguments and scopes of calls, from the elaborated design: types, constants, names, paths."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pyslang.ast as ast

from goldengate.tasks.calls import Call, Variant
from goldengate.tasks.formats import Argument
from goldengate.tasks.source import Source, key, kind, text

_TIMES = ("$time", "$stime", "$realtime")
_BODIES = (ast.SymbolKind.ProceduralBlock, ast.SymbolKind.Subroutine)
_ARRAYS = (ast.SymbolKind.InstanceArray, ast.SymbolKind.GenerateBlockArray)
Scope = tuple[str, tuple[tuple[str, int], ...]]
"""Path of an instance, and the variables of loops of generate blocks, with their values."""


def bodies(source: Source) -> Iterator[tuple[Any, Scope]]:
    """Yield the procedures and subroutines of all instances, with their scopes."""
    for instance in source.design.getRoot().topInstances:
        yield from _within(instance.body, (instance.body.hierarchicalPath, ()))
    for package in source.design.getPackages():
        yield from _within(package, (package.name, ()))


def _within(scope: Any, at: Scope) -> Iterator[tuple[Any, Scope]]:
    path, loops = at
    for member in scope:
        what = member.kind
        if what in _BODIES:
            yield member, at
        elif what == ast.SymbolKind.Instance:
            yield from _within(member.body, (member.body.hierarchicalPath, ()))
        elif what == ast.SymbolKind.InstanceArray or _is_block(member):
            yield from _within(member, at)
        elif what == ast.SymbolKind.GenerateBlockArray:
            name = member.loopVariable.name if member.loopVariable else ""
            for entry in member.entries:
                loop = (name, int(entry.arrayIndex))
                yield from _within(entry, (path, (*loops, loop)))


def _is_block(member: Any) -> bool:
    return member.kind == ast.SymbolKind.GenerateBlock and not member.isUninstantiated


def parameter(source: Source, module: str, name: str) -> int | None:
    """Return the value of a parameter where it is the same in all instances of the module."""
    found = set()
    for body in _instances(source.design.getRoot().topInstances):
        if body.definition.name == module:
            symbol = body.find(name)
            value = getattr(getattr(symbol, "value", None), "value", None)
            found.add(None if value is None or isinstance(value, str | float) else int(value))
    return found.pop() if len(found) == 1 else None


def _instances(scope: Any) -> Iterator[Any]:
    for member in scope:
        if member.kind == ast.SymbolKind.Instance:
            yield member.body
            yield from _instances(member.body)
        elif member.kind in _ARRAYS or _is_block(member):
            yield from _instances(member)


def blocks(node: Any) -> str:
    """Return the names of the blocks around a statement, from the outermost within its procedure.

    Within a subroutine that is its name, first.
    """
    names: list[str] = []
    while node is not None and not kind(node).startswith(("Always", "Initial", "Final")):
        what = kind(node)
        if what in ("SequentialBlockStatement", "ParallelBlockStatement"):
            if node.blockName is not None:
                names.append(node.blockName.name.valueText)
            elif node.label is not None:
                names.append(node.label.name.valueText)
        elif what in ("FunctionDeclaration", "TaskDeclaration"):
            names.append(text(node.prototype.name))
            break
        elif what in ("ModuleDeclaration", "PackageDeclaration", "GenerateBlock"):
            break
        node = node.parent
    return ".".join(reversed(names))


def _is_pattern(type_: Any) -> bool:
    """Return whether a type of bits is more than a vector."""
    plain = type_.canonicalType
    if plain.isStruct or plain.isPackedUnion:
        return True
    element = plain.arrayElementType if plain.isPackedArray else None
    return element is not None and not element.canonicalType.isScalar


def argument_of(expression: Any, scope: Any) -> Argument:
    """Return what is known of an argument; of kind `other` where it cannot be printed."""
    what, data = expression.kind, ""
    if what == ast.ExpressionKind.EmptyArgument:
        return Argument("none")
    if expression.syntax is not None:
        data = text(expression.syntax)
    if what == ast.ExpressionKind.StringLiteral:
        return Argument("literal", text=expression.value, data=f"{{{data}}}")
    if what == ast.ExpressionKind.Call and expression.subroutineName in _TIMES:
        return Argument("time")
    if what == ast.ExpressionKind.Call and expression.subroutineName == "name":
        return _name(expression)
    if expression.type.isString:
        value = expression.eval(ast.EvalContext(scope))
        return Argument("string", text=str(value.value)) if value else Argument("other")
    if not expression.type.isIntegral:
        return Argument("other", data=data)
    return Argument("pattern" if _is_pattern(expression.type) else "number", data=data)


def _name(call: Any) -> Argument:
    (value,) = call.arguments[:1]
    names = tuple(
        (int(member.value.value), member.name)
        for member in value.type.canonicalType
        if member.kind == ast.SymbolKind.EnumValue
    )
    left = call.syntax
    left = left.left if kind(left) == "InvocationExpression" else left
    return Argument("name", names=names, data=text(left.left))


def find_variants(source: Source, calls: dict[tuple[int, int], Call]) -> None:
    """Fill in the variants of the calls, by the place where each begins."""
    procedures = {key(node.sourceRange.start) for node in _around(calls)}
    for body, (path, loops) in bodies(source):
        if body.syntax is None or key(body.syntax.sourceRange.start) not in procedures:
            continue
        whole = body.hierarchicalPath
        if body.kind == ast.SymbolKind.Subroutine:
            whole = whole.removesuffix(f".{body.name}")
        below = whole.removeprefix(path).lstrip(".")
        _visit(body, calls, (path, loops), below)


def _around(calls: dict[tuple[int, int], Call]) -> Iterator[Any]:
    for call in calls.values():
        if call.node is None:
            continue
        node = call.node
        while node.parent is not None and not _is_procedure(node):
            node = node.parent
        yield node


def _is_procedure(node: Any) -> bool:
    what = kind(node)
    return what.startswith(("Always", "Initial", "Final", "Function", "Task")) or what in (
        "ConcurrentAssertionMember",
        "ImmediateAssertionMember",
    )


def _visit(body: Any, calls: dict[tuple[int, int], Call], at: Scope, below: str) -> None:
    path, loops = at

    def see(node: Any) -> None:
        if not isinstance(node, ast.CallExpression):
            return
        call = calls.get(key(node.sourceRange.start))
        if call is None or call.node is None:
            return
        inner = ".".join(name for name in (below, blocks(call.node)) if name)
        arguments = [argument_of(each, body) for each in node.arguments]
        call.loops = tuple(name for name, _ in loops)
        call.variants[path, tuple(value for _, value in loops)] = Variant(arguments, inner)

    body.visit(see)
