# SPDX-License-Identifier: BSD-3-Clause
"""Explicit topologies: a tree or a graph written in the configuration, as a shape."""

from __future__ import annotations

import re
from typing import Any

from firesim_common.base import NAME_RULE
from firesim_common.explain import shown
from firesim_common.positions import KeyPath

from firesim.config.loaded import Loaded
from firesim.config.system import Topology
from firesim.topology.named import named_topology
from firesim.topology.shape import Shape, link_name

MAX_DEPTH = 16
TOPOLOGY: KeyPath = ("system", "topology")


def shape_of(loaded: Loaded) -> Shape:
    """Return the shape that `system.topology` asks for.

    Raises:
        InputError: unknown name, or a tree or graph that is not well formed.
    """
    topology = loaded.config.system.topology
    if topology.named is not None:
        try:
            return named_topology(topology.named)
        except ValueError as error:
            raise loaded.error(TOPOLOGY, str(error)) from error
    if topology.tree is not None:
        return _tree(loaded, topology.tree)
    return _graph(topology)


def _graph(topology: Topology) -> Shape:
    shape = Shape(nodes=list(topology.nodes or []), switches=list(topology.switches or []))
    for kind, names in (("nodes", shape.nodes), ("switches", shape.switches)):
        for index, name in enumerate(names):
            shape.places[name] = (*TOPOLOGY, kind, index)
    for index, pair in enumerate(topology.links or []):
        a, b = pair if len(pair) == 2 else ("", "")
        shape.links.append((a, b))
        shape.places[link_name(a, b)] = (*TOPOLOGY, "links", index)
    return shape


def _tree(loaded: Loaded, tree: dict[str, Any]) -> Shape:
    if len(tree) != 1:
        raise loaded.error((*TOPOLOGY, "tree"), f"found {len(tree)} roots, expected one switch.")
    grower = _Grower(loaded)
    root, below = next(iter(tree.items()))
    grower.grow(root, below, (*TOPOLOGY, "tree", root), 1)
    return grower.shape


class _Grower:
    """Turns nested mappings (switches) and lists (nodes) into a shape."""

    def __init__(self, loaded: Loaded) -> None:
        self.loaded = loaded
        self.shape = Shape()

    def name(self, name: Any, path: KeyPath) -> str:
        """Return a name that is well formed and new."""
        if not isinstance(name, str) or not re.fullmatch(NAME_RULE, name):
            text = f"found {shown(name)}, expected the name of a node or switch."
            raise self.loaded.error(path, text)
        if name in self.shape.places:
            text = f'found "{name}" twice, expected each name once in a tree.'
            raise self.loaded.error(path, text)
        self.shape.places[name] = path
        return name

    def link(self, child: str, parent: str, path: KeyPath) -> None:
        """Link two names."""
        self.shape.links.append((child, parent))
        self.shape.places[link_name(child, parent)] = path

    def grow(self, name: str, below: Any, path: KeyPath, depth: int) -> None:
        """Add a switch and all below it."""
        self.shape.switches.append(self.name(name, path))
        if depth > MAX_DEPTH:
            raise self.loaded.error(path, f"found more than {MAX_DEPTH} levels of switches.")
        if isinstance(below, dict) and below:
            for child, inner in below.items():
                self.grow(child, inner, (*path, child), depth + 1)
                self.link(child, name, (*path, child))
        elif isinstance(below, list) and below:
            for index, node in enumerate(below):
                self.shape.nodes.append(self.name(node, (*path, index)))
                self.link(node, name, (*path, index))
        else:
            text = f"found {shown(below)}, expected switches or a list of nodes."
            raise self.loaded.error(path, text)
