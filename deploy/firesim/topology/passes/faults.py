# SPDX-License-Identifier: BSD-3-Clause
"""Give each direction of each link its faults (docs/how-to/faulty-links.md)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

from firesim_common.errors import unknown
from firesim_common.positions import KeyPath

from firesim.config.link_faults import FaultRule, FrameMatch, LinkFaults
from firesim.config.loaded import Loaded
from firesim.topology.plan import Plan, PlannedLink
from firesim.topology.shape import Shape, ends_of, link_name

FAULTS_FOLDER = "faults"
"""Where a run writes what was done to which frame, in its results."""
NODES, SWITCHES = "nodes", "switches"
MAC = re.compile(r"[0-9A-Fa-f]{2}(?::[0-9A-Fa-f]{2}){5}")
LOOKS_IN = 3
"""A third of a link may be at either end, and the fate of a frame is decided at the first."""


def faulty_links(loaded: Loaded, shape: Shape, plan: Plan) -> Plan:
    """Return a plan whose links have their faults.

    Raises:
        InputError: a rule names a part that is not there, or a link is too short for its rules.
    """
    macs = _macs(plan)
    links = tuple(_faulty(loaded, shape, macs, link) for link in plan.links)
    return replace(plan, links=links)


def _faulty(
    loaded: Loaded, shape: Shape, macs: Mapping[str, str], link: PlannedLink
) -> PlannedLink:
    faults, path = _faults_of(loaded, link)
    if faults is None:
        return link
    for index, rule in enumerate(faults.rules):
        _check(loaded, shape, link, rule, (*path, "rules", index), macs)
    logs = [end.replace(":", ".") for end in ends_of(link.name)]
    ways = {
        "a_to_b": _direction(faults, link.a, "-to-".join(logs), macs),
        "b_to_a": _direction(faults, link.b, "-to-".join(reversed(logs)), macs),
    }
    return replace(link, faults={way: told for way, told in ways.items() if told is not None})


def _macs(plan: Plan) -> dict[str, str]:
    """Return the MAC address of each node, and by `node:port` that of each of its links."""
    at_ports = {
        f"{node.name}:{port}": mac for node in plan.nodes for port, mac in enumerate(node.macs)
    }
    return {node.name: node.mac for node in plan.nodes} | at_ports


def _faults_of(loaded: Loaded, link: PlannedLink) -> tuple[LinkFaults | None, KeyPath]:
    """Return the faults of a single link, else those of every link, and where they are given."""
    system = loaded.config.system
    for key in (link.name, link_name(*reversed(ends_of(link.name)))):
        special = system.links.get(key)
        if special is not None and special.faults is not None:
            return special.faults, ("system", "links", key, "faults")
    return system.link.faults, ("system", "link", "faults")


def _check(
    loaded: Loaded,
    shape: Shape,
    link: PlannedLink,
    rule: FaultRule,
    path: KeyPath,
    macs: Mapping[str, str],
) -> None:
    one_link = path[1] == "links"
    known = [link.a, link.b] if one_link else [*shape.nodes, *shape.switches]
    if rule.sender is not None and rule.sender not in (NODES, SWITCHES, *known):
        what = f'"{NODES}", "{SWITCHES}" or one of the parts'
        raise loaded.error((*path, "sender"), unknown(rule.sender, what, known))
    if rule.match is None:
        return
    for key in ("destination", "source"):
        name = getattr(rule.match, key)
        if name is not None and not MAC.fullmatch(name) and name not in macs:
            what = "a MAC address or one of the nodes"
            raise loaded.error((*path, "match", key), unknown(name, what, shape.nodes))
    least = LOOKS_IN * rule.match.flits_needed()
    if link.latency_cycles < least:
        raise loaded.error(
            (*path, "match"),
            f"found a match that looks at {rule.match.flits_needed()} flits of a frame, on the "
            f'link "{link.name}" of {link.latency_cycles} cycles, expected a link of at least '
            f"{least} cycles.",
        )


def _direction(
    faults: LinkFaults, sender: str, log: str, macs: Mapping[str, str]
) -> dict[str, Any] | None:
    """Return the faults of what one end puts in, None when no rule is about it."""
    kind = NODES if sender in macs else SWITCHES
    rules = [rule for rule in faults.rules if rule.sender in (None, kind, sender)]
    if not rules:
        return None
    return {
        "seed": faults.seed,
        "buffer_bytes": faults.buffer_bytes,
        "log": f"{FAULTS_FOLDER}/{log}.csv",
        "rules": [_rule(rule, macs) for rule in rules],
    }


def _rule(rule: FaultRule, macs: Mapping[str, str]) -> dict[str, Any]:
    told = rule.model_dump(exclude_none=True, exclude={"sender", "match", "probability"})
    if (probability := getattr(rule, "probability", None)) is not None:
        exact = Fraction(probability)
        told["probability"] = {"numerator": exact.numerator, "denominator": exact.denominator}
    if rule.match is not None:
        told["match"] = _match(rule.match, macs)
    return told


def _match(match: FrameMatch, macs: Mapping[str, str]) -> dict[str, Any]:
    told = match.model_dump(exclude_none=True, exclude={"bytes"})
    for key in ("destination", "source"):
        if key in told:
            told[key] = macs.get(told[key], told[key])
    told["bytes"] = [
        {
            key: bytes.fromhex(value).hex() if isinstance(value, str) else value
            for key, value in one.model_dump(exclude_none=True).items()
        }
        for one in match.bytes
    ]
    return told
