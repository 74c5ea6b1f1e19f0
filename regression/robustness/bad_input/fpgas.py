# SPDX-License-Identifier: BSD-3-Clause
"""Nodes on FPGAs that cannot be there: database, bitstream, run farm, and at last the driver."""

from __future__ import annotations

from hashlib import sha256

from regression.robustness.bad_input.case import Case
from regression.robustness.bad_input.fingerprint import FINGERPRINT, SOURCE
from regression.robustness.bad_input.system import TWO

ENTRY = """mine-1:
  bitstream: firesim.bit
  fingerprint: {fingerprint}
  board: ulx3s
  frequency_mhz: 25.0
  built: '2026-11-23T14:00:00Z'
"""
BITS = b"bits"
FARM = b"kind: ssh\nhosts:\n  - {address: lab1, fpgas: 1, platform: ulx3s}\n"
TWO_BOARDS = FARM + b"  - {address: lab2, fpgas: 1, platform: ecp5-85f}\n"


def _two(board: bytes) -> bytes:
    return TWO_BOARDS.replace(b"ulx3s", board).replace(b"ecp5-85f", board)


HERE = b"kind: local\nfpgas: 2\nplatform: ulx3s\ndevices: [/dev/null, /dev/zero]\n"
WITH_DEVICES = FARM.replace(b"platform: ulx3s", b"platform: ulx3s, devices: [/dev/ttyUSB0]")

TWO_NAMED = WITH_DEVICES + WITH_DEVICES.splitlines(keepends=True)[-1].replace(b"lab1", b"lab2")


def _text(more: str = "    entries: {mine: mine-1}\n", farm: bool = True) -> str:
    where = "placement: {run_farm: lab.yaml}\n" if farm else ""
    return (
        f"{TWO}  node: {{blade: mine}}\n  blades:\n    mine: {{sources: [a.sv], top: A}}\n"
        f"simulation:\n  engine: fpga\n  fpga:\n    hwdb: hwdb.yaml\n{more}{where}"
    )


def _files(entry: str = ENTRY, farm: bytes = FARM) -> dict[str, bytes]:
    return {"a.sv": SOURCE, "hwdb.yaml": entry.encode(), "lab.yaml": farm}


OTHER = ENTRY.replace(FINGERPRINT, "0123456789abcdef")

FPGA_CASES = [
    Case(
        "broken hardware database",
        'hwdb.yaml:3: mine-1: found "figerprint", expected one of the keys "afi", "agfi", '
        '"bitstream", "blades", "board", "built", "capture", "copies", "fingerprint", '
        '"frequency_mhz", "memory", "region" or 3 more, did you mean "fingerprint"?',
        _text(),
        _files(OTHER.replace("fingerprint", "figerprint")),
    ),
    Case(
        "entry with two places",
        'hwdb.yaml:1: mine-1: expected exactly one of the keys "bitstream" and "agfi".',
        _text(),
        _files(OTHER + "  agfi: agfi-0123\n"),
    ),
    Case(
        "no hardware database",
        "hwdb.yaml: cannot be read: No such file or directory.",
        _text(),
        {"a.sv": SOURCE, "lab.yaml": FARM},
    ),
    Case(
        "blade without an entry",
        'bad.yaml:7: simulation.engine: found the engine fpga for "node0", expected its bitstream '
        "in simulation.fpga.entries: {mine: ENTRY}.",
        _text(""),
        _files(OTHER),
    ),
    Case(
        "entry of no name",
        'bad.yaml:10: simulation.fpga.entries.mine: found "mine-2", expected one of the entries of '
        'hwdb.yaml "mine-1", did you mean "mine-1"?',
        _text("    entries: {mine: mine-2}\n"),
        _files(OTHER),
    ),
    Case(
        "entry for no board",
        'hwdb.yaml: mine-1.board: found "ulx33", expected one of the boards "ecpix5", "f2", '
        '"nitefury", "u200", "u250", "u280", "ulx3s", "vcu118" or "versa-ecp5", did you mean '
        '"ulx3s"?',
        _text(),
        _files(OTHER.replace("ulx3s", "ulx33")),
    ),
    Case(
        "FPGAs without a farm",
        "bad.yaml:7: simulation.engine: found the engine fpga without a run farm, expected one "
        "with `platform` and `fpgas` in the specification of its hosts.",
        _text(farm=False),
        _files(OTHER),
    ),
    Case(
        "too few FPGAs",
        "bad.yaml:11: placement.run_farm: found 1 FPGAs of platform ulx3s in the run farm, "
        "expected 2, one for each node.",
        _text(),
        _files(OTHER),
    ),
    Case(
        "too few FPGAs with several blades on each",
        "bad.yaml:11: placement.run_farm: found 0 FPGAs of platform f2 in the run farm, "
        "expected 1, one for as many nodes as its bitstream takes.",
        _text(),
        _files(OTHER.replace("ulx3s", "f2\n  blades: 2")),
    ),
    Case(
        "too few nodes for a supernode",
        "bad.yaml:10: simulation.fpga.entries.mine: found 2 of 4 nodes on FPGA 0 of lab1 with the "
        'bitstream "mine-1", expected all: it is a supernode, whose blades take their cycles '
        "together.",
        _text(),
        _files(OTHER.replace("ulx3s", "f2\n  blades: 4\n  supernode: true"), _two(b"f2")),
    ),
    Case(
        "platform of no board",
        'lab.yaml: lab2: platform: found "u25", expected one of the boards "ecpix5", "f2", '
        '"nitefury", "u200", "u250", "u280", "ulx3s", "vcu118" or "versa-ecp5", did you mean '
        '"u250"?',
        _text(),
        _files(OTHER, TWO_BOARDS.replace(b"ecp5-85f", b"u25")),
    ),
    Case(
        "wrong fingerprint",
        'bad.yaml:10: simulation.fpga.entries.mine: hwdb entry "mine-1": found a bitstream with '
        "the fingerprint 0123456789abcdef, expected {fingerprint}, that of the blade "
        '"mine": firesim buildbitstream builds it again.',
        _text(),
        {**_files(OTHER, HERE), "firesim.bit": BITS},
    ),
    Case(
        "bitstream that is not there",
        'hwdb entry "mine-1": found no file firesim.bit, expected its bitstream.',
        _text(),
        _files(ENTRY, TWO_BOARDS),
    ),
    Case(
        "bitstream with another content",
        f'hwdb entry "mine-1": found the SHA-256 {sha256(BITS).hexdigest()[:16]}... of '
        f"firesim.bit, expected {'0' * 16}...",
        _text(),
        {**_files(f"{ENTRY}  sha256: '{'0' * 64}'\n", TWO_BOARDS), "firesim.bit": BITS},
    ),
    Case(
        "no driver for a board",
        'bad.yaml:7: simulation.engine: found the engine fpga for "node0", expected metasim: its '
        'bitstream "mine-1" is right and FPGA 0 of lab1 is there, but FireSim has no driver yet '
        "that reaches a versa-ecp5.",
        _text(),
        {**_files(ENTRY.replace("ulx3s", "versa-ecp5"), _two(b"versa-ecp5")), "firesim.bit": BITS},
    ),
    Case(
        "board on Ethernet without an address",
        "bad.yaml:11: placement.run_farm: found no device of FPGA 0 of lab1, expected its IPv4 "
        "address, such as 192.168.1.50, in `devices` of the host in lab.yaml.",
        _text(),
        {**_files(ENTRY.replace("ulx3s", "ecpix5"), _two(b"ecpix5")), "firesim.bit": BITS},
    ),
    Case(
        "card without a device",
        "bad.yaml:11: placement.run_farm: found no device of FPGA 0 of lab1, expected the name "
        "that AMD's XDMA driver gave it, such as /dev/xdma0, in `devices` of the host in lab.yaml.",
        _text(),
        {**_files(ENTRY.replace("ulx3s", "u250"), _two(b"u250")), "firesim.bit": BITS},
    ),
    Case(
        "FPGA without a device",
        "bad.yaml:11: placement.run_farm: found no device of FPGA 0 of lab1, expected its serial "
        "device, such as /dev/ttyUSB0, in `devices` of the host in lab.yaml.",
        _text(),
        {**_files(ENTRY, TWO_BOARDS), "firesim.bit": BITS},
    ),
    Case(
        "device that is no path",
        'bad.yaml:11: placement.run_farm: found the device "ttyUSB0" of FPGA 0 of lab1, expected '
        "its serial device, such as /dev/ttyUSB0, in `devices` of the host in lab.yaml.",
        _text(),
        {**_files(ENTRY, TWO_NAMED.replace(b"/dev/", b"")), "firesim.bit": BITS},
    ),
    Case(
        "path for a board on Ethernet",
        'bad.yaml:11: placement.run_farm: found the device "/dev/ttyUSB0" of FPGA 0 of lab1, '
        "expected its IPv4 address, such as 192.168.1.50, in `devices` of the host in lab.yaml.",
        _text(),
        {
            **_files(ENTRY.replace("ulx3s", "ecpix5"), TWO_NAMED.replace(b"ulx3s", b"ecpix5")),
            "firesim.bit": BITS,
        },
    ),
    Case(
        "devices for other FPGAs",
        "lab.yaml:3: hosts[0]: found 1 devices for 2 FPGAs, expected one each.",
        _text(),
        {**_files(ENTRY, WITH_DEVICES.replace(b"fpgas: 1", b"fpgas: 2")), "firesim.bit": BITS},
    ),
    Case(
        "FPGAs of hosts without names",
        "bad.yaml:11: placement.run_farm: found a run farm of kind slurm, whose hosts have no "
        "names yet, expected one of kind local or ssh for the engine fpga.",
        _text(),
        _files(OTHER, b"kind: slurm\nnodes: 2\nfpgas: 1\nplatform: ulx3s\n"),
    ),
]
