# SPDX-License-Identifier: BSD-3-Clause
"""Step `names`: every zone is called after the module that most of it belongs to.

A register and a memory belong to the module in their name, an output to the bridge; a value belongs
to what reads it. So the list of functions in a profile says where in the design the time goes.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from goldengate.engine.items import Item, Items

TOP = "top"


def _own_module(found: Items, item: Item) -> str | None:
    """Return the module of what an item changes, None for a value."""
    design = found.design
    if item.kind == "update":
        path = design.registers[item.index].name
    elif item.kind == "write":
        path = design.columns[item.index].name
    elif item.kind == "output":
        path = design.ports[item.index].name.replace("__", ".")
    else:
        return None
    return path.rpartition(".")[0] or TOP


def modules(found: Items) -> list[str]:
    """Return the hierarchical name of the module of every item, by its number."""
    of_item = [TOP] * len(found.items)
    for item in reversed(found.items):  # what reads a value comes after it
        module = _own_module(found, item) or of_item[item.number]
        of_item[item.number] = module
        for node in item.reads:
            if node.op != "leaf":
                of_item[found.of_node[node.uid].number] = module
    return of_item


def functions(found: Items, zones: Sequence[Sequence[Item]]) -> list[str]:
    """Return the name of each function: its number, and what most of its items are in."""
    of_item = modules(found)
    names = []
    for index, zone in enumerate(zones):
        counts = Counter(of_item[item.number] for item in zone)
        module = max(sorted(counts), key=counts.__getitem__, default=TOP)
        names.append(f"zone_{index}_in_{re.sub(r'[^A-Za-z0-9]+', '_', module).strip('_')}")
    return names
