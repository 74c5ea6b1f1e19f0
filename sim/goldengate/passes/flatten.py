# SPDX-License-Identifier: BSD-3-Clause
"""Part of pass `elaborate`: all modules into the top, level by level from the leaves on.

Yosys' `flatten` of a whole design keeps every module, made flat, until its end: of a design whose
content lies eight instances deep, eight copies. Here a module is removed as soon as all modules
that instantiate it have its content. What comes out is the same to the last name.
"""

from __future__ import annotations

from collections import Counter
from graphlib import TopologicalSorter
from typing import Any

from goldengate.state import State, plain, public

_LEVEL = "firesim_level"


def run(state: State) -> None:
    """Make the top module the only one beside black boxes."""
    modules: dict[str, Any] = {
        plain(module.name): module
        for module in state.design.modules_.values()
        if not module.get_blackbox_attribute()
    }
    below = {
        name: {plain(cell.type) for cell in module.cells_.values()} & modules.keys()
        for name, module in modules.items()
    }
    users = Counter(inner for inside in below.values() for inner in inside)
    levels = TopologicalSorter(below)
    levels.prepare()
    while levels.is_active():
        ready = levels.get_ready()
        taken = [name for name in ready if below[name]]
        for name in taken:
            modules[name].set_bool_attribute(public(_LEVEL), True)
        if taken:
            state.run(f"flatten A:{_LEVEL}")
        for name in taken:
            modules[name].set_bool_attribute(public(_LEVEL), False)
            for inner in below[name]:
                users[inner] -= 1
                if not users[inner]:
                    state.design.remove(modules[inner])
        levels.done(*ready)
