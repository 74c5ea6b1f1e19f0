# SPDX-License-Identifier: BSD-3-Clause
"""By a serial line: the commands of sim/hostlib/rtl/firesim_uart_link.v.

The whole top of such a board is a model for `firesim-board` to simulate.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, ClassVar

from pydantic import Field

from firesim.boards.board import Board
from firesim.boards.design import whole_design
from firesim.boards.simulated_top import simulated_top
from firesim.boards.ways.base import BoardModel, Way, Wishes
from firesim.topology.plan import PlannedReach

if TYPE_CHECKING:
    from goldengate.fpga_form import FpgaForm

PROGRAM = "firesim-board"
TOP = "firesim_simulated_board"
_WRAPPER = """\
// Made by FireSim: a board with its serial line alone. Golden Gate wants a reset; boards have none.
module {name} (input wire clock, input wire reset, input wire to_board, output wire from_board);
  {top} {parameters}board (
    .{clock}(clock), .{to_board}(to_board), .{from_board}(from_board));
endmodule
"""


class Serial(Way):
    """The serial line of a board's top module: eight bits, no parity, one stop bit.

    The top has a parameter BIT_CYCLES, the host cycles of a bit, whose value is that of the board.
    """

    BOARD: ClassVar[str] = "with a serial line"
    DEVICE: ClassVar[str] = "its serial device, such as /dev/ttyUSB0"
    OPTIONS: ClassVar[Mapping[str, str]] = {"bit_cycles": "--bit-cycles"}
    to_board: str
    """Input of the top."""
    from_board: str
    """Output of the top."""
    bits_per_s: Annotated[int, Field(ge=300, le=100_000_000)]
    """Its speed."""

    def reached(self, board: Board, device: str, slot: int) -> PlannedReach:
        """Return the device and speed of the line."""
        del board, slot
        return PlannedReach("serial_line", {"device": device, "bits_per_s": self.bits_per_s})

    def bit_cycles(self, board: Board) -> int:
        """Return how many host cycles a bit of the line takes on the board."""
        assert board.open_flow is not None
        return round(board.open_flow.clock_mhz * 1e6 / self.bits_per_s)

    def wrapper(self, board: Board, bit_cycles: int | None = None) -> str:
        """Return the text of TOP, the board's top with nothing but its clock and its serial line.

        A bit of the line takes `bit_cycles` host cycles; a netlist has it already, and no
        parameters.
        """
        assert board.open_flow is not None
        return _WRAPPER.format(
            name=TOP,
            top=board.open_flow.top,
            clock=board.open_flow.clock,
            to_board=self.to_board,
            from_board=self.from_board,
            parameters=f"#(.BIT_CYCLES({bit_cycles})) " if bit_cycles else "",
        )

    def simulated(
        self, form: FpgaForm, name: str, board: Board, blades: int, wishes: Wishes
    ) -> BoardModel:
        """Return the model of the board, one of whose bits takes as long as wished."""
        del blades
        assert board.open_flow is not None
        cycles = wishes.bit_cycles or self.bit_cycles(board)
        sources = whole_design(form, name, board.open_flow)
        model = simulated_top(form, sources, TOP, self.wrapper(board, cycles))
        return BoardModel(PROGRAM, model, (cycles,))


WAY = Serial
