# SPDX-License-Identifier: BSD-3-Clause
"""The whole top of a board with a serial line as a model, for `firesim-board` to simulate."""

from __future__ import annotations

from pathlib import Path

from goldengate.fpga_form import FpgaForm

from firesim.build.boards import Board, whole_design
from firesim.build.simulated_top import simulated_top

TOP = "firesim_simulated_board"
_WRAPPER = """\
// Made by FireSim: a board with its serial line alone. Golden Gate wants a reset; boards have none.
module {name} (input wire clock, input wire reset, input wire to_board, output wire from_board);
  {top} {parameters}board (
    .{clock}(clock), .{to_board}(to_board), .{from_board}(from_board));
endmodule
"""


def usual_bit_cycles(board: Board) -> int:
    """Return how many host cycles a bit of the serial line takes."""
    assert board.open_flow is not None and board.serial_line is not None
    return round(board.open_flow.clock_mhz * 1e6 / board.serial_line.bits_per_s)


def serial_wrapper(board: Board, bit_cycles: int | None = None) -> str:
    """Return the text of TOP, the board's top with nothing but its clock and its serial line.

    A bit of the line takes `bit_cycles` host cycles; a netlist has it already, and no parameters.
    """
    flow, line = board.open_flow, board.serial_line
    assert flow is not None and line is not None
    return _WRAPPER.format(
        name=TOP,
        top=flow.top,
        clock=flow.clock,
        to_board=line.to_board,
        from_board=line.from_board,
        parameters=f"#(.BIT_CYCLES({bit_cycles})) " if bit_cycles else "",
    )


def board_model(form: FpgaForm, name: str, board: Board, bit_cycles: int) -> Path:
    """Return the folder with `model.so` and `model.json` of a board with a form in it.

    A bit of its serial line takes `bit_cycles` host cycles.

    Raises:
        ToolError, GoldenGateError: a step failed.
    """
    assert board.open_flow is not None
    sources = whole_design(form, name, board.open_flow)
    return simulated_top(form, sources, TOP, serial_wrapper(board, bit_cycles))
