# SPDX-License-Identifier: BSD-3-Clause
"""`case ... inside`: ranges, sets, wildcards and priorities, against plain Verilator.

Icarus Verilog has no such statement, so each form stands beside the `if` that IEEE 1800 (12.5.4)
says is the same, which Icarus runs.
"""

from pathlib import Path

import pytest
from firesim_common.tools import run

import goldengate
from goldengate.harness import Model
from goldengate.tests.designs import lower, refusal, top, write
from goldengate.tests.reference.plain import build_plain

Forms = tuple[tuple[str, str, str], ...]
SIGNED = "logic signed [7:0] s; assign s = x;\n"
TYPE = "typedef enum logic [2:0] {A, B, C, D, E} e_t;\n"
STATE = "e_t e; always @* e = e_t'(x[2:0]);\n"
OF_CONSTANTS = (
    ("", "case (x) inside 8'd1, [8'd4:8'd9]: y = 1; 8'b1?0?_0000: y = 2; default: y = 3; endcase",
     "if (x == 1 || x >= 4 && x <= 9) y = 1; else if ((x & 8'hAF) == 8'h80) y = 2; else y = 3;"),
    ("", "case (x) inside [8'd0:8'd99]: y = 1; [8'd50:8'd200]: y = 2; default: y = 3; endcase",
     "if (x <= 99) y = 1; else if (x <= 200) y = 2; else y = 3;"),
    ("", "case (x) inside [8'd9:8'd4]: y = 1; 8'd7: y = 2; default: y = 3; endcase",
     "if (x == 7) y = 2; else y = 3;"),
    ("", "y = 5; case (x[3:0]) inside 4'b?1?0: y = 1; [4'd9:4'd12], 4'd1: y = 2; endcase",
     "y = 5; if (x[2] && !x[0]) y = 1; "
     "else if (x[3:0] >= 9 && x[3:0] <= 12 || x[3:0] == 1) y = 2;"),
    (STATE, "case (e) inside A, [C:D]: y = 1; B: y = 2; default: y = 3; endcase",
     "if (!x[2:0] || x[2:1] == 1) y = 1; else if (x[2:0] == 1) y = 2; else y = 3;"),
    ("localparam logic [7:0] LOW = 8'h20;\n",
     "case (x) inside [LOW:LOW + 8'h0f]: y = x - LOW; {4'h7, 4'b????}: y = 2; default: y = 3; "
     "endcase",
     "if (x >= 8'h20 && x <= 8'h2f) y = x - 8'h20; else if (x[7:4] == 7) y = 2; else y = 3;"),
    ("", "unique case (x[1:0]) inside [0:1]: y = 1; 2'b1?: y = x; endcase",
     "if (!x[1]) y = 1; else y = x;"),
)  # fmt: skip
"""What stands before, the statement, and what it means."""
OF_SIGNALS = (
    (SIGNED, "case (s) inside [-8'sd5:8'sd5]: y = 1; 8'sd100: y = 2; default: y = 3; endcase",
     "if (x >= 251 || x <= 5) y = 1; else if (x == 100) y = 2; else y = 3;"),
    ("", "case (x) inside [x[3:0]:8'd99]: y = 1; x[7:4], 8'd200: y = 2; default: y = 3; endcase",
     "if (x >= x[3:0] && x <= 99) y = 1; else if (x == x[7:4] || x == 200) y = 2; else y = 3;"),
    ("", "case (1'b1) inside x[0]: y = 1; x[3]: y = 2; x[5:4] == 2'd2: y = 3; "
     "default: y = 4; endcase",
     "if (x[0]) y = 1; else if (x[3]) y = 2; else if (x[5:4] == 2) y = 3; else y = 4;"),
)  # fmt: skip
"""Of signals, at which Verilator 5.48 crashes, and signed, which it takes as unsigned."""


def _design(forms: Forms, column: int) -> str:
    blocks = [
        f"if (1) begin : g{n}\nlogic [7:0] y; {form[0] * (column == 1)}"
        f"always @* begin {form[column]} end\n"
        f"assign z[{n}] = y;\nend"
        for n, form in enumerate(forms)
    ]
    ports = f"input clock, input reset, input [7:0] x, output [{len(forms) - 1}:0][7:0] z"
    return top(TYPE * (column == 1) + "\n".join(blocks), ports)


def _values(library: Path) -> list[int]:
    with Model(library) as model:
        return [model.step({"x": x})["z"] for x in range(256)]


def _icarus(folder: Path, forms: Forms) -> list[int]:
    """Return what Icarus Verilog has for the `if`s."""
    steps = "\n".join(f'x = {x}; #1 $display("%0h", z);' for x in range(256))
    bench = (
        f"module Bench; logic [7:0] x; wire [{len(forms) - 1}:0][7:0] z; Top top(0, 0, x, z);\n"
        f"initial begin\n{steps}\nend endmodule\n"
    )
    source, program = write(folder, _design(forms, 2) + bench, "icarus.sv"), folder / "bench"
    run(["iverilog", "-g2012", "-s", "Bench", "-o", program, source])
    return [int(line, 16) for line in run(["vvp", program]).split()]


@pytest.mark.parametrize("forms", [OF_CONSTANTS, OF_SIGNALS], ids=["constants", "signals"])
def test_case_inside_is_what_others_say(tmp_path: Path, forms: Forms) -> None:
    source = write(tmp_path, _design(forms, 1))
    built = goldengate.compile([source], "Top", tmp_path / "model", engine="generated")
    found = _values(built / "model.so")
    assert found == _icarus(tmp_path, forms)
    if forms is OF_CONSTANTS:
        manifest = lower(tmp_path, _design(forms, 1))
        assert found == _values(build_plain([source], manifest, tmp_path / "plain"))


@pytest.mark.parametrize(
    ("item", "found"),
    [
        ("t", "an array where bits are expected, expected its elements by constant numbers"),
        ("[8'd9:$]", "'$' as a bound, expected a number"),
    ],
)
def test_errors_what_stands_inside(tmp_path: Path, item: str, found: str) -> None:
    body = (
        "logic [7:0] t [2]; assign t[0] = 1; assign t[1] = 2;\n"
        f"always_comb case (x) inside\n{item}: y = 1; default: y = 2; endcase"
    )
    assert refusal(tmp_path, top(body)) == f"top.sv:4: found {found}."


def test_signals_are_members(tmp_path: Path) -> None:
    """Also those of a macro, of a function and of an array."""
    body = (
        "`define LOW x[3:0]\nlogic [7:0] t [2]; assign t[0] = 17; assign t[1] = x ^ 8'h5a;\n"
        "function automatic logic is(input [7:0] a, b); return a inside {b, 3}; endfunction\n"
        "assign y = {x inside {x[7:4], 8'd200}, x[6:0] inside {`LOW}, x inside {t[0], t[1]},\n"
        "is(x, 8'(x[1:0])), x inside {8'b1???_0000, {4'd0, `LOW}}, 3'd0};"
    )
    source = write(tmp_path, top(body))
    built = goldengate.compile([source], "Top", tmp_path / "model", engine="generated")
    with Model(built / "model.so") as model:
        for x in range(256):
            low = x & 15
            bits = (x in (x >> 4, 200), x & 127 == low, x in (17, x ^ 0x5A), x in (x & 3, 3),
                    x & 0x8F == 0x80 or x == low)  # fmt: skip
            expected = sum(bit << 7 - n for n, bit in enumerate(bits))
            assert model.step({"x": x}) == {"y": expected}, x
