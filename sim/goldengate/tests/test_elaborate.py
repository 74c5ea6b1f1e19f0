# SPDX-License-Identifier: BSD-3-Clause
"""Pass `elaborate`: one flat module; the clock and reset ports exist."""

from pathlib import Path

import pytest

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


PARTS = (
    "module Zero(output o); assign o = 0; endmodule module One(output o); assign o = 1; endmodule "
    "module Copy(input a, output o); assign o = a; endmodule module Open(output o); endmodule "
    "module Into(input i, output o); assign i = 0; assign o = i; endmodule\n"
)


ZERO, ASSIGNED = "by instance 'a' (0) at top.sv:3", "by an assignment at top.sv:4"


@pytest.mark.parametrize(
    ("drivers", "found"),
    [
        ("Zero a(w);\nOne b(w);", f"{ZERO} and by instance 'b' (1) at top.sv:4"),
        ("Zero a(w);\nCopy b(x[0], w);", f"{ZERO} and by instance 'b' at top.sv:4"),
        ("Zero a(w);\nassign w = x[0] & x[1];", f"{ASSIGNED} and {ZERO}"),
        ("assign w = 1'b0;\nassign w = |x;", f"by an assignment (0) and {ASSIGNED}"),
        (
            "Copy a(x[1], w);\nCopy b(x[0], w);",
            "by instance 'a' at top.sv:3 and by instance 'b' at top.sv:4",
        ),
    ],
)
def test_errors_two_drivers(tmp_path: Path, drivers: str, found: str) -> None:
    text = PARTS + top(f"wire w; {drivers}\nassign y = w;")
    assert refusal(tmp_path, text) == f"top.sv:3: 'w' is driven {found}, expected one driver."


def test_errors_an_input_that_is_assigned(tmp_path: Path) -> None:
    assert refusal(tmp_path, PARTS + top("Into a(x[0], y[0]); assign y[7:1] = 0;")) == (
        "top.sv:1: 'i' is driven by an assignment (0) and from outside, as an input, expected one "
        "driver."
    )


def test_drivers_that_agree_or_are_none(tmp_path: Path) -> None:
    """Also those of a net that nothing reads, and of a wired or."""
    lower(tmp_path, PARTS + top(
        "wire same, one, open; wor both; wire [1:0] parts;\n"
        "Zero a(same); Zero b(same); One c(one); Open d(one); Copy e(x[0], open); Zero f(open);\n"
        "Zero g(both); One h(both); Zero i(parts[0]); assign parts[1] = x[1];\n"
        "assign y = {same, one, both, parts, x[0]};"
    ))  # fmt: skip
    assert "assign y = { 5'h03, x[1], 1'h0, x[0] };" in verilog(tmp_path)


SHARED_INDEX = (
    "integer i; reg [7:0] a, b;\n"
    "always @(*) for (i = 0; i < 8; i = i + 1) a[i] = x[7 - i];\n"
    "always @(*) begin for (i = 0; i < 7; i = i + 1) b[i] = x[i]; b[7] = i[0]; end\n"
)


def test_loops_may_share_an_index(tmp_path: Path) -> None:
    assert lower(tmp_path, top(SHARED_INDEX + "assign y = a ^ b;"))["warnings"] == []
    read = refusal(tmp_path, top(SHARED_INDEX + "assign y = a ^ b ^ i;"))
    assert read == (
        "top.sv:2: 'i[0]' is driven by an assignment (0) and by an assignment (1), expected one "
        "driver."
    )
