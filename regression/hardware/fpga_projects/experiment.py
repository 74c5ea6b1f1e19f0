# SPDX-License-Identifier: BSD-3-Clause
"""Projects for FPGAs without their makers' tools: constraints, paths and names are those known.

The project of every board that Vivado builds for is made, and run by the recorder of Vivado's
commands. What it set is compared with what is known of the board (facts.py), and outputs that must
have one level are looked at in the netlist. A second run misses its time by hold, and must be
refused. The top for F2 is read, with a memory in RTL and without: its DIMM has the name that AWS's
kit looks for, and nothing but queues and one reset crosses between its clocks. Without --quick
every board has also as many blades as it takes.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from firesim.bitstream.builders.base import Wanted
from firesim.bitstream.builders.vivado import Vivado
from firesim.bitstream.forms import design_form, equipped
from firesim.boards.board import Board
from firesim.boards.known import PLATFORMS, all_boards, load_board
from firesim.build.design import Design
from firesim.config.bitstream import Builders, BuildRecipe
from firesim.config.memory_hardware import MemoryHardware
from firesim_common.paths import ROOT
from goldengate.fpga_form import FpgaForm

from regression.hardware.fpga_projects.facts import DDR_INSTANCE, LEVELS, NEVER, VIVADO
from regression.support.experiment import Experiment, NotHereError, Verdict, experiment_named
from regression.support.memory_storm import STORM
from regression.support.vivado import check
from regression.support.vivado.crossings import crossings

REFLECTOR = ROOT / "target-design/examples/packet-reflector/packet_reflector.sv"
MHZ = 60.0
MISSED = "set misses(hold) {{path -0.05 clk_out1 blades/a_reg/C blades/b_reg/D}}\n"
ALLOWED = re.compile(
    r"(\S+\.firesim_(head|tail)_gray \S+\.firesim_(head|tail)_1 0"
    r"|\S+\.firesim_words \S+ [01]|settled host_is_up 0)"
)
"""Crossings of the top for F2: source, destination, and levels of logic between."""


@experiment_named("fpga-projects")
def run(experiment: Experiment) -> Verdict:
    """Hold when nothing differs from what is known."""
    if shutil.which("tclsh") is None:
        raise NotHereError("tclsh is not installed.")
    parameters = {"DEPTH": "8"}
    form = design_form(
        Design("PacketReflector", (REFLECTOR,), "PacketReflector", parameters=parameters)
    )
    rows: list[list[object]] = []
    facts, wrong = 0, []
    boards = {name: one for name, one in all_boards().items() if one.vivado_flow is not None}
    wrong += [f"{name}: no facts" for name in boards.keys() ^ VIVADO.keys()]
    for name, board in boards.items():
        for blades in [1] if experiment.quick else [1, board.most_blades]:
            folder = experiment.folder / f"{name}-{blades}"
            count, differing = vivado_project(form, name, board, blades, folder)
            rows.append([name, blades, count, len(differing)])
            facts, wrong = facts + count, wrong + differing
    for dram in (False, True):
        count, differing = f2_top(form, dram, experiment.folder / f"f2-{dram}")
        rows.append([f"f2{', memory in RTL' if dram else ''}", 2, count, len(differing)])
        facts, wrong = facts + count, wrong + differing
    experiment.table("Projects", ["board", "blades", "facts", "differing"], rows)
    for line in wrong:
        experiment.say(line)
    experiment.keep(rows=rows, wrong=wrong)
    return Verdict(
        not wrong and facts > 0,
        f"{facts} facts of {len(rows)} projects, {len(wrong)} differing",
        "none differing",
    )


def vivado_project(
    form: FpgaForm, name: str, board: Board, blades: int, folder: Path
) -> tuple[int, list[str]]:
    """Return how many facts were looked at, and what differs in one board's project."""
    folder.mkdir(parents=True)
    recipe = BuildRecipe(blade="rocket-1", board=name, blades=blades)
    wanted = Wanted(name, recipe, name, board, form, MHZ)
    job = Vivado(Builders()).job(wanted, local=False)
    check.lay_out(job, folder)
    flow = board.vivado_flow
    assert flow is not None
    modules = check.elaborated(wanted, PLATFORMS / flow.shell / "top.v", folder)
    sources = [Path(place).name for place in job.files if "source/" in place]
    known = check.facts(wanted, modules, sources)
    status, faults = check.recorded(folder, known)
    wrong = [f"{name}: {fault}" for fault in faults] or ([f"{name}: failed"] if status else [])
    found = check.read_made(folder)
    expected = VIVADO.get(name, {})
    for key, value in expected.items():
        if found.get(key) != value:
            wrong.append(f"{name}: found {key} {found.get(key)!r}, expected {value!r}")
    top = modules[flow.top]
    for port, level in LEVELS.items():
        if port in top["ports"] and driven(top, port) != str(level):
            wrong.append(f"{name}: found {port} driven, expected it {level} always")
    texts = " ".join([*job.texts.values(), *(file.read_text() for file in folder.glob("*.xdc"))])
    wrong += [f"{name}: found {word}, expected none: {why}" for word, why in NEVER.items()
              if word in texts]  # fmt: skip
    missing = [one for one in job.results if one.endswith(".mcs") and not (folder / one).is_file()]
    wrong += [f"{name}: found no {one}" for one in missing]
    # A build that misses its time by hold leaves nothing.
    (folder / "firesim.bit").unlink()
    status, said = check.recorded(folder, known + MISSED)
    if status == 0 or (folder / "firesim.bit").exists() or "hold of the clock" not in said[0]:
        wrong.append(f"{name}: found a bitstream that misses its time by hold, expected none")
    return len(expected) + len(NEVER) + len(LEVELS) + 1, wrong


def driven(top: Mapping[str, Any], port: str) -> str | None:
    """Return the level that an output of one bit always has, None when it changes."""
    (bit,) = top["ports"][port]["bits"]
    for cell in top["cells"].values():
        if cell["type"] == "$buf" and cell["connections"]["Y"] == [bit]:
            (bit,) = cell["connections"]["A"]
    return bit if isinstance(bit, str) else None


def f2_top(form: FpgaForm, dram: bool, folder: Path) -> tuple[int, list[str]]:
    """Return the same for the top for F2."""
    folder.mkdir(parents=True)
    if dram:
        storm = folder / "storm.sv"
        storm.write_text(STORM)
        memory = MemoryHardware(dram=False)
        form = design_form(equipped(Design("storm", (storm,), "Storm"), memory=memory))
    modules = check.elaborated_for_kit(form, "f2", load_board("f2"), MHZ, folder, 2, flat=True)
    top = modules["cl_firesim"]
    named = [
        name
        for name, cell in top["cells"].items()
        if cell["type"].lstrip("\\").startswith("sh_ddr")
    ]
    wrong = [] if named == [DDR_INSTANCE] else [f"f2: found the DIMM's controller as {named}"]
    found = crossings(top, "clk_main_a0", check.OPAQUE)
    for one in found:
        if not ALLOWED.fullmatch(text := f"{one.source} {one.to} {one.levels}"):
            wrong.append(f"f2: found a path between its clocks, {text}")
    return len(found) + 1, wrong
