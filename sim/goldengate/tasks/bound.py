# SPDX-License-Identifier: BSD-3-Clause
"""Modules that are bound without ports, as firtool writes the layers of Chisel.

Such a module sees the one that it is bound into by that one's name (`Top.clock`), which the reader
takes within a module alone. In: the syntax trees. Out: what it has stands in a block of its own, by
the name of the instance, before the end of the module that it is bound into. Each line says where
it was written.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

from goldengate.tasks.source import Source, kind, text, tokens

Node = Any


class Bound:
    """Puts them there."""

    def __init__(self, source: Source) -> None:
        self.source = source
        members = list(source.members())
        self._modules = {
            str(node.header.name.valueText): node
            for node in members
            if kind(node) == "ModuleDeclaration"
        }
        self._binds = list(_binds(members))

    def run(self) -> None:
        """Change the text."""
        blocks: dict[str, list[str]] = {}
        changes: list[tuple[Node, str]] = []
        for node in self._binds:
            target, module, names = _parts(node)
            if target in self._modules and self._sees_by_name(module) and names:
                blocks.setdefault(target, []).extend(self._block(module, name) for name in names)
                changes.append((node, ""))
        for target, found in blocks.items():
            last = self._modules[target].endmodule
            here = _directive(*self.source.written(last))
            self.source.insert(last, "".join(found) + here)
        self.source.replace(changes)

    def _sees_by_name(self, module: str) -> bool:
        """Tell whether a module has neither ports nor parameters."""
        node = self._modules.get(module)
        return node is not None and not node.header.parameters and not _has_ports(node)

    def _block(self, module: str, name: str) -> str:
        """Return what a module has as a block, in which each token is on its line."""
        node = self._modules[module]
        lines: list[str] = []
        at = None
        for member in node.members:
            for token in tokens(member):
                file, line = self.source.written(token)
                if at is None or at[0] != file or not 0 <= line - at[1] <= 1:
                    lines.append(_directive(file, line))
                elif line != at[1]:
                    lines.append("\n")
                lines.append(f"{token.rawText} ")
                at = file, line
        return f" if (1) begin : {name} {''.join(lines)}\nend "


def _directive(file: str, line: int) -> str:
    return f'\n`line {line} "{os.path.realpath(file)}" 0\n'


def _binds(members: list[Node]) -> Iterator[Node]:
    """Yield the directives, which stand beside modules or in them."""
    for node in members:
        if kind(node) == "BindDirective":
            yield node
        elif kind(node) == "ModuleDeclaration":
            yield from (one for one in node.members if kind(one) == "BindDirective")


def _parts(node: Node) -> tuple[str, str, list[str]]:
    """Return the module that is bound into, what is bound, and the names of its instances.

    Without names where it is bound in another way, into some instances or with values.
    """
    what = node.instantiation
    plain = node.targetInstances is None and kind(what) == "HierarchyInstantiation"
    if not plain or what.parameters is not None:
        return "", "", []
    names = [
        str(one.decl.name.valueText)
        for one in what.instances
        if kind(one) == "HierarchicalInstance"
    ]
    return text(node.target), str(what.type.valueText), names


def _has_ports(node: Node) -> bool:
    ports = node.header.ports
    return ports is not None and text(ports).strip("( )") != ""
