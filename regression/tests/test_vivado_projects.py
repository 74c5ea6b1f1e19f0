# SPDX-License-Identifier: BSD-3-Clause
"""Vivado projects of every board in a plain Tcl shell; planted faults are found at their lines."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from firesim.bitstream.builders import vivado_result
from firesim.bitstream.builders.base import Wanted
from firesim.bitstream.builders.vivado import Vivado
from firesim.bitstream.builders.vivado_tcl import DIRECTIVES
from firesim.bitstream.forms import design_form
from firesim.boards.known import PLATFORMS, all_boards
from firesim.build.design import Design
from firesim.config.bitstream import Builders, BuildRecipe
from firesim_common.paths import ROOT
from goldengate.fpga_form import FpgaForm

from regression.support.vivado.check import elaborated, facts, lay_out, recorded

REFLECTOR = ROOT / "target-design/examples/packet-reflector/packet_reflector.sv"
BOARDS = sorted(name for name, board in all_boards().items() if board.vivado_flow is not None)
pytestmark = pytest.mark.skipif(shutil.which("tclsh") is None, reason="tclsh is not installed")


@pytest.fixture(scope="module")
def form() -> FpgaForm:
    parameters = {"DEPTH": "8"}
    return design_form(
        Design("PacketReflector", (REFLECTOR,), "PacketReflector", parameters=parameters)
    )


def wanted_for(form: FpgaForm, board: str, strategy: str = "default") -> Wanted:
    recipe = BuildRecipe(blade="rocket-1", board=board, strategy=strategy)  # type: ignore[arg-type]
    return Wanted("a", recipe, board, all_boards()[board], form, 60.0)


def laid_out(form: FpgaForm, board: str, folder: Path, strategy: str = "default") -> str:
    """Make the folder of a build's job; return the facts of its design."""
    wanted = wanted_for(form, board, strategy)
    job = Vivado(Builders()).job(wanted, local=False)
    lay_out(job, folder)
    flow = wanted.board.vivado_flow
    assert flow is not None
    modules = elaborated(wanted, PLATFORMS / flow.shell / "top.v", folder)
    return facts(wanted, modules, [Path(place).name for place in job.files if "source/" in place])


@pytest.mark.parametrize("board", BOARDS)
def test_the_project_of_a_board(board: str, form: FpgaForm, tmp_path: Path) -> None:
    status, lines = recorded(tmp_path, laid_out(form, board, tmp_path))
    assert (status, lines) == (0, [])
    found: dict[str, Any] = json.loads((tmp_path / "result.json").read_text())
    assert found["fmax_mhz"] == pytest.approx(1000 / (1000 / 60 - 1.5), abs=0.01)
    assert found["tools"] == {"vivado": "2024.1"}
    job = Vivado(Builders()).job(wanted_for(form, board), local=False)
    assert all(
        (tmp_path / name).is_file()
        for name in (*job.results, *vivado_result.REPORTS)
        if name != "utilization.rpt"
    )


def test_the_strategies(form: FpgaForm, tmp_path: Path) -> None:
    known = laid_out(form, "u250", tmp_path)
    for strategy in DIRECTIVES:
        wanted = wanted_for(form, "u250", strategy)
        lay_out(Vivado(Builders()).job(wanted, local=False), tmp_path)
        assert recorded(tmp_path, known) == (0, []), strategy


def edited(name: str, old: str, new: str) -> Callable[[Path], None]:
    def edit(folder: Path) -> None:
        text = (folder / name).read_text()
        assert old in text
        (folder / name).write_text(text.replace(old, new, 1))

    return edit


FAULTS: dict[str, tuple[Callable[[Path], None], str]] = {
    "a file that is missing": (
        lambda folder: (folder / "source/top.v").unlink(),
        "read_verilog: found no file source/top.v",
    ),
    "a source that is not read": (
        edited("build.tcl", "read_verilog -sv source/top.v\n", ""),
        "synth_design: found no read_verilog of top.v",
    ),
    "a port": (
        edited("pins.xdc", "get_ports pcie_refclk_p", "get_ports pcie_refclock_p"),
        "pins.xdc:2: get_ports: found no ports pcie_refclock_p in the design",
    ),
    "a bit of a port": (
        edited("pins.xdc", "pcie_rx_p[3]", "pcie_rx_p[4]"),
        "found no ports pcie_rx_p[4] in the design",
    ),
    "a port without a pin": (
        edited("pins.xdc", "set_property PACKAGE_PIN AF7 [get_ports {pcie_tx_p[0]}]\n", ""),
        "found no PACKAGE_PIN of the port pcie_tx_p[0]",
    ),
    "a pin that is given twice": (
        edited("pins.xdc", "PACKAGE_PIN AG9", "PACKAGE_PIN AF7"),
        "found the pin AF7 for pcie_tx_p[1] and pcie_tx_p[0]",
    ),
    "a cell": (
        edited("build.tcl", "get_pins clocks/clk_out1", "get_pins clocks_0/clk_out1"),
        "get_pins: found no pins clocks_0/clk_out1 in the design",
    ),
    "a pin of a cell": (
        edited("build.tcl", "clocks/clk_out1", "clocks/clk_out2"),
        "get_pins: found no pins clocks/clk_out2",
    ),
    "a register": (
        edited("clocks.xdc", "settled_reg[*]/CLR", "settle_reg[*]/CLR"),
        "found no pins settle_reg[*]/CLR",
    ),
    "a part": (
        edited("build.tcl", "-part xcu250-", "-part xcu25-"),
        "create_project: found the part xcu25-",
    ),
    "a core": (
        edited("build.tcl", "-name clk_wiz", "-name clock_wizard"),
        "create_ip: found the core clock_wizard for firesim_clock_ip, expected clk_wiz",
    ),
    "a setting": (
        edited("build.tcl", "CONFIG.axi_data_width", "CONFIG.axi_data_widht"),
        "found the setting of xdma CONFIG.axi_data_widht",
    ),
    "a core that is not synthesized": (
        edited("build.tcl", "synth_ip [get_ips firesim_stream_ip]\n", ""),
        "found no synth_ip of firesim_stream_ip",
    ),
    "an order": (
        edited("build.tcl", "place_design\n", ""),
        "phys_opt_design: found it before place_design",
    ),
    "an option": (
        edited("timing_check.tcl", "timing_verbose -file", "timing_verbose -fil"),
        "report_timing_summary: found the option -fil",
    ),
    "a command": (
        edited("build.tcl", "route_design\n", "rout_design\n"),
        "found the command rout_design",
    ),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_planted_fault_is_found(name: str, form: FpgaForm, tmp_path: Path) -> None:
    known = laid_out(form, "u250", tmp_path)
    plant, sentence = FAULTS[name]
    plant(tmp_path)
    status, lines = recorded(tmp_path, known)
    assert status == 1
    assert any(sentence in line for line in lines), lines


MISSED = {
    "setup of a clock that is not the host's": (
        "set misses(setup) {{path -0.213 pipe_clk xdma/inst/a_reg/C xdma/inst/b_reg/D}}",
        "found paths that miss their time after route, expected none: setup of the clock pipe_clk "
        "from xdma/inst/a_reg/C to xdma/inst/b_reg/D by 0.213 ns",
    ),
    "hold": (
        "set misses(hold) {{path -0.07 clk_out1 blades/a_reg/C blades/b_reg/D}}",
        "expected none: hold of the clock clk_out1 from blades/a_reg/C to blades/b_reg/D by 0.070",
    ),
    "pulse width": (
        "set timing_report [lreplace $timing_report end end {Timing constraints are not met.}]",
        "found no word in timing.rpt that all constraints are met, expected it",
    ),
    "a register without a clock": (
        "lappend timing_report {1. checking no_clock (2)} {There are 2} {blades/a_reg/C} "
        "{blades/b_reg/C}",
        "found pins without a clock or a limit (2), expected none: blades/a_reg/C; blades/b_reg/C "
        "(see timing.rpt)",
    ),
    "an end that nothing limits": (
        "lappend timing_report {4. checking unconstrained_internal_endpoints (1)} {| Design} {a/D}",
        "found pins without a clock or a limit (1), expected none: see timing.rpt",
    ),
    "a report in another form": (
        "set timing_report {{All user specified timing constraints are met.}}",
        "found no check_timing in timing.rpt, expected it",
    ),
    "a crossing": (
        "set cdc_report {{CDC-1  Critical  2  1-bit unknown CDC circuitry} "
        "{1  CDC-1  Critical  1-bit unknown CDC circuitry  0  None  blades/a_reg/C blades/b_reg/D} "
        "{2  CDC-1  Critical  1-bit unknown CDC circuitry  0  None  xdma/a_reg/C xdma/b_reg/D}}",
        "found critical crossings between clocks (1), expected none: CDC-1 from blades/a_reg/C to "
        "blades/b_reg/D (see cdc.rpt)",
    ),
    "a crossing without its ends": (
        "set cdc_report {{CDC-1  Critical  2  1-bit unknown CDC circuitry}}",
        "found 0 of 2 critical crossings in cdc.rpt, expected each with its ends",
    ),
}


@pytest.mark.parametrize("name", MISSED)
def test_a_build_that_misses_its_time_is_refused(name: str, form: FpgaForm, tmp_path: Path) -> None:
    known = laid_out(form, "u250", tmp_path)
    said, sentence = MISSED[name]
    status, lines = recorded(tmp_path, f"{known}{said}\n")
    assert status == 1 and len(lines) == 1
    assert lines[0].startswith("firesim fault: ") and sentence in lines[0]
    assert not (tmp_path / "firesim.bit").exists() and not (tmp_path / "result.json").exists()


def test_what_amds_cores_and_our_queues_answer_for_is_no_fault(
    form: FpgaForm, tmp_path: Path
) -> None:
    ends = (
        "xdma/a_reg/C xdma/b_reg/D",
        "blade[0].down/inst/a_reg/C blade[0].down/inst/b_reg/D",
        "blade[0].there/firesim_words_reg_0_1_0_13/RAMA/CLK blade[0].there/firesim_oldest_reg[3]/D",
    )
    rows = " ".join(f"{{1 CDC-1 Critical 1-bit unknown 0 None {pair}}}" for pair in ends)
    known = laid_out(form, "u250", tmp_path)
    assert recorded(tmp_path, f"{known}set cdc_report {{{rows}}}\n") == (0, [])


def test_a_misspelt_port_of_a_core_is_found(form: FpgaForm, tmp_path: Path) -> None:
    top = tmp_path / "top.v"
    text = (PLATFORMS / "xdma/top.v").read_text()
    top.write_text(text.replace(".m_axil_awprot(p_awprot)", ".m_axil_awport(p_awprot)"))
    with pytest.raises(RuntimeError, match="m_axil_awport"):
        elaborated(wanted_for(form, "u250"), top, tmp_path)
