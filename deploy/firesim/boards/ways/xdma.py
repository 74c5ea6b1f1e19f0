# SPDX-License-Identifier: BSD-3-Clause
"""By the devices of AMD's driver for its XDMA core.

The whole top of such a board is a model for `firesim-xdma` to simulate. AMD's cores and cells are
the stubs of the top's folder. The lanes of PCIe carry requests of ours. The clock of PCIe and the
host's are two, each of which rises in the steps of the model that the simulated board chooses; all
else is what a build for the board has.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from firesim.boards.board import Board
from firesim.boards.design import shell_design, shell_macros
from firesim.boards.known import PLATFORMS
from firesim.boards.on_host import load_card
from firesim.boards.simulated_top import simulated_top
from firesim.boards.ways.base import BoardModel, Loading, Way, Wishes
from firesim.topology.plan import PlannedImage, PlannedReach

if TYPE_CHECKING:
    from goldengate.fpga_form import FpgaForm

BITSTREAM = "firesim.bit"
"""Its name on the host."""
MOST_STREAMS = 4
"""Blades behind AMD's XDMA, limited by the streams of its core each way (kMostXdmaBlades)."""
TOP = "firesim_simulated_xdma"
_WRAPPER = """\
// Made by FireSim: a board behind XDMA with its lanes alone; those of each pair carry a bit each.
module {name} (input wire clock, input wire shell_tick, input wire host_tick, input wire reset_n,
  input wire [7:0] lanes_in, output wire [7:0] lanes_out);
  wire shell_clock = clock & shell_tick, host_clock = clock & host_tick;
  {top} board (.pcie_refclk_p(shell_clock), .pcie_refclk_n(host_clock), .pcie_perst_n(reset_n),
    .pcie_rx_p(lanes_in[3:0]), .pcie_rx_n(lanes_in[7:4]),
    .pcie_tx_p(lanes_out[3:0]), .pcie_tx_n(lanes_out[7:4]));
endmodule
"""


class Xdma(Way):
    """The devices of AMD's driver."""

    BOARD: ClassVar[str] = "behind AMD's XDMA"
    DEVICE: ClassVar[str] = "the name that AMD's XDMA driver gave it, such as /dev/xdma0"
    MOST_BLADES: ClassVar[int] = MOST_STREAMS
    ON_PCIE: ClassVar[bool] = True

    def reached(self, board: Board, device: str, slot: int) -> PlannedReach:
        """Return what the card's devices begin with, and which of its blades."""
        del board
        return PlannedReach("xdma_card", {"device": device, "slot": slot})

    def image(self, board: Board, loading: Loading) -> PlannedImage | None:
        """Return the bitstream, for a card whose JTAG cable is known."""
        del board
        if loading.bitstream is None or not loading.cable:
            return None
        words = ("load", loading.device, loading.cable, BITSTREAM, loading.vivado)
        return PlannedImage(Path(load_card.__file__), words, {BITSTREAM: loading.bitstream})

    def simulated(
        self, form: FpgaForm, name: str, board: Board, blades: int, wishes: Wishes
    ) -> BoardModel:
        """Return the model of the board with the stubs of its top's folder."""
        del name, wishes
        flow = board.vivado_flow
        assert flow is not None
        sources = [PLATFORMS / flow.shell / "stubs.v", *shell_design(form, flow)]
        wrapper = _WRAPPER.format(name=TOP, top=flow.top)
        defines = {**shell_macros(form, flow, blades), "FIRESIM_TWO_CLOCKS": "1"}
        model = simulated_top(form, sources, TOP, wrapper, reset="reset_n", defines=defines)
        return BoardModel("firesim-xdma", model, (blades,))


WAY = Xdma
