# SPDX-License-Identifier: BSD-3-Clause
"""A register that is reset in rounds is poked and peeked by the user's name, metasimulated, too."""

from __future__ import annotations

from pathlib import Path

from firesim.results.outcome import Outcome
from firesim.run.signals import read_peeks
from goldengate.tests.reset_designs import text_of

from regression.support.one_board import left, simulated, write_recipe

TELLER = """\
module Teller (input logic clock, input logic reset);
  logic [31:0] count = 0;
  logic ready; wire [7:0] y;
  Top chain (.clock, .reset, .x(count[7:0]), .y);
  always_ff @(posedge clock) count <= count + 1;
  FireSimUARTBridge uart (
    .clock, .reset, .out_valid(ready & ~reset), .out_bits(y),
    .in_ready(1'b1), .out_ready(ready), .in_valid(), .in_bits()
  );
  FireSimTerminationBridge over (.clock, .reset, .valid(count == 900), .value(32'h5555));
endmodule
"""
AT, VALUE = 0x27E, 0x7F
"""In this cycle the input is 0x7e: bits 0, 1 and 3 to 5 reset the one above each, all at once."""
METASIM = "simulation.engine=metasim"


def _peeked(outcome: Outcome) -> dict[int, int]:
    return {one.cycle: one.value for one in read_peeks(outcome.folder / "soc/peeks.csv")}


def test_a_poke_by_the_users_name_acts_on_both_engines(tmp_path: Path) -> None:
    write_recipe(tmp_path, TELLER + text_of("chain"), "")
    farm = f"kind: local\nprocesses: 1\nfolder: {tmp_path}/hosts\n"
    (tmp_path / "farm.yaml").write_text(farm)
    peeks = f"simulation.peeks=[{{node: soc, cycles: [{AT}, {AT + 1}], signals: [chain.q]}}]"
    pokes = (
        f"simulation.pokes=[{{node: soc, cycle: {AT}, signal: chain.q, value: {VALUE}}}]",
        peeks,
    )
    plain = simulated(tmp_path, tmp_path / "plain", peeks)
    rtl = simulated(tmp_path, tmp_path / "rtl", *pokes)
    metasim = simulated(tmp_path, tmp_path / "metasim", *pokes, METASIM)
    assert left(metasim, ("uart.log",)) == left(rtl, ("uart.log",)), metasim.message
    assert _peeked(metasim) == _peeked(rtl)
    assert _peeked(rtl)[AT] == VALUE != _peeked(plain)[AT]
    # Left are 0x09 and the reset value of bit 2; the clock's edge inverts by the input, and bits 1
    # and 4 are being reset then.
    assert _peeked(rtl)[AT + 1] == (0x7E ^ 0x0D) & ~0x12 == 0x61
