# SPDX-License-Identifier: BSD-3-Clause
"""A netlist after synthesis as a model, by Yosys' own models of the ECP5's cells.

Yosys has no model of the block memory and of the multiplier; those beside this file are ours. A
small one goes to Verilator as it is. A large one, such as that of a core, is flattened by Yosys and
goes to the generated engine, which is a hundred times as fast while only a serial line moves.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

import goldengate
from firesim_common.tools import run
from goldengate import Manifest
from goldengate.passes.write import model_verilog
from goldengate.state import Port
from goldengate.verilator_backend import build

from regression.support.experiment import ExperimentError
from regression.support.yosys import yosys_command

_SPECIFY = re.compile(r"\bspecify\b.*?\bendspecify\b", re.DOTALL)
_MODULE = re.compile(r"^module\s+(\w+)\s*(?:#\s*)?\(.*?^endmodule", re.DOTALL | re.MULTILINE)
_CELL = re.compile(r"^  ([A-Z][A-Z0-9_]+) [#\\_]", re.MULTILINE)
_OURS = [Path(__file__).with_name(name) for name in ("dp16kd.v", "mult18x18d.v")]
_CONSTANT_FIRST = {
    'initial Q = (REGSET == "SET");': "initial Q = srval;",
    "mem[i] = INITVAL": "mem[i] <= INITVAL",
}
"""First values in Yosys' models as a constant, which is what its readers take, and as they stand:
`srval` is that constant but in a mode (PRLD) that no synthesis here makes."""
_WITHIN = {"CCU2C": {"LUT2", "LUT4"}}
"""Cells whose models are made of others."""


def _cell_models(used: set[str]) -> str:
    """Return the text of Yosys' models of these cells, without their delays, and of ours.

    Raises:
        ExperimentError: one has no model.
    """
    spec = find_spec("pyosys")
    assert spec is not None and spec.submodule_search_locations
    share = Path(next(iter(spec.submodule_search_locations))) / "share/lattice"
    text = "".join((share / name).read_text() for name in ("common_sim.vh", "ccu2c_sim.vh"))
    text += "".join(file.read_text() for file in _OURS)
    models = {found[1]: found[0] for found in _MODULE.finditer(_SPECIFY.sub("", text))}
    wanted = used.union(*(_WITHIN.get(name, set()) for name in used))
    if missing := wanted - set(models):
        raise ExperimentError(f"found cells without a model: {', '.join(sorted(missing))}")
    return "\n".join(models[name] for name in sorted(wanted))


def netlist_model(
    netlist: Path, top: str, clock: str, ports: Sequence[Port], work: Path, around: str = ""
) -> Path:
    """Compile a netlist with its cells, and with the text `around` it; return the model.

    Raises:
        ExperimentError: a cell has no model.
        ToolError: Verilator or the compiler failed.
    """
    _write(netlist, work, around)
    (work / "model.v").write_text(model_verilog(top, clock, list(ports), held=True, started=False))
    manifest = Manifest(
        top=top,
        design_hash="0" * 16,
        clock=clock,
        clock_ratios={},
        reset="",
        ports=list(ports),
        bridges=[],
        counters=[],
        asserts=[],
        assert_port=None,
        prints=[],
        prints_port=None,
    )
    library = work / "model.so"
    build(work, manifest, library, jobs=2, fast="-O1")  # It runs for seconds only.
    return library


def _write(netlist: Path, work: Path, around: str) -> Path:
    """Write the netlist with the models of its cells, and with the text around it."""
    work.mkdir(parents=True)
    text = netlist.read_text()
    cells = _cell_models(set(_CELL.findall(text)))
    target = work / "target.v"
    target.write_text(f"{text}\n{cells}\n{around}")
    return target


def flat_netlist_model(netlist: Path, top: str, work: Path, around: str) -> Path:
    """Compile a netlist, with the text `around` it whose module `top` is, for the generated engine.

    Raises:
        ExperimentError: a cell has no model.
        ToolError, GoldenGateError: Yosys or the compiler failed.
    """
    target, flat = _write(netlist, work, around), work / "flat.v"
    text = target.read_text()
    for ours, theirs in _CONSTANT_FIRST.items():
        text = text.replace(theirs, ours)
    target.write_text(text)
    commands = [f"read_verilog -sv {target}", f"hierarchy -top {top}", "proc", "flatten"]
    commands += ["opt_expr", "opt_clean", "memory_collect", f"write_verilog -noattr {flat}"]
    (work / "flatten.log").write_text(run(yosys_command(commands)))
    goldengate.compile_request(goldengate.Request([str(flat)], top, str(work / "model")))
    return work / "model/model.so"
