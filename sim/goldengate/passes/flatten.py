# SPDX-License-Identifier: BSD-3-Clause
"""Part of pass `elaborate`: all modules into the top, level by level from the leaves on.

Yosys' `flatten` of a whole design keeps every module, made flat, until its end: of a design whose
content lies eight instances deep, eight copies. Here a module is removed as soon as all modules
that instantiate it have its content. What comes out is the same to the last name.
"""

from __future__ import annotations

from typing import Any

from goldengate.state import State, plain, public

_LEVEL = "firesim_level"


class _Hierarchy:
    """Which modules instantiate which, and how many levels are below each."""

    def __init__(self, state: State) -> None:
        self.modules: dict[str, Any] = {
            plain(module.name): module
            for module in state.design.modules_.values()
            if not module.get_blackbox_attribute()
        }
        self.below: dict[str, set[str]] = {
            name: {plain(cell.type) for cell in module.cells_.values()} & self.modules.keys()
            for name, module in self.modules.items()
        }
        self._height: dict[str, int] = {}

    def height(self, top: str) -> int:
        """Return the number of levels below a module; the leaves are level 0."""
        todo = [top]
        while todo:
            name = todo[-1]
            unknown = [one for one in self.below[name] if one not in self._height]
            todo += unknown
            if not unknown:
                todo.pop()
                heights = [self._height[one] + 1 for one in self.below[name]]
                self._height[name] = max(heights, default=0)
        return self._height[top]

    def at(self, height: int) -> list[str]:
        """Return the modules that have a number of levels below them."""
        return [name for name, own in self._height.items() if own == height]


def run(state: State) -> None:
    """Make the top module the only one beside black boxes."""
    tree = _Hierarchy(state)
    users = {name: 0 for name in tree.modules}
    for below in tree.below.values():
        for name in below:
            users[name] += 1
    for height in range(1, tree.height(state.request.top) + 1):
        taken = tree.at(height)
        for name in taken:
            tree.modules[name].set_bool_attribute(public(_LEVEL), True)
        state.run(f"flatten A:{_LEVEL}")
        for name in taken:
            tree.modules[name].set_bool_attribute(public(_LEVEL), False)
            for inner in tree.below[name]:
                users[inner] -= 1
                if not users[inner]:
                    state.design.remove(tree.modules[inner])
