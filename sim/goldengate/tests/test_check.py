# SPDX-License-Identifier: BSD-3-Clause
"""Pass `check`: loops and second clocks are refused; clock gates are not."""

from pathlib import Path

from goldengate.tests.designs import PORTS, lower, refusal, top

GATE = (
    "module Gate(input clock, input enable, output gated);\n  reg latched;\n"
    "  always @* if (!clock) latched = enable;\n  assign gated = latched & clock;\nendmodule\n"
)


def test_clock_gates_are_accepted(tmp_path: Path) -> None:
    body = (
        "wire g; Gate gate(.clock, .enable(x[0]), .gated(g));\n"
        "logic [7:0] q; always @(posedge g) q <= x; assign y = q;"
    )
    lower(tmp_path, GATE + top(body))


def test_a_divided_clock_is_accepted(tmp_path: Path) -> None:
    body = (
        "logic half, [7:0] q; always @(posedge clock) half <= reset ? 0 : ~half;\n"
        "always @(posedge half) q <= x; assign y = q;"
    ).replace("logic half, [7:0] q", "logic half; logic [7:0] q")
    lower(tmp_path, top(body))


def test_errors_second_clock(tmp_path: Path) -> None:
    text = top(
        "logic [7:0] q;\nalways @(posedge other) q <= x;\nassign y = q;",
        PORTS + ", input logic other",
    )
    assert refusal(tmp_path, text) == (
        "top.sv:3: this is clocked by 'other', a second clock without a ratio; expected 'clock', "
        "directly or through clock gates."
    )


def test_errors_processes_that_drive_one_signal(tmp_path: Path) -> None:
    """Also where the wire has the name of the input that it is made equal to."""
    second = "always @(posedge clock)\ny[3:2] <= 2'd1;"
    assert refusal(tmp_path, top(f"always @(posedge clock)\ny <= x;\n{second}")) == (
        "top.sv:1: 'y[3]' is driven by a process at top.sv:2 and by a process at top.sv:4, "
        "expected one driver."
    )
    assert refusal(tmp_path, top(f"always @* y = x;\n{second}")) == (
        "top.sv:1: 'y[3]' is driven by a process at top.sv:3 and by an assignment, expected one "
        "driver."
    )


def test_errors_gates_that_let_go(tmp_path: Path) -> None:
    text = "assign y = x[0] ? x : 8'bz;\nassign y = x[1] ? 8'd1 : 8'bz;"
    assert refusal(tmp_path, top(text)) == (
        "top.sv:1: 'y[7]' is driven at times only, for which a multiplexer ('?:') is expected, at "
        "top.sv:2 and at times only, for which a multiplexer ('?:') is expected, at top.sv:3, "
        "expected one driver."
    )
