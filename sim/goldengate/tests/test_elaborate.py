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


def test_what_translate_off_hides_is_named(tmp_path: Path) -> None:
    body = (
        "wire [7:0] q;\n// synthesis translate_off\nMem #(.W(8)) ram(.a(x),\n  .q(q));\n"
        "// synthesis translate_on\nassign y = q;"
    )
    manifest = lower(tmp_path, top(body))
    assert manifest["warnings"] == [
        f"{tmp_path}/top.sv:2: 'q' is read and nothing gives it a value, which is 0: "
        "'translate_off' hides 'ram' of module 'Mem' in line 4."
    ]


def test_errors_black_boxes_and_gates_that_let_go(tmp_path: Path) -> None:
    box = "(* blackbox *) module Box(input [7:0] a, output [7:0] q); endmodule\n"
    assert refusal(tmp_path, box + top("Box ip(.a(x), .q(y));")) == (
        "top.sv:3: 'ip' is an instance of 'Box', a black box; expected its Verilog, or that of a "
        "model of it."
    )
    assert refusal(tmp_path, top("bufif1 (y[0], x[0], x[1]);")) == (
        "top.sv:2: found a gate that drives its output at times only, expected a multiplexer: '?:'."
    )


def test_errors_a_constant_beside_another_driver(tmp_path: Path) -> None:
    beside = top("wire [1:0] w;\nassign w = x[1:0]; assign w[1] = 1'b0; assign y = w;")
    assert refusal(tmp_path, beside) == (
        "top.sv:2: 'w[1]' is 0 by one assignment and has another driver, expected one driver."
    )
    one_each = top("wire [1:0] w; assign w[0] = x[0]; assign w[1] = 1'b0; assign y = w;")
    lower(tmp_path, one_each)
