"""Broken systems: topologies, names, addresses, blades and workloads, each with its message."""

from __future__ import annotations

from regression.bad_input_cases import Case

TWO = "system:\n  topology: two_nodes\n"
WORK = "workload:\n  node: {elf: good.elf}\n"


def graph(nodes: str, switches: str, *links: str) -> str:
    """Return a configuration with an explicit graph; links start at line 6."""
    lines = "".join(f"      - [{link}]\n" for link in links)
    head = f"system:\n  topology:\n    nodes: [{nodes}]\n    switches: [{switches}]\n    links:\n"
    return f"{head}{lines}{WORK}"


SYSTEM_CASES = [
    Case("unknown topology", "", "system:\n  topology: two_node\n"),
    Case("empty rack", "", "system:\n  topology: rack_0\n"),
    Case("too many nodes", "", "system:\n  topology: clos_100_100_100\n"),
    Case("odd fat tree", "", "system:\n  topology: fat_tree_3ary\n"),
    Case("large fat tree", "", "system:\n  topology: fat_tree_64ary\n"),
    Case("two forms", "", "system:\n  topology:\n    named: rack_8\n    tree: {tor: [a]}\n"),
    Case("half a graph", "", "system:\n  topology:\n    nodes: [a, b]\n"),
    Case("two roots", "", "system:\n  topology:\n    tree:\n      t0: [a]\n      t1: [b]\n"),
    Case("empty switch", "", "system:\n  topology:\n    tree:\n      root:\n        tor0: []\n"),
    Case(
        "a name twice in a tree",
        "",
        "system:\n  topology:\n    tree:\n      root:\n        tor0: [a, b]\n        tor1: [c, a]\n",
    ),
    Case("a number as a node", "", "system:\n  topology:\n    tree:\n      tor: [a, 7]\n"),
    Case("a name twice", "", graph("a, b, a", "tor", "a, tor", "b, tor")),
    Case("unknown end of a link", "", graph("a, b", "tor", "a, tor", "b, tr")),
    Case("link to itself", "", graph("a, b", "tor", "a, tor", "tor, tor")),
    Case("link of three", "", graph("a, b", "tor", "a, tor, b")),
    Case("a link twice", "", graph("a, b", "tor", "a, tor", "b, tor", "tor, a")),
    Case("nodes linked directly", "", graph("a, b", "tor", "a, tor", "a, b")),
    Case("unconnected node", "", graph("a, b", "tor", "a, tor")),
    Case("node with two links", "", graph("a", "s, t", "a, s", "a, t", "s, t")),
    Case("unconnected switch", "", graph("a", "s, t", "a, s")),
    Case("two islands", "", graph("a, b", "s, t", "a, s", "b, t")),
    Case(
        "cycle of switches",
        "",
        graph("a, b, c", "s, t, u", "a, s", "b, t", "c, u", "s, t", "t, u", "u, s"),
    ),
    Case("too many ports", "", "system:\n  topology: rack_1025\n" + WORK),
    Case("override of no node", "", TWO + "  nodes:\n    node2: {blade: rocket-1}\n" + WORK),
    Case("override of no switch", "", TWO + "  switches:\n    tor1: {buffer_bytes: 9216}\n" + WORK),
    Case("override of no link", "", TWO + "  links:\n    node0--tor1: {latency: 1us}\n" + WORK),
    Case("not a MAC", "", TWO + "  nodes:\n    node0: {mac: '00:12:6D'}\n" + WORK),
    Case("group MAC", "", TWO + "  nodes:\n    node0: {mac: '01:12:6D:00:00:02'}\n" + WORK),
    Case(
        "same MAC",
        "",
        TWO + "  nodes:\n    node0: {mac: '02:00:00:00:00:01'}\n"
        "    node1: {mac: '02:00:00:00:00:01'}\n" + WORK,
    ),
    Case(
        "MAC of another node",
        "",
        TWO + "  nodes:\n    node0: {mac: '00:12:6d:00:00:03'}\n" + WORK,
    ),
    Case("unknown blade", "", TWO + "  node:\n    blade: rokcet-1\n" + WORK),
    Case("no software", "", TWO),
    Case("unknown workload", "", TWO + "workload: quickstrat\n"),
    Case("unknown program", "", TWO + "workload:\n  node:\n    program: quickstrat\n"),
    Case("program and elf", "", TWO + "workload:\n  node: {program: hello, elf: a.elf}\n"),
    Case("job of no node", "", TWO + "workload:\n  nodes:\n    node9: {program: hello}\n"),
    Case("argument not a list", "", TWO + "workload:\n  node: {elf: good.elf, args: count=1}\n"),
    Case("unknown value", "", TWO + "workload:\n  node: {elf: good.elf, args: ['${node7.mac}']}\n"),
    Case("trace of no node", "", TWO + WORK + "simulation:\n  tracing: {nodes: [nod0]}\n"),
    Case("traffic without file", "", TWO + "  node:\n    blade: traffic\n"),
    Case("no such traffic", "", TWO + "  node:\n    blade: traffic\n    traffic: a.traffic\n"),
    Case("traffic for a blade", "", TWO + "  node:\n    traffic: a.traffic\n" + WORK),
    Case("odd NIC bandwidth", "", TWO + "  node:\n    nic_bandwidth_gbps: 0.123456789\n" + WORK),
]
