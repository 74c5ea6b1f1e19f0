# SPDX-License-Identifier: BSD-3-Clause
"""The whole top of a board behind AMD's XDMA as a model, for `firesim-xdma` to simulate.

AMD's cores and cells are the stubs of the top's folder. The lanes of PCIe carry requests of ours.
The clock of PCIe and the host's are two, each of which rises in the steps of the model that the
simulated board chooses; all else is what a build for the board has.
"""

from __future__ import annotations

from pathlib import Path

from goldengate.fpga_form import FpgaForm

from firesim.build.boards import PLATFORMS, Board, shell_design, shell_macros
from firesim.build.simulated_top import simulated_top

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


def xdma_model(form: FpgaForm, board: Board, blades: int = 1) -> Path:
    """Return the folder with the model and manifest of a board behind XDMA with blades of a form.

    Raises:
        ToolError, GoldenGateError: a step failed.
    """
    flow = board.vivado_flow
    assert flow is not None
    sources = [PLATFORMS / flow.shell / "stubs.v", *shell_design(form, flow)]
    wrapper = _WRAPPER.format(name=TOP, top=flow.top)
    defines = {**shell_macros(form, flow, blades), "FIRESIM_TWO_CLOCKS": "1"}
    return simulated_top(form, sources, TOP, wrapper, reset="reset_n", defines=defines)
