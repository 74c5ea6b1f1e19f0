# SPDX-License-Identifier: BSD-3-Clause
"""Refuse shapes that cannot be simulated: bad links, loose parts.

Loops between switches are welcome: frames follow shortest paths, broadcasts a spanning tree.
"""

from __future__ import annotations

from firesim_common.base import MOST_PORTS
from firesim_common.errors import unknown
from firesim_common.positions import KeyPath

from firesim.config.loaded import Loaded, is_file
from firesim.config.simulation import OF_ONE_NODE
from firesim.topology.levels import levels
from firesim.topology.shape import Shape, link_name, split_end

MAX_SWITCH_PORTS = 1024
MOST_SWITCHES = 3_000
MOST_ENTRIES = 12_000_000
"""A fat tree of 32 ports has 10.5 million; each is written into the description."""
MOST_WAYS = 1_000_000
"""From each switch to each one that has nodes. All of these bound the time of `resolve`."""


def validate(loaded: Loaded, shape: Shape) -> None:
    """Check the shape.

    Raises:
        InputError: the first thing wrong, with the place of the name or link at fault.
    """
    _names(loaded, shape)
    _links(loaded, shape)
    _degrees(loaded, shape)
    _size(loaded, shape)
    _connected(loaded, shape)
    _overrides(loaded, shape)


def _names(loaded: Loaded, shape: Shape) -> None:
    if not shape.nodes:
        raise loaded.error(("system", "topology"), "found no nodes, expected at least one.")
    seen: set[str] = set()
    for name in [*shape.nodes, *shape.switches]:
        if name in seen:
            raise loaded.error(
                shape.place(name), f'found the name "{name}" twice, expected it once.'
            )
        seen.add(name)


def _links(loaded: Loaded, shape: Shape) -> None:
    known = [*shape.nodes, *shape.switches]
    names, switches = set(known), set(shape.switches)
    seen: set[frozenset[str]] = set()
    at: dict[tuple[str, int], str] = {}
    """Of each port that a link says: the link."""
    for a, b in shape.links:
        place = shape.place(link_name(a, b))
        ends = [split_end(a), split_end(b)]
        if ends[0][0] == ends[1][0]:
            what = "no pair" if not a else f'a link from "{ends[0][0]}" to itself'
            raise loaded.error(place, f"found {what}, expected two different names [a, b].")
        for written, (name, port) in zip((a, b), ends, strict=True):
            if name not in names:
                raise loaded.error(place, unknown(name, "one of the nodes and switches", known))
            if port is None:
                continue
            if name in switches:
                text = f'found "{written}", expected "{name}": a switch has a port for each link.'
                raise loaded.error(place, text)
            if (other := at.setdefault((name, port), link_name(a, b))) != link_name(a, b):
                text = f'found a second link at "{written}", which "{other}" has, expected one.'
                raise loaded.error(place, text)
        if frozenset((a, b)) in seen:
            raise loaded.error(place, f'found the link "{a}" to "{b}" twice, expected it once.')
        seen.add(frozenset((a, b)))


def _degrees(loaded: Loaded, shape: Shape) -> None:
    count = {name: len(ports) for name, ports in shape.ports.items()}
    for node in shape.nodes:
        # Whether a blade of the user has a NIC is not known here, nor how many links a blade has.
        if count[node] == 0 and not _is_own(loaded, node):
            text = f'found no link at node "{node}", expected one to a switch.'
            raise loaded.error(shape.place(node), text)
        if count[node] > MOST_PORTS:
            text = f'found {count[node]} links at node "{node}", expected at most {MOST_PORTS}.'
            raise loaded.error(shape.place(node), text)
    for switch in shape.switches:
        if count[switch] == 0:
            raise loaded.error(
                shape.place(switch), f'found no link at switch "{switch}", expected one.'
            )
        if count[switch] > MAX_SWITCH_PORTS:
            raise loaded.error(
                shape.place(switch),
                f'found {count[switch]} ports at switch "{switch}", '
                f"expected at most {MAX_SWITCH_PORTS}.",
            )


def _size(loaded: Loaded, shape: Shape) -> None:
    """Refuse a network whose tables would take minutes and gigabytes: an entry for each node."""
    names = set(shape.switches)
    at_switches = [end for node in shape.nodes for end in shape.neighbours[node] if end in names]
    homes, switches = set(at_switches), len(names)
    for count, what, most in (
        (switches, "switches", MOST_SWITCHES),
        (switches * len(at_switches), "switches times nodes", MOST_ENTRIES),
        (switches * len(homes), "switches times those with nodes", MOST_WAYS),
    ):
        if count > most:
            text = f"found {count:,} {what}, expected at most {most:,}: each has a way to each."
            raise loaded.error(("system", "topology"), text)


def _is_own(loaded: Loaded, node: str) -> bool:
    """Return whether a node's blade is one that the configuration describes, or a blade file."""
    system = loaded.config.system
    special = system.nodes.get(node)
    blade = special.blade if special and special.blade is not None else system.node.blade
    return blade in system.blades or is_file("blade", blade)


def _connected(loaded: Loaded, shape: Shape) -> None:
    linked = [name for name, peers in shape.neighbours.items() if peers]
    if not linked:
        return
    reached = levels([linked[0]], shape.neighbours)
    for name in linked:
        if name not in reached:
            raise loaded.error(
                shape.place(name),
                f'found no path from "{linked[0]}" to "{name}", expected one.',
            )


def _overrides(loaded: Loaded, shape: Shape) -> None:
    system = loaded.config.system
    names = {link_name(a, b) for a, b in shape.links} | {link_name(b, a) for a, b in shape.links}
    for kind, given, known in (
        ("nodes", list(system.nodes), shape.nodes),
        ("switches", list(system.switches), shape.switches),
        ("links", list(system.links), sorted(names)),
    ):
        there = set(known)
        for name in given:
            if name not in there:
                raise loaded.error(
                    ("system", kind, name), unknown(name, f"one of the {kind}", known)
                )
    nodes = set(shape.nodes)
    for name in loaded.config.workload.nodes:
        if name not in nodes:
            raise loaded.error(
                ("workload", "nodes", name), unknown(name, "one of the nodes", shape.nodes)
            )
    _observed(loaded, shape)


def _observed(loaded: Loaded, shape: Shape) -> None:
    """Check the names of nodes below `simulation`."""
    simulation = loaded.config.simulation
    named: list[tuple[KeyPath, str]] = []
    named += [(("simulation", "engines", name), name) for name in simulation.engines]
    for kind in OF_ONE_NODE:
        for index, one in enumerate(getattr(simulation, kind)):
            named.append((("simulation", kind, index, "node"), one.node))
    named += [(("simulation", "tracing", "nodes"), name) for name in simulation.tracing.nodes or []]
    known = set(shape.nodes)
    for place, name in named:
        if name not in known:
            raise loaded.error(place, unknown(name, "one of the nodes", shape.nodes))
    for kind in ("waves", "activity", "capture"):
        seen: set[str] = set()
        for index, one in enumerate(getattr(simulation, kind)):
            name = one.node
            if name in seen:
                place = ("simulation", kind, index, "node")
                raise loaded.error(place, f'found "{name}" twice, expected each node once.')
            seen.add(name)
