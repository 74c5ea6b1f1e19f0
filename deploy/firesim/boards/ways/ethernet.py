# SPDX-License-Identifier: BSD-3-Clause
"""By Etherbone on UDP.

The whole top of such a board is a model for `firesim-ethernet` to simulate. LiteEth's core is in
it, with pins that have a byte each cycle (GMII) in place of the board's, which have half of one at
each edge (RGMII). The device's cells are the models of the board's folder, and the clock of
Ethernet and the host's are two, each of which rises in the steps of the model that the simulated
board chooses.
"""

from __future__ import annotations

from collections.abc import Mapping
from ipaddress import IPv4Address
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, ClassVar

from firesim_common.errors import InputError
from pydantic import Field

from firesim.boards.board import Board
from firesim.boards.design import whole_design
from firesim.boards.simulated_top import simulated_top
from firesim.boards.ways.base import DEVICE_OPTION, BoardModel, Losses, Way, Wishes
from firesim.topology.plan import PlannedReach

if TYPE_CHECKING:
    from goldengate.fpga_form import FpgaForm

HERE = Path("127.0.7.1")
"""Where a simulated board is, unless a place is asked for."""
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


class Ethernet(Way):
    """Etherbone on UDP, by which a host reaches a board's top module."""

    BOARD: ClassVar[str] = "on Ethernet"
    DEVICE: ClassVar[str] = "its IPv4 address, such as 192.168.1.50"
    HAS_ADDRESS: ClassVar[bool] = True
    OPTIONS: ClassVar[Mapping[str, str]] = {"losses": "--loss-percent"}
    port: Annotated[int, Field(ge=1, le=65535)]
    """Of UDP, on the board and on its host: the core answers to no other one."""
    address: str
    """The board's, unless a build recipe says another one."""

    @classmethod
    def takes(cls, device: str) -> bool:
        """Return whether a text is an IPv4 address."""
        return _address(device) is not None

    def reached(self, board: Board, device: str, slot: int) -> PlannedReach:
        """Return the address of the board, and the port."""
        del board, slot
        return PlannedReach("ethernet", {"address": device, "port": self.port})

    def macros(self, address: str | None) -> dict[str, str]:
        """Return the macro of the top that says its address."""
        return {"FIRESIM_ADDRESS": f"32'h{int(IPv4Address(address or self.address)):08x}"}

    def simulated(
        self, form: FpgaForm, name: str, board: Board, blades: int, wishes: Wishes
    ) -> BoardModel:
        """Return the model of the board, which loses the datagrams that are wished to be lost."""
        del blades
        flow = board.open_flow
        assert flow is not None
        model = simulated_top(
            form,
            whole_design(form, name, flow, simulated=True),
            TOP,
            _WRAPPER.format(name=TOP, top=flow.top, clock=flow.clock),
            reset="reset_n",
            defines={"FIRESIM_GMII": "1", **self.macros(None)},
        )
        lost = wishes.losses or Losses()
        arguments = (self.address, self.port, lost.percent, lost.seed)
        return BoardModel("firesim-ethernet", model, arguments)

    def place(self, build: str, device: Path | None) -> list[str]:
        """Return the address of a simulated board, which only this computer has."""
        del build
        text = str(device or HERE)
        address = _address(text)
        if address is None or not address.is_loopback:
            raise InputError(f"{DEVICE_OPTION}: found {text}, expected an address like {HERE}.")
        return [str(address)]


def _address(text: str) -> IPv4Address | None:
    try:
        return IPv4Address(text)
    except ValueError:
        return None


WAY = Ethernet
