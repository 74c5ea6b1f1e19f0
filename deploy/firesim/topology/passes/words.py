# SPDX-License-Identifier: BSD-3-Clause
"""Fill in what the software of a node is told of other nodes: ${node1.mac}, ${nodes}."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from firesim.config.loaded import Loaded
from firesim.topology.plan import PlannedNode

_AT_PORT = re.compile(r"(mac|ip)(0|[1-9][0-9]?)")


def with_words(loaded: Loaded, nodes: Mapping[str, PlannedNode], node: PlannedNode) -> PlannedNode:
    """Return a node with what its arguments and its command say of other nodes filled in."""
    if not any("${" in text for text in (*node.args, node.command or "")):
        return node
    args = tuple(_filled(loaded, nodes, node, text, "args") for text in node.args)
    command = node.command and _filled(loaded, nodes, node, node.command, "command")
    return replace(node, args=args, command=command)


def _filled(
    loaded: Loaded, nodes: Mapping[str, PlannedNode], node: PlannedNode, text: str, key: str
) -> str:
    """Replace ${name.mac}, ${name.ip1}, ${node.index}, ${nodes}, ... in an argument or command."""
    result = ""
    rest = text
    while "${" in rest:
        before, _, tail = rest.partition("${")
        word, closed, rest = tail.partition("}")
        value = _value(nodes, node, word) if closed else None
        if value is None:
            what = "arguments" if key == "args" else "command"
            raise loaded.error(
                node.places[key],
                f'found "${{{word}}}" in the {what} of "{node.name}", '
                + _wanted(nodes, node, word),
            )
        result += before + value
    return result + rest


def _value(nodes: Mapping[str, PlannedNode], node: PlannedNode, word: str) -> str | None:
    """Return what a word between ${ and } stands for; `node` is the one whose text it is."""
    if word == "nodes":
        return str(len(nodes))
    name, _, part = word.rpartition(".")
    meant = node if name == "node" else nodes.get(name)
    if meant is None:
        return None
    if found := _AT_PORT.fullmatch(part):
        addresses, port = meant.macs if found[1] == "mac" else meant.ips, int(found[2])
        return addresses[port] if port < len(addresses) else None
    return str(getattr(meant, part)) if part in ("mac", "ip", "index", "name") else None


def _wanted(nodes: Mapping[str, PlannedNode], node: PlannedNode, word: str) -> str:
    """Say what a word that stands for nothing should have been."""
    name, _, part = word.rpartition(".")
    meant = node if name == "node" else nodes.get(name)
    found = _AT_PORT.fullmatch(part)
    if meant is None or found is None:
        return "expected ${NODE.mac}, .ip, .index or .name, ${node....} or ${nodes}."
    last = f"0 to {found[1]}{len(meant.macs) - 1}" if meant.more_nics else "0"
    return f'expected {found[1]}{last}: the links that "{name}" has.'
