# SPDX-License-Identifier: BSD-3-Clause
"""The topologies that the earlier FireSim names, as ours."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from firesim_common.errors import cut, nearest

PAGE = "docs/how-to/import-from-firesim.md"
NO_NETWORK = "no_net_config"
_NAMES = {
    **{f"example_{n}config": f"rack_{n}" for n in (1, 2, 4, 8)},
    "example_16config": "tree_2_8",
    "example_32config": "tree_4_8",
    "example_64config": "tree_8_8",
    "example_128config": "tree_2_8_8",
    "example_256config": "tree_4_8_8",
    **{f"supernode_example_{n}config": f"rack_{n}" for n in (4, 6, 8, 16, 32)},
    "supernode_example_64config": "tree_2_32",
    "supernode_example_128config": "tree_4_32",
    "supernode_example_256config": "tree_8_32",
    "supernode_example_512config": "tree_2_8_32",
    "supernode_example_1024config": "tree_4_8_32",
    "supernode_example_deep64config": "tree_2_1_32",
    "small_hierarchy_8sims": "tree_4_2",
    "small_hierarchy_2sims": "tree_1_2",
    "clos_2_8_2": "clos_2_8_2",
    "clos_8_8_16": "clos_8_8_16",
    "fat_tree_4ary": "fat_tree_4ary",
}
_CROSS: dict[str, Any] = {
    "nodes": ["node0", "node1"],
    "switches": ["root0", "root1", "tor0", "tor1"],
    "links": [
        *(["node0", "tor0"], ["node1", "tor1"], ["tor0", "root0"], ["tor1", "root0"]),
        *(["tor0", "root1"], ["tor1", "root1"]),
    ],
}
_REFUSED = {
    r"example_multilink(_32|_64)?": "it has several links between the same two switches",
    r"(dual|triple)_example_8config": (
        "it is several clusters without a link between them: import example_8config for each"
    ),
    r"fireaxe_.*": "one design cut over several FPGAs (FireAxe) is not simulated",
    r"all_no_net_targets_config": (
        "its nodes have different designs, one of them BOOM: import no_net_config, then give each "
        "node its blade"
    ),
}


@dataclass(frozen=True)
class Topology:
    """A topology of ours: its value in a recipe, its nodes, and whether it has a network."""

    value: Any
    nodes: int
    networked: bool = True


def topology(name: str, alone: int) -> Topology:
    """Return the topology that a name means; `alone` nodes if it is the one without a network.

    Raises:
        ValueError: it has no counterpart, or nobody knows it.
    """
    if name == NO_NETWORK:
        return Topology(f"rack_{alone}", alone, networked=False)
    if name == "example_cross_links":
        return Topology(_CROSS, 2)
    if name in _NAMES:
        return Topology(_NAMES[name], _nodes(_NAMES[name]))
    for pattern, why in _REFUSED.items():
        if re.fullmatch(pattern, name):
            raise ValueError(f'found "{name}", which has no counterpart: {why}.')
    close = nearest(name, [*_NAMES, NO_NETWORK, "example_cross_links"])
    hint = f' (did you mean "{close}"?)' if close else ""
    raise ValueError(
        f'found "{cut(name)}", expected a topology that comes with FireSim{hint}; one of your own '
        f"user_topology.py is written again, in YAML or Python: {PAGE}#a-topology-of-your-own."
    )


def _nodes(name: str) -> int:
    widths = [int(width) for width in re.findall(r"\d+", name)]
    if name.startswith("fat_tree"):
        return int(widths[0] ** 3 / 4)
    product = 1
    for width in widths[1:] if name.startswith("clos") else widths:
        product *= width
    return product
