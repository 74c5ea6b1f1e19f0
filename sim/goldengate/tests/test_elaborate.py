# SPDX-License-Identifier: BSD-3-Clause
"""Pass `elaborate`: one flat module; the clock and reset ports exist."""

from pathlib import Path

from goldengate.tests.designs import PORTS, lower, refusal, top, verilog


def test_hierarchy_becomes_paths(tmp_path: Path) -> None:
    inner = (
        "module Inner(input clock, input [7:0] d, output reg [7:0] q);\n"
        "  always @(posedge clock) q <= d;\nendmodule\n"
    )
    lower(
        tmp_path,
        inner
        + top("logic [7:0] m;\nInner a(.clock, .d(x), .q(m));\n" "Inner b(.clock, .d(m), .q(y));"),
    )
    text = verilog(tmp_path)
    assert "\\a.q  <= x;" in text
    assert text.count("\nmodule ") == 1


def test_errors_no_clock(tmp_path: Path) -> None:
    text = top("assign y = x;", PORTS.replace("logic clock", "logic clk"))
    assert refusal(tmp_path, text) == (
        "Top: expected a one-bit input 'clock' as the clock (nearest: clk); "
        "its inputs are: clk, reset, x."
    )


def test_errors_wide_reset(tmp_path: Path) -> None:
    text = top("assign y = x;", PORTS.replace("logic reset", "logic [1:0] reset"))
    assert refusal(tmp_path, text) == (
        "Top: expected a one-bit input 'reset' as the reset (nearest: reset); "
        "its inputs are: clock, reset, x."
    )
