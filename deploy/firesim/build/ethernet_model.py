# SPDX-License-Identifier: BSD-3-Clause
"""The whole top of a board on Ethernet as a model, for `firesim-ethernet` to simulate.

LiteEth's core is in it, with pins that have a byte each cycle (GMII) in place of the board's, which
have half of one at each edge (RGMII). The device's cells are the models of the board's folder, and
the clock of Ethernet and the host's are two, each of which rises in the steps of the model that the
simulated board chooses.
"""

from __future__ import annotations

from pathlib import Path

from goldengate.fpga_form import FpgaForm

from firesim.build.boards import Board, address_macros, whole_design
from firesim.build.simulated_top import simulated_top

TOP = "firesim_simulated_ethernet"
_WRAPPER = """\
// Made by FireSim: a board on Ethernet with its GMII alone.
module {name} (input wire clock, input wire shell_tick, input wire host_tick, input wire reset_n,
  input wire unlocks, input wire rx_valid, input wire [7:0] rx_data, output wire tx_valid,
  output wire [7:0] tx_data);
  wire shell_clock = clock & shell_tick, host_clock = clock & host_tick;
  {top} board (.{clock}(host_clock), .rst_n(reset_n), .gmii_unlocks(unlocks),
    .gmii_clock(shell_clock), .gmii_rx_dv(rx_valid), .gmii_rx_data(rx_data),
    .gmii_tx_en(tx_valid), .gmii_tx_data(tx_data));
endmodule
"""


def ethernet_model(form: FpgaForm, name: str, board: Board) -> Path:
    """Return the folder with the model and manifest of a board on Ethernet with a form in it.

    Raises:
        ToolError, GoldenGateError: a step failed.
    """
    flow = board.open_flow
    assert flow is not None
    return simulated_top(
        form,
        whole_design(form, name, flow, simulated=True),
        TOP,
        _WRAPPER.format(name=TOP, top=flow.top, clock=flow.clock),
        reset="reset_n",
        defines={"FIRESIM_GMII": "1", **address_macros(board)},
    )
