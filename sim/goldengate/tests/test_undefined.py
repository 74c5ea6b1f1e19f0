# SPDX-License-Identifier: BSD-3-Clause
"""Pass `undefined`, and what `elaborate` says of wires without a driver."""

from pathlib import Path

import pytest

import goldengate
from goldengate import GoldenGateError
from goldengate.harness import Model
from goldengate.tests.designs import PORTS, lower, top, verilog, write


def assigned(folder: Path, name: str) -> str:
    """Return what target.v assigns to a net."""
    return verilog(folder).partition(f"assign {name} = ")[2].partition(";")[0]


def test_what_nothing_assigns_is_0_with_a_warning(tmp_path: Path) -> None:
    body = (
        "wire [7:0] w; assign w[2] = 1;\n"
        "reg [7:0] v [0:2]; always_comb begin v[0] = x; v[1] = x; end\n"
        "assign y = ~w ^ v[2];"
    )
    warnings = lower(tmp_path, top(body))["warnings"]
    assert [one.replace(f"{tmp_path}/", "") for one in warnings] == [
        "top.sv:2: 'w' is read and nothing gives a part of it (bits 7:3, 1:0) a value, which is 0.",
        "top.sv:3: 'v' is read and nothing gives a part of it (bits 7:0) a value, which is 0.",
    ]
    assert assigned(tmp_path, "y") == "8'hfb"


def test_an_input_left_open_is_0_with_a_warning(tmp_path: Path) -> None:
    part = "module Part(input [3:0] a, output [3:0] b); assign b = ~a; endmodule\n"
    warnings = lower(tmp_path, part + top("Part p(.b(y[3:0])); assign y[7:4] = 0;"))["warnings"]
    assert [one.replace(f"{tmp_path}/", "") for one in warnings] == [
        "top.sv:1: 'p.a' is read and nothing gives it a value, which is 0."
    ]
    assert assigned(tmp_path, "y") == "8'h0f"


def test_what_is_driven_or_not_read_is_no_warning(tmp_path: Path) -> None:
    body = (
        "wire unused; reg [7:0] constant = 5; wire r;\n"
        "FireSimUARTBridge uart(.clock, .reset, .out_valid(x[0]), .out_bits(x), .in_ready(1'b1),\n"
        ".out_ready(r), .in_valid(), .in_bits());\nassign y = constant ^ r;"
    )
    assert lower(tmp_path, top(body))["warnings"] == []


@pytest.mark.parametrize(("unknown", "expected"), [("zero", "8'h00"), ("free", "x")])
def test_x_in_the_text(tmp_path: Path, unknown: str, expected: str) -> None:
    body = "always_comb case (x[1:0]) 0: y = x; 1: y = x; 2: y = x; default: y = 'x; endcase"
    lower(tmp_path, top(body), unknown=unknown)
    assert (expected in verilog(tmp_path)) == (unknown == "zero") or assigned(tmp_path, "y") == "x"


def test_x_in_patterns_matches_nothing(tmp_path: Path) -> None:
    body = (
        "always_comb case (x[1:0]) 2'b0x: y = 1; 2'b1z, 2'b11: begin if (x[2]) y = 2; else y = 3;\n"
        "end default: y = 4; endcase"
    )
    lower(tmp_path, top(body))
    assert "8'h01" not in verilog(tmp_path)
    assert "x[1:0] == 2'h3" in verilog(tmp_path) or "& x[1:0]" in verilog(tmp_path)
    lower(tmp_path, top("assign y = {x === 8'b1x, x !== 8'b1x, x == 8'b1x};"))
    assert "{ 7'h01, " in assigned(tmp_path, "y") or assigned(tmp_path, "y[7:1]") == "7'h01"


def test_a_promise_changes_nothing(tmp_path: Path) -> None:
    body = "always_comb begin y = 9; unique case (x) 0: y = 1; 1: y = 2; endcase end"
    lower(tmp_path, top(body))
    assert "8'h09" in verilog(tmp_path)
    # Without a value before, it would be a loop.
    body = "always_comb (* full_case *) case (x[1:0]) 0: y = x; 1: y = 2; endcase"
    lower(tmp_path, top(body))


def test_a_register_begins_with_0(tmp_path: Path) -> None:
    lower(tmp_path, top("reg [7:0] r; always @(posedge clock) if (reset) r <= 7; assign y = r;"))
    assert "if (reset)" in verilog(tmp_path)
    assert "<= 3'h7;" in verilog(tmp_path)


def test_errors_an_unknown_value_for_unknown(tmp_path: Path) -> None:
    source = write(tmp_path, top("assign y = x;", PORTS))
    with pytest.raises(GoldenGateError) as error:
        goldengate.compile([source], "Top", tmp_path / "model", unknown="one")
    assert str(error.value) == 'found unknown "one", expected one of: zero, free.'


def test_a_selection_that_is_partly_outside(tmp_path: Path) -> None:
    body = "logic [15:0] v; assign v = {x, ~x}; assign y = v[32'(x[4:0]) + 3 +: 8];"
    source = write(tmp_path, top(body))
    model = goldengate.compile([source], "Top", tmp_path / "model", engine="verilator")
    with Model(model / "model.so") as instance:
        for x in range(256):
            expected = (x << 8 | x ^ 0xFF) >> ((x & 31) + 3) & 0xFF
            assert instance.step({"x": x})["y"] == expected, x


PROMISES = """
logic [31:0] kept, nested; logic [7:0] held; logic [7:0] rows[2];
always @* begin kept = 5; (* full_case *) case (s) 0: kept = a; 1: kept = 7; endcase end
always @* begin
  (* full_case *)
  case (s)
    0: nested = a;
    2: case (a[1:0]) 0: nested = 1; 1: nested = 2; 2: nested = 3; 3: nested = 4; endcase
  endcase
end
always @(posedge clock)
  if (reset) begin held <= 9; rows[0] <= 3; end
  else begin
    (* full_case *)
    case (s) 0: held <= a[7:0]; 1: begin held <= 1; rows[0] <= a[7:0]; end endcase
  end
"""


def test_a_promised_case_leaves_no_latch_and_changes_nothing_else(tmp_path: Path) -> None:
    """The generated engine, which has no latches, takes it; else a value is 0 or as before."""
    source = tmp_path / "promises.sv"
    outputs = "output [31:0] y, output [31:0] z, output [7:0] q, output [7:0] m"
    assigns = "assign y = kept; assign z = nested; assign q = held; assign m = rows[0];"
    head = f"module Top(input clock, input reset, input [1:0] s, input [31:0] a, {outputs});"
    source.write_text(f"{head}{PROMISES}{assigns}\nendmodule\n")
    model = goldengate.compile([source], "Top", tmp_path / "model", engine="generated")
    seen = []
    with Model(model / "model.so") as instance:
        instance.reset()
        for s in (0, 1, 2, 3, 1, 3):
            outs = instance.step({"s": s, "a": 0x12345678})
            seen.append(tuple(outs[name] for name in ("y", "z", "q", "m")))
    assert seen == [
        (0x12345678, 0x12345678, 9, 3),
        (7, 0, 0x78, 3),
        (5, 1, 1, 0x78),
        (5, 0, 1, 0x78),
        (7, 0, 1, 0x78),
        (5, 0, 1, 0x78),
    ]
