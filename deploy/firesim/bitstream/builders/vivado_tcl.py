# SPDX-License-Identifier: BSD-3-Clause
"""The Tcl of a whole Vivado project: cores, synthesis, place, route, reports, bitstream.

It runs in the folder of a job, `vivado -mode batch -source build.tcl`. What it says of its stages,
of its fault and of its result is what the manager reads of every job.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from firesim.bitstream.builders import vivado_result
from firesim.boards.board import Board, VivadoFlow

DIRECTIVES: dict[str, dict[str, str]] = {
    "default": {},
    "basic": {
        "synth": "RuntimeOptimized",
        "opt": "RuntimeOptimized",
        "place": "RuntimeOptimized",
        "route": "RuntimeOptimized",
    },
    "area": {"synth": "AreaOptimized_high", "opt": "ExploreArea"},
    "timing": {
        "synth": "PerformanceOptimized",
        "opt": "Explore",
        "place": "ExtraTimingOpt",
        "phys_opt": "AggressiveExplore",
        "route": "AggressiveExplore",
    },
    "explore": {"opt": "Explore", "place": "Explore", "phys_opt": "Explore", "route": "Explore"},
    "congestion": {
        "synth": "AlternateRoutability",
        "opt": "Explore",
        "place": "AltSpreadLogic_high",
        "route": "AlternateCLBRouting",
    },
    "noretiming": {},
}
"""Of each strategy by step; a step without one has Vivado's default."""
SKIPS_PHYS_OPT = frozenset({"basic"})
RETIMES = frozenset({"timing", "explore"})


@dataclass(frozen=True)
class Project:
    """What differs between two projects."""

    board: Board
    flow: VivadoFlow
    sources: Sequence[str]
    pins: str
    frequency_mhz: float
    strategy: str
    jobs: int
    fingerprint: str
    macros: Mapping[str, str]
    blades: int


def clock_xdc(project: Project) -> str:
    """Return the constraints of platforms/xdma/top.v, which is that of every board, and the build.

    There are none between the clocks of PCIe and of the host: they meet in AMD's converters alone,
    whose own constraints a clock group would cancel (UG903: it comes before set_max_delay).
    """
    return (
        "# Made by firesim buildbitstream.\n"
        f"set_property BITSTREAM.CONFIG.USERID 0x{project.fingerprint[:8]} [current_design]\n"
        "# Registers that the reset of the host clock reaches at any time, and the first ones of\n"
        "# the status, which takes flags of any clock.\n"
        "set_false_path -to [get_pins {settled_reg[*]/CLR}]\n"
        "set_false_path -to [get_pins {status/flags_1_reg[*]/D}]\n"
    )


def _core(vendor_name: str, module: str, settings: dict[str, str]) -> list[str]:
    pairs = " ".join(f"CONFIG.{key} {{{value}}}" for key, value in settings.items())
    return [
        f"create_ip -name {vendor_name} -vendor xilinx.com -library ip -module_name {module}",
        f"set_property -dict [list {pairs}] [get_ips {module}]",
        f"generate_target all [get_ips {module}]",
        f"synth_ip [get_ips {module}]",
    ]


def _cores(project: Project) -> list[str]:
    """Return what makes the cores of platforms/xdma/top.v."""
    pcie_mhz = project.flow.most_mhz
    xdma = {
        "functional_mode": "DMA",
        "mode_selection": "Advanced",
        "pl_link_cap_max_link_width": "X4",
        "pl_link_cap_max_link_speed": project.flow.link_speed,
        "axi_data_width": "64_bit",
        "axisten_freq": f"{pcie_mhz:g}",
        "xdma_axi_intf_mm": "AXI_Stream",
        "xdma_rnum_chnl": str(project.blades),
        "xdma_wnum_chnl": str(project.blades),
        "axilite_master_en": "true",
        "axilite_master_size": "64",
        "axilite_master_scale": "Kilobytes",
        "pf0_device_id": "903f",
        "xdma_num_usr_irq": "1",
        **project.flow.core,
    }
    clock = {
        "PRIM_IN_FREQ": f"{pcie_mhz:g}",
        "PRIM_SOURCE": "No_buffer",
        "CLKOUT1_REQUESTED_OUT_FREQ": f"{project.frequency_mhz:g}",
        "RESET_TYPE": "ACTIVE_LOW",
        "USE_LOCKED": "true",
    }
    registers = {"PROTOCOL": "AXI4LITE", "DATA_WIDTH": "32", "ADDR_WIDTH": "32"}
    stream = {"TDATA_NUM_BYTES": "8", "HAS_TLAST": "0", "HAS_TKEEP": "0", "IS_ACLK_ASYNC": "1"}
    return [
        *_core("xdma", "firesim_xdma_ip", xdma),
        *_core("clk_wiz", "firesim_clock_ip", clock),
        *_core("axi_clock_converter", "firesim_registers_ip", {**registers, "ACLK_ASYNC": "1"}),
        *_core("axis_clock_converter", "firesim_stream_ip", stream),
    ]


def _directive(project: Project, step: str) -> str:
    chosen = DIRECTIVES[project.strategy].get(step)
    return f" -directive {chosen}" if chosen else ""


def _steps(project: Project) -> list[str]:
    flow = project.flow
    defines = " ".join(f"-verilog_define {name}={text}" for name, text in project.macros.items())
    retime = " -retiming" if project.strategy in RETIMES else ""
    lines = [
        'puts "firesim stage: synthesis"',
        f"synth_design -top {flow.top} -part {project.board.device} {defines}"
        f"{_directive(project, 'synth')}{retime}",
        "write_checkpoint -force synthesis.dcp",
        "report_utilization -hierarchical -file utilization.rpt",
        'puts "firesim stage: place"',
        f"opt_design{_directive(project, 'opt')}",
        f"place_design{_directive(project, 'place')}",
    ]
    if project.strategy not in SKIPS_PHYS_OPT:
        lines.append(f"phys_opt_design{_directive(project, 'phys_opt')}")
    return [
        *lines,
        'puts "firesim stage: route"',
        f"route_design{_directive(project, 'route')}",
        "write_checkpoint -force routed.dcp",
        "report_utilization -file utilization.rpt",
    ]


def _own_cores(project: Project) -> list[str]:
    """Return the cells of AMD's cores, whose own crossings are AMD's."""
    streams = (f"blade[{n}].{way}" for n in range(project.blades) for way in ("down", "up"))
    return ["xdma", "registers", "clocks", *streams]


def _result(project: Project) -> list[str]:
    """Return what writes result.json, and fails when a clock is not reached or more is missed."""
    return [
        *vivado_result.checked("", _own_cores(project)),
        "set host_clock [get_clocks -of_objects [get_pins clocks/clk_out1]]",
        "set worst [get_timing_paths -group $host_clock -max_paths 1]",
        f"set period [expr {{1000.0 / {project.frequency_mhz:g}}}]",
        "set fmax [expr {1000.0 / ($period - [get_property SLACK $worst])}]",
        *vivado_result.counts(project.board.resources),
        f"if {{$fmax < {project.frequency_mhz:g}}} {{",
        '  puts "firesim fault: found a clock of [format %.1f $fmax] MHz after route, '
        f'expected at least {project.frequency_mhz:g}"',
        "  exit 1",
        "}",
        'puts "firesim stage: bitstream"',
        "write_bitstream -force firesim.bit",
        *_flash(project),
        *vivado_result.written(),
    ]


def _flash(project: Project) -> list[str]:
    """Return what makes the file for the board's flash memory, if it has one to write."""
    flash = project.flow.flash
    if flash is None:
        return []
    return [
        f"write_cfgmem -force -format mcs -size {flash.mib} -interface {flash.interface} "
        f'-loadbit "up {flash.load_address} firesim.bit" -file firesim.mcs'
    ]


def _constraints(project: Project) -> list[str]:
    early = project.flow.early
    first = [f"read_xdc {early}", f"set_property PROCESSING_ORDER EARLY [get_files {early}]"]
    return [*(first if early else []), f"read_xdc {project.pins}", "read_xdc clocks.xdc"]


def build_tcl(project: Project) -> str:
    """Return build.tcl."""
    title = json.dumps(project.board.title)
    lines = [
        f"# A bitstream for {title}; made by firesim buildbitstream.",
        "set begun [clock seconds]",
        f"set_param general.maxThreads {min(project.jobs, 8)}",
        'puts "firesim stage: cores"',
        f"create_project -force -part {project.board.device} firesim project",
        *_cores(project),
        *(f"read_verilog -sv {source}" for source in project.sources),
        *_constraints(project),
        *_steps(project),
        *_result(project),
    ]
    return "\n".join(lines) + "\n"
