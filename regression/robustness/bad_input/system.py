# SPDX-License-Identifier: BSD-3-Clause
"""Broken systems: topologies, names, addresses, blades and workloads, each with its message."""

from __future__ import annotations

from regression.robustness.bad_input.case import Case

TWO = "system:\n  topology: two_nodes\n"
WORK = "workload:\n  node: {elf: good.elf}\n"


def graph(nodes: str, switches: str, *links: str) -> str:
    """Return a configuration with an explicit graph; links start at line 6."""
    lines = "".join(f"      - [{link}]\n" for link in links)
    head = f"system:\n  topology:\n    nodes: [{nodes}]\n    switches: [{switches}]\n    links:\n"
    return f"{head}{lines}{WORK}"


SYSTEM_CASES = [
    Case(
        "unknown topology",
        (
            'bad.yaml:2: system.topology: found "two_node", expected one of two_nodes, '
            "rack_N, tree_A_B, clos_M_N_R, fat_tree_Kary, planes_P_N, ring_S_N, mesh_X_Y_N, "
            "torus_X_Y_N, "
            'did you mean "two_nodes"?'
        ),
        "system:\n  topology: two_node\n",
    ),
    Case(
        "empty rack",
        ('bad.yaml:2: system.topology: found "rack_0", expected numbers from 1 in ' "rack_N."),
        "system:\n  topology: rack_0\n",
    ),
    Case(
        "too many nodes",
        ('bad.yaml:2: system.topology: found "clos_100_100_100", expected at most ' "65000 nodes."),
        "system:\n  topology: clos_100_100_100\n",
    ),
    Case(
        "a rack of Arabic digits",
        (
            'bad.yaml:2: system.topology: found "rack_\u0663", expected one of two_nodes, rack_N, '
            "tree_A_B, clos_M_N_R, fat_tree_Kary, planes_P_N, ring_S_N, mesh_X_Y_N, torus_X_Y_N, "
            "did you mean "
            '"rack_8"?'
        ),
        "system:\n  topology: rack_\u0663\n",
    ),
    Case(
        "a root of 8,000 ports",
        (
            'bad.yaml:2: system.topology: found 8000 ports at switch "root", expected at most '
            "1024."
        ),
        "system:\n  topology: tree_8000_1\n",
    ),
    Case(
        "tables of 16 million entries",
        (
            "bad.yaml:2: system.topology: found 16,040,000 switches times nodes, expected at most "
            "12,000,000: each has a way to each."
        ),
        "system:\n  topology: tree_400_100\n",
    ),
    Case(
        "2 million ways between switches",
        (
            "bad.yaml:2: system.topology: found 2,560,000 switches times those with nodes, "
            "expected at most 1,000,000: each has a way to each."
        ),
        "system:\n  topology: mesh_40_40_1\n",
    ),
    Case(
        "odd fat tree",
        (
            'bad.yaml:2: system.topology: found "fat_tree_3ary", expected an even '
            "number of ports from 2 to 32."
        ),
        "system:\n  topology: fat_tree_3ary\n",
    ),
    Case(
        "ring of no switches",
        'bad.yaml:2: system.topology: found "ring_0_1", expected numbers from 1 in ring_S_N.',
        "system:\n  topology: ring_0_1\n" + WORK,
    ),
    Case(
        "large fat tree",
        (
            'bad.yaml:2: system.topology: found "fat_tree_64ary", expected an even '
            "number of ports from 2 to 32."
        ),
        "system:\n  topology: fat_tree_64ary\n",
    ),
    Case(
        "two forms",
        (
            "bad.yaml:2: system.topology: found named and tree, expected one of: a "
            "name, a tree, or a graph of nodes, switches and links."
        ),
        "system:\n  topology:\n    named: rack_8\n    tree: {tor: [a]}\n",
    ),
    Case(
        "half a graph",
        (
            "bad.yaml:2: system.topology: found only nodes, expected all of nodes, "
            "switches and links."
        ),
        "system:\n  topology:\n    nodes: [a, b]\n",
    ),
    Case(
        "two roots",
        "bad.yaml:3: system.topology.tree: found 2 roots, expected one switch.",
        "system:\n  topology:\n    tree:\n      t0: [a]\n      t1: [b]\n",
    ),
    Case(
        "empty switch",
        (
            "bad.yaml:5: system.topology.tree.root.tor0: found an empty list, expected "
            "switches or a list of nodes."
        ),
        "system:\n  topology:\n    tree:\n      root:\n        tor0: []\n",
    ),
    Case(
        "a name twice in a tree",
        (
            'bad.yaml:6: system.topology.tree.root.tor1[1]: found "a" twice, expected '
            "each name once in a tree."
        ),
        "system:\n  topology:\n    tree:\n      root:\n        tor0: [a, b]\n"
        "        tor1: [c, a]\n",
    ),
    Case(
        "a number as a node",
        (
            "bad.yaml:4: system.topology.tree.tor[1]: found 7, expected the name of a "
            "node or switch."
        ),
        "system:\n  topology:\n    tree:\n      tor: [a, 7]\n",
    ),
    Case(
        "a name twice",
        ('bad.yaml:3: system.topology.nodes[2]: found the name "a" twice, expected ' "it once."),
        graph("a, b, a", "tor", "a, tor", "b, tor"),
    ),
    Case(
        "unknown end of a link",
        (
            'bad.yaml:7: system.topology.links[1]: found "tr", expected one of the '
            'nodes and switches "a", "b" or "tor", did you mean "tor"?'
        ),
        graph("a, b", "tor", "a, tor", "b, tr"),
    ),
    Case(
        "link to itself",
        (
            'bad.yaml:7: system.topology.links[1]: found a link from "tor" to itself, '
            "expected two different names [a, b]."
        ),
        graph("a, b", "tor", "a, tor", "tor, tor"),
    ),
    Case(
        "link of three",
        (
            "bad.yaml:6: system.topology.links[0]: found no pair, expected two "
            "different names [a, b]."
        ),
        graph("a, b", "tor", "a, tor, b"),
    ),
    Case(
        "a link twice",
        (
            'bad.yaml:8: system.topology.links[2]: found the link "tor" to "a" twice, '
            "expected it once."
        ),
        graph("a, b", "tor", "a, tor", "b, tor", "tor, a"),
    ),
    Case(
        "unconnected node",
        (
            'bad.yaml:3: system.topology.nodes[1]: found no link at node "b", expected '
            "one to a switch."
        ),
        graph("a, b", "tor", "a, tor"),
    ),
    Case(
        "unconnected switch",
        ('bad.yaml:4: system.topology.switches[1]: found no link at switch "t", ' "expected one."),
        graph("a", "s, t", "a, s"),
    ),
    Case(
        "two islands",
        ('bad.yaml:3: system.topology.nodes[1]: found no path from "a" to "b", ' "expected one."),
        graph("a, b", "s, t", "a, s", "b, t"),
    ),
    Case(
        "too many ports",
        (
            'bad.yaml:2: system.topology: found 1025 ports at switch "tor0", expected '
            "at most 1024."
        ),
        "system:\n  topology: rack_1025\n" + WORK,
    ),
    Case(
        "override of no node",
        (
            'bad.yaml:4: system.nodes.node2: found "node2", expected one of the nodes '
            '"node0" or "node1", did you mean "node1"?'
        ),
        TWO + "  nodes:\n    node2: {blade: rocket-1}\n" + WORK,
    ),
    Case(
        "override of no switch",
        (
            'bad.yaml:4: system.switches.tor1: found "tor1", expected one of the '
            'switches "tor0", did you mean "tor0"?'
        ),
        TWO + "  switches:\n    tor1: {buffer_bytes: 9216}\n" + WORK,
    ),
    Case(
        "override of no link",
        (
            'bad.yaml:4: system.links.node0--tor1: found "node0--tor1", expected one of '
            'the links "node0--tor0", "node1--tor0", "tor0--node0" or "tor0--node1", '
            'did you mean "node0--tor0"?'
        ),
        TWO + "  links:\n    node0--tor1: {latency: 1us}\n" + WORK,
    ),
    Case(
        "not a MAC",
        (
            'bad.yaml:4: system.nodes.node0.mac: found "00:12:6D", expected a MAC '
            "address such as 00:12:6D:00:00:02."
        ),
        TWO + "  nodes:\n    node0: {mac: '00:12:6D'}\n" + WORK,
    ),
    Case(
        "group MAC",
        (
            'bad.yaml:4: system.nodes.node0.mac: found "01:12:6D:00:00:02", expected '
            "the address of one node, not of a group."
        ),
        TWO + "  nodes:\n    node0: {mac: '01:12:6D:00:00:02'}\n" + WORK,
    ),
    Case(
        "same MAC",
        (
            'bad.yaml:5: system.nodes.node1.mac: found "02:00:00:00:00:01", which '
            '"node0" already has, expected another.'
        ),
        TWO + "  nodes:\n    node0: {mac: '02:00:00:00:00:01'}\n"
        "    node1: {mac: '02:00:00:00:00:01'}\n" + WORK,
    ),
    Case(
        "MAC of another node",
        (
            'bad.yaml:4: system.nodes.node0.mac: found "00:12:6D:00:00:03", which '
            '"node1" already has, expected another.'
        ),
        TWO + "  nodes:\n    node0: {mac: '00:12:6d:00:00:03'}\n" + WORK,
    ),
    Case(
        "unknown blade",
        (
            'bad.yaml:4: system.node.blade: found "rokcet-1", expected one of the '
            'blades {blades}, did you mean "rocket-1"?'
        ),
        TWO + "  node:\n    blade: rokcet-1\n" + WORK,
    ),
    Case(
        "no software",
        (
            'bad.yaml:1: workload: found no program for node "node0", expected the key '
            "program, elf or linux."
        ),
        TWO,
    ),
    Case(
        "unknown workload",
        (
            'bad.yaml:3: workload.base: found "quickstrat", expected one of the '
            'workloads {workloads}, did you mean "quickstart"?'
        ),
        TWO + "workload: quickstrat\n",
    ),
    Case(
        "unknown program",
        (
            'bad.yaml:5: workload.node.program: found "quickstrat", expected one of the '
            'programs {programs}, did you mean "quickstart"?'
        ),
        TWO + "workload:\n  node:\n    program: quickstrat\n",
    ),
    Case(
        "a file as a program",
        (
            'bad.yaml:5: workload.node.program: found "hello.elf", expected the name of a program '
            "of FireSim, or a file of yours under the key elf."
        ),
        TWO + "workload:\n  node:\n    program: hello.elf\n",
    ),
    Case(
        "program and elf",
        "bad.yaml:4: workload.node: found program and elf, expected one of the two.",
        TWO + "workload:\n  node: {program: hello, elf: a.elf}\n",
    ),
    Case(
        "job of no node",
        (
            'bad.yaml:5: workload.nodes.node9: found "node9", expected one of the nodes '
            '"node0" or "node1", did you mean "node1"?'
        ),
        TWO + "workload:\n  nodes:\n    node9: {program: hello}\n",
    ),
    Case(
        "argument not a list",
        'bad.yaml:4: workload.node.args: found "count=1", expected a list.',
        TWO + "workload:\n  node: {elf: good.elf, args: count=1}\n",
    ),
    Case(
        "unknown argument",
        (
            'bad.yaml:4: workload.node.args[0]: found "cuont", expected one of the '
            'arguments of "ping" "count", "peer", "polls", "role", "size" or "wait", '
            'did you mean "count"?'
        ),
        TWO + "workload:\n  node: {program: ping, args: [cuont=5]}\n",
    ),
    Case(
        "argument twice",
        'bad.yaml:4: workload.node.args[1]: found "count" twice, expected it once.',
        TWO + "workload:\n  node: {program: ping, args: [count=5, count=6]}\n",
    ),
    Case(
        "unknown value",
        (
            'bad.yaml:4: workload.node.args: found "${node7.mac}" in the arguments of '
            '"node0", expected ${NODE.mac}, .ip, .index or .name, ${node....} or '
            "${nodes}."
        ),
        TWO + "workload:\n  node: {elf: good.elf, args: ['${node7.mac}']}\n",
    ),
    Case(
        "trace of no node",
        (
            'bad.yaml:6: simulation.tracing.nodes: found "nod0", expected one of the '
            'nodes "node0" or "node1", did you mean "node0"?'
        ),
        TWO + WORK + "simulation:\n  tracing: {nodes: [nod0]}\n",
    ),
    Case(
        "traffic without file",
        (
            'bad.yaml:4: system.node.blade: found blade "traffic", expected also the '
            'key "traffic".'
        ),
        TWO + "  node:\n    blade: traffic\n",
    ),
    Case(
        "no such traffic",
        ('bad.yaml:5: system.node.traffic: found "a.traffic", expected a file that ' "exists."),
        TWO + "  node:\n    blade: traffic\n    traffic: a.traffic\n",
    ),
    Case(
        "traffic for a blade",
        (
            "bad.yaml:4: system.node.traffic: found a traffic file for blade "
            '"rocket-1", expected blade "traffic".'
        ),
        TWO + "  node:\n    traffic: a.traffic\n" + WORK,
    ),
    Case(
        "odd NIC bandwidth",
        (
            "bad.yaml:4: system.node.nic_bandwidth_gbps: found 0.123456789 Gb/s, "
            "expected a rate of k flits every p cycles with k and p below 65536, the "
            "nearest is 0.12345679 Gb/s."
        ),
        TWO + "  node:\n    nic_bandwidth_gbps: 0.123456789\n" + WORK,
    ),
]
