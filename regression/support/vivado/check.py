# SPDX-License-Identifier: BSD-3-Clause
"""A job of the builder `vivado` laid out in a folder and run by tclsh with the recorder.

What the recorder knows of the design is what Yosys' reader finds in its text, with stubs for AMD's
cores: a port of a core that there is none of is an error of that reader.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from firesim.bitstream.builders.base import Job, Wanted
from firesim.bitstream.builders.f2_project import divide_for
from firesim.boards.board import Board
from firesim.boards.design import blade_macros, has_dram, shell_design, shell_macros, whole_design
from firesim.boards.known import PLATFORMS
from goldengate.fpga_form import FpgaForm

from regression.support.yosys import yosys_command

RECORDER = Path(__file__).with_name("recorder.tcl")
CORES = {
    "firesim_xdma_ip": "xdma",
    "firesim_clock_ip": "clk_wiz",
    "firesim_registers_ip": "axi_clock_converter",
    "firesim_stream_ip": "axis_clock_converter",
}
SETTINGS = {
    "xdma": "functional_mode mode_selection pl_link_cap_max_link_width pl_link_cap_max_link_speed "
    "axi_data_width axisten_freq xdma_axi_intf_mm xdma_rnum_chnl xdma_wnum_chnl axilite_master_en "
    "axilite_master_size axilite_master_scale pf0_device_id xdma_num_usr_irq pcie_blk_locn "
    "en_gt_selection select_quad",
    "clk_wiz": "PRIM_IN_FREQ PRIM_SOURCE CLKOUT1_REQUESTED_OUT_FREQ RESET_TYPE USE_LOCKED "
    "USE_RESET",
    "axi_clock_converter": "PROTOCOL DATA_WIDTH ADDR_WIDTH ACLK_ASYNC SYNCHRONIZATION_STAGES",
    "axis_clock_converter": "TDATA_NUM_BYTES HAS_TLAST HAS_TKEEP IS_ACLK_ASYNC",
}
"""Settings of AMD's cores by PG195, PG065, PG059 and PG085, those that our projects may use."""
OPAQUE = ("MMCME4_BASE", "BUFG", "sh_ddr")
"""Modules of a top in AWS's shell that are not looked into: what they do to clocks is theirs."""
FLATTEN = [
    f"setattr -mod -set keep_hierarchy 1 {' '.join(f'{one}*' for one in OPAQUE)}",
    *("flatten", "opt_expr", "opt_dff", "opt_clean"),
]
INSIDE_XDMA = {
    "xc7": [
        f"xdma/inst/pcie2_ip_i/pipe_lane[{lane}].gt_wrapper_i/gtp_channel.gtpe2_channel_i"
        for lane in range(4)
    ]
}
"""Cells within the core that constraints name, by family; the ends of their names are those of RHS
Research's project."""
DIRECTIVES = {
    "synth_design": "Default RuntimeOptimized AreaOptimized_high AreaOptimized_medium "
    "AlternateRoutability AreaMapLargeShiftRegToBRAM AreaMultThresholdDSP "
    "FewerCarryChains PerformanceOptimized LogicCompaction PowerOptimized_high",
    "opt_design": "Default Explore ExploreArea ExploreSequentialArea AddRemap RuntimeOptimized "
    "NoBramPowerOpt ExploreWithRemap",
    "place_design": "Default Explore RuntimeOptimized Quick ExtraTimingOpt AltSpreadLogic_high "
    "AltSpreadLogic_medium AltSpreadLogic_low ExtraNetDelay_high ExtraNetDelay_low "
    "WLDrivenBlockPlacement EarlyBlockPlacement ExtraPostPlacementOpt SSI_SpreadLogic_high",
    "phys_opt_design": "Default Explore AggressiveExplore ExploreWithHoldFix AlternateReplication "
    "AggressiveFanoutOpt AddRetime AlternateFlowWithRetiming RuntimeOptimized",
    "route_design": "Default Explore AggressiveExplore RuntimeOptimized Quick NoTimingRelaxation "
    "MoreGlobalIterations HigherDelayCost AlternateCLBRouting",
}
"""Directives by UG835 and UG904."""


def elaborated(wanted: Wanted, top_file: Path, folder: Path) -> dict[str, Any]:
    """Return the modules of a board's whole design as Yosys' JSON has them.

    Raises:
        RuntimeError: the reader refused it; the text says why.
    """
    flow = wanted.board.vivado_flow
    assert flow is not None
    macros = shell_macros(wanted.form, flow, wanted.recipe.blades)
    words = " ".join(f"-D{name}={text}" for name, text in macros.items())
    stubs = PLATFORMS / flow.shell / "stubs.v"
    words += "".join(f" --blackboxed-module {name}" for name in _modules(stubs))
    *sources, _ = shell_design(wanted.form, flow)
    return _modules_of(flow.top, [*sources, top_file, stubs], words, folder)


def elaborated_for_kit(
    form: FpgaForm,
    name: str,
    board: Board,
    frequency_mhz: float,
    folder: Path,
    blades: int = 1,
    flat: bool = False,
    kit: Path | None = None,
) -> dict[str, Any]:
    """Return the modules of a board in AWS's shell likewise, with stubs of AWS's kit.

    With `flat` the top has all in it, except the cells of OPAQUE. With the folder of a kit its own
    ports of the shell and of the DIMM are read in place of ours.

    Raises:
        RuntimeError: the reader refused it; the text says why.
    """
    flow, here = board.aws_flow, PLATFORMS / name
    assert flow is not None
    sources = [*whole_design(form, name, flow), here / "stubs/cells.sv"]
    macros = "".join(f"-D{name}={text} " for name, text in blade_macros(form, blades).items())
    macros += f"-DFIRESIM_DIVIDE={divide_for(flow, frequency_mhz):.3f}"
    macros += " -DFIRESIM_DRAM" if has_dram(form) else ""
    stubs = here / "stubs"
    if kit is not None:
        design = kit / "hdk/common/shell_stable/design"
        stubs, macros = design / "interfaces", f"{macros} -DFIRESIM_AWS_KIT"
        sources.append(design / "sh_ddr/sh_ddr.stub.sv")
    further = FLATTEN if flat else []
    return _modules_of(flow.top, sources, f"-I{here} -I{stubs} {macros}", folder, further)


def _modules_of(
    top: str, sources: Sequence[Path], words: str, folder: Path, further: Sequence[str] = ()
) -> dict[str, Any]:
    """Return the modules of a design; `words` are options of the reader, `further` more steps.

    Raises:
        RuntimeError: the reader refused it; the text says why.
    """
    files = " ".join(map(str, sources))
    out = folder / "design.json"
    commands = [
        f"read_slang --keep-hierarchy --top {top} {words} {files}",
        "proc",
        *further,
        f"write_json {out}",
    ]
    done = subprocess.run(yosys_command(commands), capture_output=True, text=True, check=False)
    if done.returncode != 0:
        lines = [line for line in (done.stdout + done.stderr).splitlines() if "error:" in line]
        raise RuntimeError(lines[0] if lines else (done.stdout + done.stderr)[-500:])
    found: dict[str, Any] = json.loads(out.read_text())["modules"]
    return found


def _modules(stubs: Path) -> list[str]:
    lines = stubs.read_text().splitlines()
    return [line.split()[1] for line in lines if line.startswith("module ")]


def _bits(name: str, width: int) -> list[str]:
    return [f"{name}[{index}]" for index in range(width)] if width > 1 else [name]


def _registers(module: dict[str, Any]) -> Iterable[tuple[str, bool]]:
    """Yield each register of a module by Vivado's name, and whether it has a pin CLR."""
    names = {
        bit: text
        for name, net in module["netnames"].items()
        if not net.get("hide_name")
        for bit, text in zip(
            net["bits"],
            [
                f"{name}_reg[{index}]" if len(net["bits"]) > 1 else f"{name}_reg"
                for index in range(len(net["bits"]))
            ],
            strict=True,
        )
    }
    for cell in module["cells"].values():
        if cell["type"] in ("$dff", "$adff", "$dffe", "$adffe", "$sdff", "$aldff"):
            for bit in cell["connections"]["Q"]:
                if bit in names:
                    yield names[bit], cell["type"].startswith("$a")


def names_in(modules: dict[str, Any], module: str, path: str = "") -> tuple[list[str], list[str]]:
    """Return cells and pins of a module and all below it, by Vivado's names.

    Instances of the top module are in it with their pins, else registers and the memories of which
    a read has no clock, which Vivado makes of look-up tables.
    """
    found = modules[module]
    cells, pins = [], []
    for name, cell in found["cells"].items():
        if not name.startswith("$"):
            cells.append(f"{path}{name}")
            pins += [f"{path}{name}/{pin}" for pin in cell["connections"]] if not path else []
        if cell["type"] in modules:
            more = names_in(modules, cell["type"], f"{path}{name}/")
            cells, pins = cells + more[0], pins + more[1]
        elif cell["type"] == "$memrd_v2" and not int(cell["parameters"]["CLK_ENABLE"], 2):
            memory = cell["parameters"]["MEMID"].lstrip("\\")
            cells.append(f"{path}{memory}_reg_0")
            pins.append(f"{path}{memory}_reg_0/CLK")
    for name, clears in _registers(found):
        cells.append(path + name)
        pins += [f"{path}{name}/{pin}" for pin in ("C", "D", "Q", *(["CLR"] if clears else []))]
    return cells, pins


def facts(wanted: Wanted, modules: dict[str, Any], needed: Sequence[str]) -> str:
    """Return what the recorder knows, as Tcl."""
    flow = wanted.board.vivado_flow
    assert flow is not None
    top = modules[flow.top]
    ports, vectors = [], []
    for name, port in top["ports"].items():
        bits = _bits(name, len(port["bits"]))
        ports += bits
        if len(bits) > 1:
            ports.append(name)
            vectors.append(name)
    cells, pins = names_in(modules, flow.top)
    cells += INSIDE_XDMA.get(wanted.board.family, [])
    used = {cell["type"].lstrip("\\") for cell in top["cells"].values()}
    lists = {
        "parts": [wanted.board.device],
        "tops": [flow.top],
        "needed": needed,
        "ports": ports,
        "vectors": vectors,
        "cells": cells,
        "pins": pins,
    }
    lines = [f"set {name} {{{' '.join(values)}}}" for name, values in lists.items()]
    lines += [f"set cores({module}) {core}" for module, core in CORES.items() if module in used]
    for core, settings in SETTINGS.items():
        names = " ".join(f"CONFIG.{name}" for name in settings.split())
        lines.append(f"set core_settings({core}) {{{names}}}")
    lines += [f"set directives({step}) {{{names}}}" for step, names in DIRECTIVES.items()]
    return "\n".join(lines) + "\n"


def lay_out(job: Job, folder: Path) -> None:
    """Make the folder of a job as a host has it."""
    for place, file in job.files.items():
        (folder / place).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, folder / place)
    for place, text in job.texts.items():
        (folder / place).parent.mkdir(parents=True, exist_ok=True)
        (folder / place).write_text(text)


def read_made(folder: Path) -> dict[str, str]:
    """Return what a recorded script set: pins, places, settings, by the recorder's names."""
    lines = (folder / "made.txt").read_text().splitlines()
    return dict(line.split("\t", 1) for line in lines)


def recorded(folder: Path, facts_text: str) -> tuple[int, list[str]]:
    """Run build.tcl of a job's folder with the recorder; return exit status and faults."""
    (folder / "facts.tcl").write_text(facts_text)
    done = subprocess.run(
        ["tclsh", str(RECORDER), "facts.tcl", "build.tcl"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    lines = [line for line in done.stdout.splitlines() if not line.startswith("firesim stage")]
    return done.returncode, [*lines, *done.stderr.splitlines()]
