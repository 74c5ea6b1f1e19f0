# SPDX-License-Identifier: BSD-3-Clause
"""Broken engines, snapshots and Linux jobs, each with its message."""

from __future__ import annotations

from regression.robustness.bad_input.case import Case
from regression.robustness.bad_input.system import TWO, WORK

SNAPSHOTS = TWO + "simulation:\n  snapshots: "
TWO_NODES = 'expected one of the nodes "node0" or "node1", did you mean "node0"?'

ENGINE_CASES = [
    Case(
        "engine of no node",
        f'bad.yaml:6: simulation.engines.nod0: found "nod0", {TWO_NODES}',
        TWO + WORK + "simulation:\n  engines: {nod0: functional}\n",
    ),
    Case(
        "unknown engine of a node",
        (
            'bad.yaml:4: simulation.engines.node0: found "functionl", expected "rtl", "metasim", '
            '"functional" or "fpga", did you mean "functional"?'
        ),
        TWO + "simulation:\n  engines: {node0: functionl}\n",
    ),
    Case(
        "engine of a traffic node",
        (
            'bad.yaml:6: simulation.engines.node0: found an engine for "node0", expected none: '
            "it replays a traffic file."
        ),
        TWO
        + "  node: {blade: traffic, traffic: a.traffic}\nsimulation:\n"
        + "  threads: 1\n  engines: {node0: rtl}\n",
        {"a.traffic": b"# none\n"},
    ),
    Case(
        "traffic to nobody",
        (
            'a.traffic:2: found the destination "zz", expected an address like '
            '00:12:6D:00:00:02, or "frame".'
        ),
        TWO + "  node: {blade: traffic, traffic: a.traffic}\n",
        {"a.traffic": b"# one packet\n1000 zz 64\n"},
    ),
    Case(
        "capture that is cut off",
        ("a.pcap: after packet 0: found a capture that is cut off, expected a whole one."),
        TWO + "  node: {blade: traffic, traffic: a.pcap}\n",
        {"a.pcap": b"\xd4\xc3\xb2\xa1\2\0\4\0" + bytes(8) + b"\xff\xff\0\0\1\0\0\0\0"},
    ),
    Case(
        "short quantum",
        "bad.yaml:4: simulation.functional.quantum_cycles: found 1, expected at least 16 cycles.",
        TWO + "simulation:\n  functional: {quantum_cycles: 1}\n",
    ),
    Case(
        "free instructions",
        (
            "bad.yaml:4: simulation.functional.cycles_per_instruction: found 0, "
            "expected at least 1."
        ),
        TWO + "simulation:\n  functional: {cycles_per_instruction: 0}\n",
    ),
    Case(
        "processes of a metasimulated node",
        (
            'bad.yaml:7: simulation.tracing.processes: found true and "node0", whose engine is '
            "metasim, expected engine rtl or functional."
        ),
        TWO
        + "workload: {node: {linux: linux-hello}}\nsimulation:\n  engine: metasim\n"
        + "  tracing:\n    processes: true\n    enabled: true\n",
    ),
    Case(
        "host that always stalls",
        "bad.yaml:4: simulation.metasim.stall_rate: found 256, expected at most 240.",
        TWO + "simulation:\n  metasim: {stall_rate: 256}\n",
    ),
    Case(
        "peek at a functional node",
        (
            'bad.yaml:6: simulation.peeks[0].node: found "node1", whose engine is functional, '
            "expected a node of engine rtl or metasim."
        ),
        TWO
        + "workload: {node: {program: hello}}\nsimulation:\n  engines: {node1: functional}\n"
        + "  peeks: [{node: node1, cycles: [5], signals: [a]}]\n",
    ),
]

NETWORK_CASES = [
    Case(
        "unknown mode of the network",
        (
            'bad.yaml:4: simulation.network.mode: found "functionl", expected "exact" or '
            '"functional", did you mean "functional"?'
        ),
        TWO + "simulation:\n  network: {mode: functionl}\n",
    ),
    Case(
        "unknown network",
        ('bad.yaml:4: simulation.network: found "loose", expected "exact" or "functional".'),
        TWO + "simulation:\n  network: loose\n",
    ),
    Case(
        "drift of an exact network",
        (
            'bad.yaml:4: simulation.network: found max_drift_us with mode "exact", expected mode '
            '"functional".'
        ),
        TWO + "simulation:\n  network: {max_drift_us: 50}\n",
    ),
    Case(
        "drift of a second",
        "bad.yaml:4: simulation.network.max_drift_us: found 1000000, expected at most 1000 us.",
        TWO + "simulation:\n  network: {mode: functional, max_drift_us: 1000000}\n",
    ),
    Case(
        "drift with a unit",
        'bad.yaml:4: simulation.network.max_drift_us: found "50us", expected a whole number of us.',
        TWO + "simulation:\n  network: {mode: functional, max_drift_us: 50us}\n",
    ),
]

SNAPSHOT_CASES = [
    Case(
        "interval without a unit",
        (
            'bad.yaml:4: simulation.snapshots.interval: found "30", expected a time with a unit: '
            '"500ms", "30s", "5min" or "1h".'
        ),
        SNAPSHOTS + '{interval: "30"}\n',
    ),
    Case(
        "interval too short",
        'bad.yaml:4: simulation.snapshots.interval: found "1ms", expected at least 0.1 s.',
        SNAPSHOTS + "{interval: 1ms}\n",
    ),
    Case(
        "two intervals",
        (
            "bad.yaml:4: simulation.snapshots: found interval and interval_cycles, expected one "
            "of the two."
        ),
        SNAPSHOTS + "{interval: 30s, interval_cycles: 1000}\n",
    ),
    Case(
        "snapshot at cycle 0",
        "bad.yaml:4: simulation.snapshots.at_cycles[1]: found 0, expected at least 1.",
        SNAPSHOTS + "{at_cycles: [1000, 0]}\n",
    ),
    Case(
        "no snapshot kept",
        "bad.yaml:4: simulation.snapshots.keep: found 0, expected at least 1.",
        SNAPSHOTS + "{keep: 0}\n",
    ),
    Case(
        "unknown key of snapshots",
        (
            'bad.yaml:4: simulation.snapshots: found "at_cycle", expected one of the keys '
            '"at_cycles", "interval", "interval_cycles" or "keep", did you mean '
            '"at_cycles"?'
        ),
        SNAPSHOTS + "{at_cycle: [5]}\n",
    ),
]

LINUX_CASES = [
    Case(
        "linux and program",
        "bad.yaml:4: workload.node: found program and linux, expected one of the two.",
        TWO + "workload:\n  node: {program: hello, linux: linux-base}\n",
    ),
    Case(
        "three programs",
        "bad.yaml:4: workload.node: found program and elf and linux, expected one of the three.",
        TWO + "workload:\n  node: {program: hello, elf: a.elf, linux: linux-base}\n",
    ),
    Case(
        "command of a bare-metal program",
        "bad.yaml:4: workload.node: found command beside program, expected it beside linux.",
        TWO + "workload:\n  node: {program: hello, command: ls}\n",
    ),
    Case(
        "command without Linux",
        (
            'bad.yaml:5: workload.nodes.node0.command: found a command for node "node0", expected '
            "it only for Linux."
        ),
        TWO + "workload: {node: {program: hello}, nodes: {\n  node1: {},\n  node0: {command: ls}}}",
    ),
    Case(
        "command with double quotes",
        (
            'bad.yaml:4: workload.node.command: found "echo "hi"", expected printable ASCII '
            "text without double quotes."
        ),
        TWO + "workload:\n  node: {linux: linux-base, command: 'echo \"hi\"'}\n",
    ),
    Case(
        "unknown Linux workload",
        (
            'bad.yaml:4: workload.node.linux: found "zzz", expected one of the Linux workloads '
            "{linux}."
        ),
        TWO + "workload:\n  node: {linux: zzz}\n",
    ),
    Case(
        "too little memory for Linux",
        (
            'bad.yaml:3: system.node.memory: found 16 MiB of memory for "node0", expected at '
            'least 64 MiB for the Linux workload "linux-base".'
        ),
        TWO + "  node: {memory: {size_mib: 16}}\nworkload: {node: {linux: linux-base}}\n",
    ),
    Case(
        "unknown value in a command",
        (
            'bad.yaml:4: workload.node.command: found "${node7.ip}" in the command of "node0", '
            "expected ${NODE.mac}, .ip, .index or .name, ${node....} or ${nodes}."
        ),
        TWO + "workload:\n  node: {linux: linux-base, command: 'ping ${node7.ip}'}\n",
    ),
]
