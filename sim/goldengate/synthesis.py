# SPDX-License-Identifier: BSD-3-Clause
"""Synthesis for FPGA families with Yosys: what a design takes of a device, whole and by module.

`synthesize` runs in a process of its own, `python -m goldengate.synthesis TASK.json`, as Yosys ends
its process on an error. It leaves `netlist.json`, the netlist of the family's cells, `netlist.v`,
the same for simulation, and `counts.json` in its folder.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from firesim_common.tools import python_command

from goldengate.errors import GoldenGateError
from goldengate.synthesis_cells import FAMILIES, KINDS, kind_of, weight_of

COUNTS, NETLIST, NETLIST_VERILOG = "counts.json", "netlist.json", "netlist.v"
_COMMANDS = {
    "ecp5": "synth_ecp5 -top {top}",
    "xcup": "synth_xilinx -family xcup -flatten -noiopad -top {top}",
    "xc7": "synth_xilinx -family xc7 -flatten -noiopad -top {top}",
}


@dataclass(frozen=True)
class Counts:
    """What a design takes: by kind (`lut`, `ff`, `bram_kbit`, ...), by cell, and by module.

    A module is a dotted path of instances. A look-up table counts for the module whose register,
    memory or port it leads to, over the fewest tables: tables belong to no module of the text once
    they are optimised together.
    """

    total: dict[str, float]
    cells: dict[str, int]
    modules: dict[str, dict[str, float]] = field(default_factory=dict)
    cpu_s: float = 0.0

    @staticmethod
    def read(folder: Path) -> Counts:
        """Read what `synthesize` left in a folder."""
        return Counts(**json.loads((folder / COUNTS).read_text()))


def synthesize(
    sources: Sequence[Path],
    top: str,
    family: str,
    folder: Path,
    parameters: Mapping[str, str | int] | None = None,
) -> Counts:
    """Synthesize Verilog or SystemVerilog for a family (see FAMILIES) into `folder`.

    Raises:
        GoldenGateError: Yosys refused the design, or the family is not one.
    """
    if family not in FAMILIES:
        raise GoldenGateError(f'found family "{family}", expected one of: {", ".join(FAMILIES)}.')
    folder.mkdir(parents=True, exist_ok=True)
    task = {
        "sources": [str(path.absolute()) for path in sources],
        "top": top,
        "family": family,
        "parameters": {name: str(value) for name, value in (parameters or {}).items()},
    }
    (folder / "task.json").write_text(json.dumps(task))
    log = folder / "yosys.log"
    with log.open("w") as stream:
        done = subprocess.run(
            python_command("-m", "goldengate.synthesis", (folder / "task.json").absolute()),
            stdout=stream,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            cwd=folder,
            check=False,
        )
    if done.returncode == 0:
        return Counts.read(folder)
    lines = [line for line in log.read_text(errors="replace").splitlines() if line.strip()]
    errors = [line for line in lines if "ERROR" in line or "error:" in line]
    what = (errors or lines or ["no output"])[-1].replace("ERROR: ", "")
    raise GoldenGateError(f"{top}: synthesis for {family} failed: {what} (see {log})")


def module_of(net: str) -> str:
    """Return the path of the instance that a net is in, from its flattened name."""
    path = net.split(".")[:-1]
    if path and path[-1].isdigit():  # A part that Yosys made of a memory: MEMORY.0.PART.
        path = path[:-2]
    return ".".join(path)


class _Netlist:
    """The cells of a flat netlist and what each of their outputs leads to."""

    def __init__(self, module: Mapping[str, Any], family: str) -> None:
        self.family = family
        self.cells: list[Mapping[str, Any]] = list(module["cells"].values())
        self.names: dict[int, str] = {}
        for name, net in module["netnames"].items():
            if net["hide_name"]:
                continue
            for bit in net["bits"]:
                # The deepest name says in which instance the register itself stands.
                if isinstance(bit, int) and name.count(".") >= self.names.get(bit, "").count("."):
                    self.names[bit] = name
        self.outside = {
            bit for port in module["ports"].values() for bit in port["bits"] if isinstance(bit, int)
        }

    def bits(self, cell: Mapping[str, Any], direction: str) -> list[int]:
        ways = cell["port_directions"]
        return [
            bit
            for port, bits in cell["connections"].items()
            if ways[port] == direction
            for bit in bits
            if isinstance(bit, int)
        ]

    def owners(self) -> list[str]:
        """Return the module of each cell."""
        owner: list[str | None] = [None] * len(self.cells)
        drivers: dict[int, int] = {}
        reached: list[int] = []
        for index, cell in enumerate(self.cells):
            outputs = self.bits(cell, "output")
            drivers.update(dict.fromkeys(outputs, index))
            if kind_of(self.family, cell["type"]) not in ("lut", "carry", None):
                named = [self.names[bit] for bit in outputs if bit in self.names]
                owner[index] = module_of(named[0]) if named else ""
                reached.append(index)
        for bit in self.outside:
            if (index := drivers.get(bit, -1)) >= 0 and owner[index] is None:
                owner[index] = ""
                reached.append(index)
        at = 0
        while at < len(reached):  # Breadth first, against the flow.
            cell = self.cells[reached[at]]
            for bit in self.bits(cell, "input"):
                source = drivers.get(bit, -1)
                if source >= 0 and owner[source] is None:
                    owner[source] = owner[reached[at]]
                    reached.append(source)
            at += 1
        return [name or "" for name in owner]


def count(netlist: Mapping[str, Any], top: str, family: str, cpu_s: float = 0.0) -> Counts:
    """Count the cells of a netlist as Yosys writes it in JSON."""
    flat = _Netlist(netlist["modules"][top], family)
    total = dict.fromkeys(KINDS, 0.0)
    modules: dict[str, dict[str, float]] = {}
    cells: Counter[str] = Counter()
    for cell, owner in zip(flat.cells, flat.owners(), strict=True):
        cells[cell["type"]] += 1
        part = modules.setdefault(owner, dict.fromkeys(KINDS, 0.0))
        for kind, weight in weight_of(family, cell["type"]).items():
            total[kind] += weight
            part[kind] += weight
    return Counts(total, dict(sorted(cells.items())), dict(sorted(modules.items())), cpu_s)


def _main(path: Path) -> int:
    from pyosys import libyosys as ys

    task = json.loads(path.read_text())
    folder, top = path.parent, task["top"]
    design = ys.Design()
    words = ["read_slang", "--top", top]
    for name, value in task["parameters"].items():
        words += ["-G", f"{name}={value}"]
    commands = [
        " ".join([*words, *task["sources"]]),
        _COMMANDS[task["family"]].format(top=top),
        f"write_json {folder / NETLIST}",
        f"write_verilog -noattr {folder / NETLIST_VERILOG}",
    ]
    for command in commands:
        ys.run_pass(command, design)
    cpu_s = time.process_time()
    found = count(json.loads((folder / NETLIST).read_text()), top, task["family"], cpu_s)
    (folder / COUNTS).write_text(json.dumps(vars(found), indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(_main(Path(sys.argv[1])))
