# SPDX-License-Identifier: BSD-3-Clause
"""By loads and stores to a PCI function in the shell of AWS's F2.

The custom logic of such a board is a model for `firesim-f2` to simulate behind its shell. The kit's
module and AMD's cells are the stubs of the board's folder. The shell's clock and the host's are
two, each of which rises in the steps of the model that the simulated shell chooses; all else is
what a build for F2 has.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from firesim.boards.board import Board
from firesim.boards.design import blade_macros, has_dram, whole_design
from firesim.boards.known import PLATFORMS
from firesim.boards.on_host import load_afi
from firesim.boards.simulated_top import simulated_top
from firesim.boards.ways.base import BoardModel, Loading, Way, Wishes
from firesim.topology.plan import PlannedImage, PlannedReach

if TYPE_CHECKING:
    from goldengate.fpga_form import FpgaForm

AFI_LIMIT_S = 120.0
_FUNCTION = re.compile(r"/[0-9a-f]{4}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]/?$")
"""Ends the folder of a function on PCI, which the socket of a simulated one does not."""
TOP = "firesim_simulated_f2"
MOST_WINDOWS = 16
"""Blades on an F2, which the top has addresses for (kMostWindows in window_platform.h)."""
DIVIDE = "10.0"
"""Of the host clock, which the stub of the MMCM does not look at."""
_PORTS = """\
input 32 ocl_cl_awaddr, input 1 ocl_cl_awvalid, output 1 cl_ocl_awready, input 32 ocl_cl_wdata,
input 1 ocl_cl_wvalid, output 1 cl_ocl_wready, output 2 cl_ocl_bresp, output 1 cl_ocl_bvalid,
input 1 ocl_cl_bready, input 32 ocl_cl_araddr, input 1 ocl_cl_arvalid, output 1 cl_ocl_arready,
output 32 cl_ocl_rdata, output 2 cl_ocl_rresp, output 1 cl_ocl_rvalid, input 1 ocl_cl_rready,
input 64 sh_cl_dma_pcis_awaddr, input 1 sh_cl_dma_pcis_awvalid, output 1 cl_sh_dma_pcis_awready,
input 512 sh_cl_dma_pcis_wdata, input 64 sh_cl_dma_pcis_wstrb, input 1 sh_cl_dma_pcis_wvalid,
output 1 cl_sh_dma_pcis_wready, output 2 cl_sh_dma_pcis_bresp, output 1 cl_sh_dma_pcis_bvalid,
input 1 sh_cl_dma_pcis_bready, input 64 sh_cl_dma_pcis_araddr, input 1 sh_cl_dma_pcis_arvalid,
output 1 cl_sh_dma_pcis_arready, output 512 cl_sh_dma_pcis_rdata, output 2 cl_sh_dma_pcis_rresp,
output 1 cl_sh_dma_pcis_rvalid, input 1 sh_cl_dma_pcis_rready,
input 1 sh_cl_flr_assert, output 1 cl_sh_flr_done"""
"""Ports of the top that the simulated shell moves: direction, bits, name."""


_DIMM_PORTS = "output 832 dimm_asks, input 576 dimm_answers"
_DIMM_PINS = ".M_MA(dimm_asks), .CLK_DIMM_DP(dimm_answers), "
"""Two pins of the DIMM, which carry accesses of ours in a simulation (stubs/dimm.sv)."""


def _wrapper(top: str, with_dimm: bool) -> str:
    """Return a module with the board's top in it and these ports alone: one beat an access."""
    ports = [entry.split() for entry in _PORTS.split(",")]
    dimm = [entry.split() for entry in _DIMM_PORTS.split(",")] if with_dimm else []
    declared = ",\n  ".join(
        f"{way} wire [{int(bits) - 1}:0] {name}" for way, bits, name in [*ports, *dimm]
    )
    pins = _DIMM_PINS if with_dimm else ""
    joined = ", ".join(f".{name}({name})" for _, _, name in ports)
    return (
        "// Made by FireSim: custom logic for F2 with what its host reaches alone.\n"
        f"module {TOP} (input wire clock, input wire shell_tick, input wire host_tick,\n"
        f"  input wire reset_n, output wire is_up,\n  {declared});\n"
        "  wire shell_clock = clock & shell_tick, host_clock = clock & host_tick;\n"
        "  wire [15:0] status;\n"
        "  assign is_up = &status[1:0];\n"
        f"  {top} logic_of_user (.clk_main_a0(shell_clock), .rst_main_n(reset_n),\n"
        "    .clk_hbm_ref(host_clock),\n"
        "    .cl_sh_status_vled(status), .sh_cl_dma_pcis_awid(16'd0),\n"
        "    .sh_cl_dma_pcis_wlast(1'b1), .sh_cl_dma_pcis_arid(16'd0),\n"
        f"    {pins}.sh_cl_dma_pcis_arlen(8'd0), {joined});\nendmodule\n"
    )


class F2(Way):
    """A PCI function in the shell of F2, of the first id that the board's file has for PCI."""

    BOARD: ClassVar[str] = "in the shell of F2"
    DEVICE: ClassVar[str] = "its PCI function, such as /sys/bus/pci/devices/0000:34:00.0"
    MOST_BLADES: ClassVar[int] = MOST_WINDOWS
    ON_PCIE: ClassVar[bool] = True

    def reached(self, board: Board, device: str, slot: int) -> PlannedReach:
        """Return the function, its vendor and device, and which of its blades."""
        return PlannedReach("pci_function", {"device": device, "id": board.pci[0], "slot": slot})

    def image(self, board: Board, loading: Loading) -> PlannedImage | None:
        """Return AWS's image, for a function that is there."""
        if loading.agfi is None or not _FUNCTION.search(loading.device):
            return None
        words = (loading.device, loading.agfi, board.pci[0], f"{AFI_LIMIT_S:g}")
        return PlannedImage(Path(load_afi.__file__), words)

    def simulated(
        self, form: FpgaForm, name: str, board: Board, blades: int, wishes: Wishes
    ) -> BoardModel:
        """Return the model of the board, with the stub of a DIMM when the form has DRAM."""
        del wishes
        return BoardModel("firesim-f2", _model(form, name, board, blades), (blades,))


WAY = F2


def _model(form: FpgaForm, name: str, board: Board, blades: int) -> Path:
    flow = board.aws_flow
    assert flow is not None
    stubs = PLATFORMS / name / "stubs"
    macros = {"FIRESIM_DIVIDE": DIVIDE, "FIRESIM_TWO_CLOCKS": "1"}
    defines = {**macros, **blade_macros(form, blades)}
    sources = [*whole_design(form, name, flow), stubs / "cells.sv"]
    if has_dram(form):
        defines |= {"FIRESIM_DRAM": "1", "FIRESIM_SIMULATED_DIMM": "1"}
        sources.append(stubs / "dimm.sv")
    return simulated_top(
        form,
        sources,
        TOP,
        _wrapper(flow.top, has_dram(form)),
        reset="reset_n",
        defines=defines,
        included=[
            PLATFORMS / name / "cl_id_defines.vh",
            *(stubs / file for file in ("cl_ports.vh", "sh_ddr_ports.vh")),
        ],
    )
