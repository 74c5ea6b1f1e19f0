# SPDX-License-Identifier: BSD-3-Clause
"""Named topologies: two_nodes, rack_N, tree_A_B, clos_M_N_R, fat_tree_Kary, planes_P_N, and grids
of switches: ring_S_N, mesh_X_Y_N and torus_X_Y_N."""

from __future__ import annotations

import math
import re
from collections.abc import Callable

from firesim_common.errors import cut, nearest

from firesim.topology.shape import Shape

MAX_NODES = 65_000
MOST_DIGITS = 10
EXAMPLES = (
    "two_nodes rack_8 tree_2_8 clos_2_8_2 fat_tree_4ary planes_2_8 ring_8_1 mesh_4_4_1 torus_4_4_1"
).split()


def rack(nodes: int) -> Shape:
    """One top-of-rack switch with `nodes` nodes."""
    return tree([nodes])


def tree(widths: list[int]) -> Shape:
    """A tree: widths [2, 8] are a root with 2 racks of 8 nodes, [4, 2, 8] one level more."""
    shape = Shape()
    levels = len(widths)
    counts = [0] * levels

    def grow(parent: str | None, level: int) -> None:
        kind = "tor" if level == levels - 1 else "root" if level == 0 else f"agg{level}_"
        name = "root" if kind == "root" else f"{kind}{counts[level]}"
        counts[level] += 1
        shape.switches.append(name)
        for _ in range(widths[level]):
            if level == levels - 1:
                shape.nodes.append(f"node{len(shape.nodes)}")
                shape.links.append((shape.nodes[-1], name))
            else:
                grow(name, level + 1)
        if parent is not None:
            shape.links.append((name, parent))

    grow(None, 0)
    return shape


def clos(roots: int, nodes_per_rack: int, racks: int) -> Shape:
    """Two levels: every one of `racks` ToR switches is linked to every one of `roots` roots."""
    shape = Shape(switches=[f"root{i}" for i in range(roots)])
    for rack_index in range(racks):
        tor = f"tor{rack_index}"
        shape.switches.append(tor)
        for _ in range(nodes_per_rack):
            shape.nodes.append(f"node{len(shape.nodes)}")
            shape.links.append((shape.nodes[-1], tor))
        shape.links.extend((tor, f"root{i}") for i in range(roots))
    return shape


def fat_tree(arity: int) -> Shape:
    """The three-level fat tree of switches with `arity` ports each; arity^3 / 4 nodes."""
    half = arity // 2
    shape = Shape(switches=[f"core{i}" for i in range(half * half)])
    for pod in range(arity):
        aggs = [f"agg{pod * half + i}" for i in range(half)]
        shape.switches.extend(aggs)
        for edge in range(half):
            tor = f"tor{pod * half + edge}"
            shape.switches.append(tor)
            for _ in range(half):
                shape.nodes.append(f"node{len(shape.nodes)}")
                shape.links.append((shape.nodes[-1], tor))
            shape.links.extend((tor, agg) for agg in aggs)
        for index, agg in enumerate(aggs):
            shape.links.extend((agg, f"core{index * half + i}") for i in range(half))
    return shape


def planes(count: int, nodes: int) -> Shape:
    """`count` switches, to each of which every one of `nodes` nodes has a link of its own.

    Port p of a node leads to switch p; no frame gets from one switch to another.
    """
    shape = Shape([f"node{i}" for i in range(nodes)], [f"tor{i}" for i in range(count)])
    shape.links.extend((node, switch) for switch in shape.switches for node in shape.nodes)
    return shape


def grid(sides: tuple[int, ...], nodes: int, wraps: bool) -> Shape:
    """Switches in a grid, each linked to the next along every side and to `nodes` nodes.

    With `wraps` the last one of a side is linked to the first: a ring, or a torus. Switches are
    numbered with the last side fastest.
    """
    shape = Shape(switches=[f"tor{i}" for i in range(math.prod(sides))])
    for name in shape.switches:
        for _ in range(nodes):
            shape.nodes.append(f"node{len(shape.nodes)}")
            shape.links.append((shape.nodes[-1], name))
    for index in range(math.prod(sides)):
        stride = math.prod(sides)
        for side in sides:
            stride //= side
            at = index // stride % side
            if at + 1 < side:
                shape.links.append((f"tor{index}", f"tor{index + stride}"))
            elif wraps and side > 2:  # Two are linked already.
                shape.links.append((f"tor{index}", f"tor{index - at * stride}"))
    return shape


def _tree_from(text: str) -> Shape:
    return tree([int(width) for width in text.split("_")])


_FORMS: list[tuple[str, str, Callable[[re.Match[str]], Shape]]] = [
    ("two_nodes", r"two_nodes", lambda m: rack(2)),
    ("rack_N", r"rack_([0-9]+)", lambda m: rack(int(m[1]))),
    ("tree_A_B", r"tree_([0-9]+(?:_[0-9]+){1,3})", lambda m: _tree_from(m[1])),
    (
        "clos_M_N_R",
        r"clos_([0-9]+)_([0-9]+)_([0-9]+)",
        lambda m: clos(int(m[1]), int(m[2]), int(m[3])),
    ),
    ("fat_tree_Kary", r"fat_tree_([0-9]+)ary", lambda m: fat_tree(int(m[1]))),
    ("planes_P_N", r"planes_([0-9]+)_([0-9]+)", lambda m: planes(int(m[1]), int(m[2]))),
    ("ring_S_N", r"ring_([0-9]+)_([0-9]+)", lambda m: grid((int(m[1]),), int(m[2]), True)),
    (
        "mesh_X_Y_N",
        r"mesh_([0-9]+)_([0-9]+)_([0-9]+)",
        lambda m: grid((int(m[1]), int(m[2])), int(m[3]), False),
    ),
    (
        "torus_X_Y_N",
        r"torus_([0-9]+)_([0-9]+)_([0-9]+)",
        lambda m: grid((int(m[1]), int(m[2])), int(m[3]), True),
    ),
]


def named_topology(name: str) -> Shape:
    """Return the shape of a named topology.

    Raises:
        ValueError: unknown name or numbers out of range; the message says what was expected.
    """
    for form, pattern, build in _FORMS:
        match = re.fullmatch(pattern, name)
        if match is None:
            continue
        digits = re.findall(r"[0-9]+", name)
        # A number of thousands of digits is not even read.
        numbers = [int(n) if len(n) < MOST_DIGITS else MAX_NODES + 1 for n in digits] or [2]
        if min(numbers) < 1 or max(numbers) > MAX_NODES:
            raise ValueError(f'found "{cut(name)}", expected numbers from 1 in {form}.')
        if form == "fat_tree_Kary" and (numbers[0] % 2 or not 2 <= numbers[0] <= 32):
            raise ValueError(f'found "{cut(name)}", expected an even number of ports from 2 to 32.')
        if form != "fat_tree_Kary" and math.prod(numbers) > MAX_NODES:
            raise ValueError(f'found "{cut(name)}", expected at most {MAX_NODES} nodes.')
        return build(match)
    close = nearest(name, EXAMPLES)
    hint = f', did you mean "{close}"?' if close else "."
    forms = ", ".join(form for form, _, _ in _FORMS)
    raise ValueError(f'found "{cut(name)}", expected one of {forms}{hint}')
