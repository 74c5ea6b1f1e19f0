# SPDX-License-Identifier: BSD-3-Clause
"""Synthesis for FPGA families with Yosys: what a design takes of a device, whole and by module.

`synthesize` runs in a process of its own, `python -m goldengate.synthesis TASK.json`, as Yosys ends
its process on an error. It leaves `netlist.json`, the netlist of the family's cells, `netlist.v`,
the same for simulation, and `counts.json` in its folder.
"""

from __future__ import annotations

import json
import re
import resource
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from firesim_common import watch
from firesim_common.tools import python_command

from goldengate.block_reads import BlockReads
from goldengate.errors import GoldenGateError
from goldengate.synthesis_cells import FAMILIES, KINDS, kind_of, levels_of, weight_of

COUNTS, NETLIST, NETLIST_VERILOG = "counts.json", "netlist.json", "netlist.v"
WHOLE_GATES = 60_000
"""Of a design for a Xilinx family, up to which it is mapped to tables as one piece. The time that
takes grows with the square of the gates."""
PART_GATES = 4_000
"""Of a module, from which on it is a piece of a larger design. Tables are not optimised across."""
MARK = "module:"
"""Begins the `src` of what _mark marked."""
_PIECE = re.compile(r"\$flatten((?:\\[^\\$]+\.)+)\$")
"""Begins the name of what was in a piece of a design: the instances that it is in."""
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
    they are optimised together. `levels` is the longest path between registers, in tables.
    """

    total: dict[str, float]
    cells: dict[str, int]
    modules: dict[str, dict[str, float]] = field(default_factory=dict)
    levels: float = 0.0
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
    defines: Mapping[str, str] | None = None,
    limits: tuple[int, int] = (WHOLE_GATES, PART_GATES),
) -> Counts:
    """Synthesize Verilog or SystemVerilog for a family (see FAMILIES) into `folder`.

    A design of more gates than the first of `limits` is mapped in pieces, modules of at least the
    second.

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
        "defines": dict(defines or {}),
        "limits": limits,
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
            env=watch.watched(),
            check=False,
        )
    if done.returncode == 0:
        return Counts.read(folder)
    lines = [line for line in log.read_text(errors="replace").splitlines() if line.strip()]
    errors = [line for line in lines if "ERROR" in line or "error:" in line]
    what = (
        (errors[:1] or lines[-1:] or ["no output"])[0].replace("ERROR: ", "").replace("error: ", "")
    )
    raise GoldenGateError(f"{top}: synthesis for {family} failed: {what} (see {log})")


def module_of(net: str) -> str:
    """Return the path of the instance that something is in, from its flattened name."""
    return net.rpartition(".")[0]


def _owner(name: str, cell: Mapping[str, Any], kind: str) -> str:
    """Return the module of a register, from what `_mark` wrote, or of a memory, from its name.

    `_mark` wrote the path in a piece of the design; the name begins with that of the piece.
    """
    if kind == "memory":  # MEMORY.0.PART
        return module_of(re.sub(r"(\.\d+)+$", "", name))
    piece = _PIECE.match(name)
    path = [piece[1].replace("\\", "").rstrip(".")] if piece else []
    for place in cell["attributes"].get("src", "").split("|"):
        if place.startswith(MARK):
            return ".".join([*path, place[len(MARK) :]]).strip(".")
    return ".".join(path)


class _Netlist:
    """The cells of a flat netlist and what each of their outputs leads to."""

    def __init__(self, module: Mapping[str, Any], family: str) -> None:
        self.family = family
        cells = {n: cell for n, cell in module["cells"].items() if cell["type"] != "$scopeinfo"}
        self.cell_names, self.cells = list(cells), list(cells.values())
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
            kind = kind_of(self.family, cell["type"])
            if kind in ("ff", "memory"):
                owner[index] = _owner(self.cell_names[index], cell, kind)
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

    def levels(self) -> float:
        """Return the longest path without a register, in levels; what is in a loop counts not."""
        drivers: dict[int, int] = {}
        adds = [levels_of(self.family, cell["type"]) for cell in self.cells]
        for index, cell in enumerate(self.cells):
            if adds[index] is not None:
                drivers.update(dict.fromkeys(self.bits(cell, "output"), index))
        followers: list[list[int]] = [[] for _ in self.cells]
        missing = [0] * len(self.cells)
        for index, cell in enumerate(self.cells):
            if adds[index] is None:
                continue
            for source in {drivers[bit] for bit in self.bits(cell, "input") if bit in drivers}:
                followers[source].append(index)
                missing[index] += 1
        ready = [index for index, add in enumerate(adds) if add is not None and not missing[index]]
        reached = [0.0] * len(self.cells)
        longest = 0.0
        while ready:
            index = ready.pop()
            reached[index] += adds[index] or 0.0
            longest = max(longest, reached[index])
            for follower in followers[index]:
                reached[follower] = max(reached[follower], reached[index])
                missing[follower] -= 1
                if not missing[follower]:
                    ready.append(follower)
        return longest


def count(
    netlist: Mapping[str, Any],
    top: str,
    family: str,
    cpu_s: float = 0.0,
) -> Counts:
    """Count the cells of a netlist as Yosys writes it in JSON, with what `_mark` left in it."""
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
    sorted_modules = dict(sorted(modules.items()))
    return Counts(total, dict(sorted(cells.items())), sorted_modules, flat.levels(), cpu_s)


def _mark(module: Any) -> None:
    """Write into every register of a flat design which module it is of.

    Its `src` is what synthesis keeps of a cell. Registers are called by their own name after the
    path of their instance, `$flatten\\a.\\b.$driver$NAME`; of a design that is flat already the
    path is in NAME.
    """
    for cell in module.cells_.values():
        path, _, name = (
            cell.name.str().replace("$flatten", "").replace("\\", "").rpartition("$driver$")
        )
        if name:
            inner = module_of(name)
            cell.set_src_attribute(
                MARK + ".".join(part for part in (path.rstrip("."), inner) if part)
            )


def _read(task: Mapping[str, Any]) -> Any:
    """Return the design of a task as Yosys has it, with its hierarchy."""
    from pyosys import libyosys as ys

    design = ys.Design()
    words = ["read_slang", "--keep-hierarchy", "--top", task["top"]]
    for name, value in task["parameters"].items():
        words += ["-G", f"{name}={value}"]
    words += [f"-D{name}={value}" for name, value in task["defines"].items()]
    for command in (" ".join([*words, *task["sources"]]), f"hierarchy -top {task['top']}", "proc"):
        ys.run_pass(command, design)
    return design


def _pieces(design: Any, whole_gates: int, part_gates: int) -> set[str]:
    """Return the modules that are mapped by themselves; none of a design that is small enough.

    The design is of no further use: gates are counted once it is optimised.
    """
    from pyosys import libyosys as ys

    def kept(gates: int) -> set[str]:
        # What is kept already has its gates left out of those of the modules around it.
        ys.run_pass("setattr -mod -unset keep_hierarchy", design)
        ys.run_pass(f"keep_hierarchy -min_cost {gates}", design)
        keep = ys.IdString("\\keep_hierarchy")
        modules = design.modules_.values()
        return {module.name.str() for module in modules if module.get_bool_attribute(keep)}

    for command in ("opt_clean", "bwmuxmap", "opt -full", "opt_clean"):
        ys.run_pass(command, design)
    return kept(part_gates) if kept(whole_gates) else set()


def _main(path: Path) -> int:
    from pyosys import libyosys as ys

    watch.begin()
    task = json.loads(path.read_text())
    folder, top, family = path.parent, task["top"], task["family"]
    pieces = set() if family == "ecp5" else _pieces(_read(task), *task["limits"])
    design = _read(task)
    for module in design.modules_.values():
        module.set_bool_attribute(ys.IdString("\\keep_hierarchy"), module.name.str() in pieces)
    ys.run_pass("flatten", design)
    for module in design.modules_.values():
        _mark(module)
    if family == "ecp5":  # As every bitstream for one is made.
        ys.run_pass("opt_clean", design)
        BlockReads(design.top_module()).run()
    commands = [
        _COMMANDS[family].format(top=top),
        *(["setattr -mod -unset keep_hierarchy", "flatten"] if pieces else []),
        f"write_json {folder / NETLIST}",
        "rename -hide c:*",  # slang cannot read cells with dots in their names.
        f"write_verilog -noattr {folder / NETLIST_VERILOG}",
    ]
    for command in commands:
        ys.run_pass(command, design)
    cpu_s = time.process_time() + sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2])
    netlist = json.loads((folder / NETLIST).read_text())
    found = count(netlist, top, family, cpu_s)
    (folder / COUNTS).write_text(json.dumps(vars(found), indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(_main(Path(sys.argv[1])))
