# SPDX-License-Identifier: BSD-3-Clause
"""Pass `unseen`: what is large and gives nothing out is left out, and nothing else is."""

from pathlib import Path

import pytest

from goldengate.tests.designs import Event, lower, top

BITS = 40_000
MONITOR = f"""\
module Sum(input [7:0] a, output [7:0] b); assign b = a + 1; endmodule
module Monitor(input clock, input reset, input [7:0] x);
  logic [{BITS - 1}:0] kept; logic [7:0] last, next; Sum sum(.a(x), .b(next));
  always @(posedge clock) begin kept <= kept << 8 | next; last <= kept >> {{next, 8'd0}}; end
  MORE
endmodule
"""
BODY = "Monitor monitor(.clock, .reset, .x); assign y = x;"


def _is_left_out(
    folder: Path, more: str = "", bits: int = BITS, events: tuple[Event, ...] = ()
) -> bool:
    text = MONITOR.replace(f"{BITS - 1}", f"{bits - 1}").replace("MORE", more)
    lower(folder, text + top(BODY), events=list(events))
    return "Used module:     \\Monitor" not in (folder / "out" / "yosys.log").read_text()


def test_a_large_instance_that_gives_nothing_out_is_left_out(tmp_path: Path) -> None:
    assert _is_left_out(tmp_path)


@pytest.mark.parametrize(
    "more",
    [
        "always @(posedge clock) if (!reset) assert (last != 3);",
        "always @(posedge clock) if (!reset) seen: cover (last == 3);",
        'always @(posedge clock) if (last == 3) $display("%d", last);',
        "FireSimUARTBridge uart(.clock, .reset, .out_valid(x[0]), .out_bits(last), .in_ready(1'b1),"
        " .out_ready(), .in_valid(), .in_bits());",
    ],
)
def test_one_that_does_anything_is_not(tmp_path: Path, more: str) -> None:
    assert not _is_left_out(tmp_path, more)


def test_small_ones_are_left_to_later_passes(tmp_path: Path) -> None:
    assert not _is_left_out(tmp_path, bits=400)


def test_one_in_which_an_event_looks_is_not(tmp_path: Path) -> None:
    event = Event("ones", "monitor.last[0]")
    assert not _is_left_out(tmp_path, events=(event,))
