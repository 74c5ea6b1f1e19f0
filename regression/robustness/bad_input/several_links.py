# SPDX-License-Identifier: BSD-3-Clause
"""Mistakes in nodes with several links: ports, addresses, and blades with too few links."""

from __future__ import annotations

from regression.robustness.bad_input.case import Case
from regression.robustness.bad_input.system import TWO, WORK, graph

PROGRAM = "workload:\n  node: {program: hello}\n"

SEVERAL_LINKS_CASES = [
    Case(
        "link to a second port that a blade does not have",
        (
            'bad.yaml:7: system.topology.links[1]: found the link "a--b" at port 1 of "a", '
            'expected port 0: its blade "rocket-1" has one link.'
        ),
        graph("a, b", "tor", "a, tor", "a, b").replace(WORK, PROGRAM),
    ),
    Case(
        "port that a blade with two links does not have",
        (
            'bad.yaml:6: system.topology.links[0]: found the link "a:2--tor" at port 2 of "a", '
            'expected a port from 0 to 1: its blade "rocket-1-two-links" has 2 links.'
        ),
        graph("a", "tor", "a:2, tor").replace(
            WORK, "  node: {blade: rocket-1-two-links}\n" + PROGRAM
        ),
    ),
    Case(
        "two links at one port",
        (
            'bad.yaml:7: system.topology.links[1]: found a second link at "a:1", which "a:1--s" '
            "has, expected one."
        ),
        graph("a", "s, t", "a:1, s", "a:1, t"),
    ),
    Case(
        "port of a switch",
        (
            'bad.yaml:6: system.topology.links[0]: found "tor:1", expected "tor": a switch has a '
            "port for each link."
        ),
        graph("a", "tor", "a, tor:1"),
    ),
    Case(
        "address of a link that a node does not have",
        (
            'bad.yaml:4: workload.node.args: found "${node1.mac1}" in the arguments of "node0", '
            'expected mac0: the links that "node1" has.'
        ),
        TWO + "workload:\n  node: {elf: good.elf, args: ['${node1.mac1}']}\n",
    ),
    Case(
        "address of a second link that another node has",
        (
            'bad.yaml:4: system.nodes.node0.more_macs[0]: found "00:12:6D:00:00:03", which "node1" '
            "already has, expected another."
        ),
        TWO + "  nodes:\n    node0: {more_macs: ['00:12:6d:00:00:03']}\n" + WORK,
    ),
    Case(
        "traffic node with two links",
        (
            'bad.yaml:7: system.topology.links[1]: found the link "a--t" at port 1 of "a", '
            'expected port 0: its blade "traffic" has one link.'
        ),
        graph("a", "s, t", "a, s", "a, t").replace(
            "workload", "  node: {blade: traffic, traffic: a.traffic}\nworkload"
        ),
        {"a.traffic": b"# none\n"},
    ),
    Case(
        "node with two links",
        (
            'bad.yaml:7: system.topology.links[1]: found the link "a--t" at port 1 of "a", '
            'expected port 0: its blade "rocket-1" has one link.'
        ),
        graph("a", "s, t", "a, s", "a, t", "s, t").replace(WORK, PROGRAM),
    ),
]
