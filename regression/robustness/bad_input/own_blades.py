# SPDX-License-Identifier: BSD-3-Clause
"""A user's broken blades, and software that does not fit them, each with its message."""

from __future__ import annotations

import struct

from regression.robustness.bad_input.case import Case
from regression.robustness.bad_input.system import TWO

MINE = TWO + "  node: {blade: mine}\n  blades:\n    mine: "
GOOD = MINE + "{sources: [a.sv], top: A}\n"
SOURCE = {"a.sv": b"module A(input clock, input reset); endmodule\n"}
HERE = "system.blades.mine"


def _elf32(address: int, machine: int = 243) -> bytes:
    """Return a 32-bit ELF file that loads four bytes at an address."""
    ident = b"\x7fELF\x01\x01\x01" + bytes(9)
    header = struct.pack(
        "<16sHHIIIIIHHHHHH", ident, 2, machine, 1, address, 52, 0, 0, 52, 32, 1, 0, 0, 0
    )
    return header + struct.pack("<8I", 1, 84, address, address, 4, 4, 5, 4) + b"code"


OWN_BLADE_CASES = [
    Case(
        "own blade of no name",
        'bad.yaml:3: system.node.blade: found "mien", expected one of the blades {own}, '
        'did you mean "mine"?',
        TWO
        + "  node: {blade: mien}\n  blades: {mine: {sources: [a.sv], top: A}}\n"
        + "workload: {node: {program: hello}}\n",
        SOURCE,
    ),
    Case(
        "own blade called as one of ours",
        'bad.yaml:4: system.blades.rocket-1: found "rocket-1", which is a blade of FireSim, '
        "expected a name of its own.",
        TWO + "  blades:\n    rocket-1: {sources: [a.sv], top: A}\n",
        SOURCE,
    ),
    Case(
        "own blade without sources",
        f"bad.yaml:5: {HERE}.sources: found an empty list, expected at least 1 item.",
        MINE + "{sources: [], top: A}\n",
    ),
    Case(
        "reset of no level",
        f'bad.yaml:5: {HERE}.reset: found the level "down", expected "high" or "low".',
        MINE + "{sources: [a.sv], top: A, reset: {name: rst_n, active: down}}\n",
        SOURCE,
    ),
    Case(
        "trace without an address",
        f'bad.yaml:5: {HERE}.traces[0]: found no key "pc", expected valid and pc, or rvfi.',
        MINE + "{sources: [a.sv], top: A, traces: [{within: a.b, valid: c}]}\n",
        SOURCE,
    ),
    Case(
        "trace by the formal interface and by a wire",
        f"bad.yaml:5: {HERE}.traces[0]: found rvfi and pc, expected one of the two.",
        MINE + "{sources: [a.sv], top: A, traces: [{within: a.b, rvfi: 2, pc: c}]}\n",
        SOURCE,
    ),
    Case(
        "trace of more commits a cycle than there can be",
        f"bad.yaml:5: {HERE}.traces[0].rvfi: found 33, expected at most 32.",
        MINE + "{sources: [a.sv], top: A, traces: [{within: a.b, rvfi: 33}]}\n",
        SOURCE,
    ),
    Case(
        "trace within no instance",
        f'bad.yaml:5: {HERE}.traces[0].within: found "a b", expected a path of instances, such as '
        '"chip.tile.core".',
        MINE + '{sources: [a.sv], top: A, traces: [{within: "a b", valid: c, pc: d}]}\n',
        SOURCE,
    ),
    Case(
        "trace of two values",
        f'bad.yaml:5: {HERE}.traces[0].valid: found "c; d", expected one expression of '
        "SystemVerilog.",
        MINE + '{sources: [a.sv], top: A, traces: [{within: a.b, valid: "c; d", pc: e}]}\n',
        SOURCE,
    ),
    Case(
        "event with a signal and an expression",
        f"bad.yaml:5: {HERE}.events[0]: found both of signal and expression, expected one of "
        "the two.",
        MINE + "{sources: [a.sv], top: A, events: [{name: e, signal: a, expression: a}]}\n",
        SOURCE,
    ),
    Case(
        "own blade without a top",
        f'bad.yaml:5: {HERE}: found no key "top", expected the name of the top module.',
        MINE + "{sources: [a.sv]}\n",
        SOURCE,
    ),
    Case(
        "device tree of a blade that is none",
        f'bad.yaml:5: {HERE}.device_tree: found no device tree blob in "a.dtb", expected one made '
        "by dtc.",
        MINE + "{sources: [a.sv], top: A, device_tree: a.dtb}\n",
        {**SOURCE, "a.dtb": b"nothing"},
    ),
    Case(
        "device tree of a training that is no tree",
        f'bad.yaml:5: {HERE}.training.device_tree: found "a.txt", expected a name that ends in '
        ".dts or .dtb.",
        MINE + "{sources: [a.sv], top: A, training: {elf: a.elf, device_tree: a.txt}}\n",
        {**SOURCE, "a.txt": b"", "a.elf": b""},
    ),
    Case(
        "source that is not there",
        f'bad.yaml:5: {HERE}.sources[0]: found "a.sv", expected a file that exists.',
        GOOD,
    ),
    Case(
        "include folder that is a file",
        f'bad.yaml:5: {HERE}.include_dirs[0]: found "a.sv", expected a folder that exists.',
        MINE + "{sources: [a.sv], top: A, include_dirs: [a.sv]}\n",
        SOURCE,
    ),
    Case(
        "data file that is not there",
        f'bad.yaml:5: {HERE}.data_files[0]: found "rom.hex", expected a file that exists.',
        MINE + "{sources: [a.sv], top: A, data_files: [rom.hex]}\n",
        SOURCE,
    ),
    Case(
        "data file given twice",
        f'bad.yaml:5: {HERE}.data_files[1]: found the name "rom.hex" twice, expected it once.',
        MINE + "{sources: [a.sv], top: A, data_files: [rom.hex, ./rom.hex]}\n",
        {**SOURCE, "rom.hex": b"00\n"},
    ),
    Case(
        "unknown key of an own blade",
        f'bad.yaml:5: {HERE}.training: found "trafic", expected one of the keys "console", '
        '"device_tree", "elf", "max_cycles", "node" or "traffic", did you mean "traffic"?',
        MINE + "{sources: [a.sv], top: A, training: {trafic: a}}\n",
        SOURCE,
    ),
    Case(
        "training by a node that is not there",
        f'bad.yaml:5: {HERE}.training.node: found "nod0", expected one of the nodes with the blade '
        '"mine": "node0" or "node1", did you mean "node0"?',
        MINE + "{sources: [a.sv], top: A, training: {node: nod0}}\n",
        SOURCE,
    ),
    Case(
        "clock ratio of an own blade",
        f'bad.yaml:5: {HERE}.clock_ratios.slow: found "half", expected edges for edges of the '
        'clock, such as "1/2".',
        MINE + "{sources: [a.sv], top: A, clock_ratios: {slow: half}}\n",
        SOURCE,
    ),
    Case(
        "assertions of an own blade",
        f'bad.yaml:5: {HERE}.assertions: found "ignore", expected "skip" or "refuse".',
        MINE + "{sources: [a.sv], top: A, assertions: ignore}\n",
        SOURCE,
    ),
    Case(
        "own blade on the functional engine",
        'bad.yaml:7: simulation.engines.node1: found the engine functional for "node1", expected '
        'rtl: the blade "mine" is your RTL and nothing else.',
        GOOD + "simulation:\n  engines: {node1: functional}\n",
        SOURCE,
    ),
    Case(
        "training traffic that is not there",
        f'bad.yaml:5: {HERE}.training.traffic: found "t.traffic", expected a file that exists.',
        MINE + "{sources: [a.sv], top: A, training: {traffic: t.traffic}}\n",
        SOURCE,
    ),
    Case(
        "program beside an own blade's memory",
        'bad.yaml:7: workload.nodes.node0.elf: found a segment at 0x1000 to 0x1004 in "a.elf", '
        "expected it inside the memory 0x80000000 to 0x90000000.",
        GOOD + "workload:\n  nodes: {node0: {elf: a.elf}}\n",
        {**SOURCE, "a.elf": _elf32(0x1000)},
    ),
    Case(
        "program of an own blade that is none",
        'bad.yaml:7: workload.nodes.node0.elf: found no whole ELF file in "a.elf", expected one.',
        GOOD + "workload:\n  nodes: {node0: {elf: a.elf}}\n",
        {**SOURCE, "a.elf": b"\x7fELF\x01\x01 and nothing more"},
    ),
    Case(
        "device tree that is not there",
        'bad.yaml:7: workload.nodes.node0.device_tree: found "a.dts", expected a device tree that '
        "exists.",
        GOOD + "workload:\n  nodes: {node0: {device_tree: a.dts}}\n",
        SOURCE,
    ),
    Case(
        "device tree that is no blob",
        'bad.yaml:3: workload.node.device_tree: found no device tree blob in "a.dtb", expected one '
        "made by dtc.",
        TWO + "workload: {node: {program: hello, device_tree: a.dtb}}\n",
        {"a.dtb": b"no tree"},
    ),
    Case(
        "device tree of another suffix",
        'bad.yaml:3: workload.node.device_tree: found "a.txt", expected a name that ends in .dts '
        "or .dtb.",
        TWO + "workload: {node: {program: hello, device_tree: a.txt}}\n",
        {"a.txt": b"/dts-v1/; / { };"},
    ),
    Case(
        "unlinked node of ours",
        'bad.yaml:2: system.topology.nodes[0]: found no link at node "a", expected one to a '
        "switch.",
        "system:\n  topology: {nodes: [a], switches: [], links: []}\n"
        "workload: {node: {program: hello}}\n",
    ),
]
