# SPDX-License-Identifier: BSD-3-Clause
"""What an item costs, in operations."""

from __future__ import annotations

from goldengate.engine.items import Item

_COSTS = {
    "cat": 2.0,
    "lt": 1.5,
    "read": 2.0,
    "pick": 2.0,
    "table": 2.0,
    "mul": 3.0,
    "mulh": 4.0,
    "div": 25.0,
    "mod": 25.0,
}


def item_cost(item: Item) -> float:
    """Return the cost of an item in operations."""
    if item.kind == "write":
        return 2.0
    if item.node is None:
        return 1.0
    node = item.node
    if node.op == "cat":
        return 2.0 * len(node.args) - 2.0
    return 600.0 if node.op in ("divw", "modw") else _COSTS.get(node.op, 1.0)
