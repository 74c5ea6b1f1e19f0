# SPDX-License-Identifier: BSD-3-Clause
"""Where the reader gave up, when it does not say: file, line, and what to write instead."""

from pathlib import Path

import pytest

import goldengate
from goldengate import GoldenGateError, Request
from goldengate.tests.designs import refusal, top

NETTYPE = "nettype logic [7:0] word_t;\n"
CASES = (
    (
        "clocking cb @(posedge clock);\ninput x; endclocking\nalways @(posedge clock) y <= cb.x;",
        "top.sv:2: found a clocking block, expected its signals themselves.",
    ),
    (
        "assign y = w;\n" + NETTYPE + "word_t w; assign w = x;",
        "top.sv:4: found a net of a 'nettype', expected 'wire' or 'logic'.",
    ),
    (
        "always @(posedge clock) begin\nif (x[0]) y <= x; else\ny <= after(x);\nend\n"
        "function automatic [7:0] after(input [7:0] n);\n"
        "after = n == 0 ? 0 : after(n - 1);\nendfunction",
        "top.sv:7: found 'after = n == 0 ? 0 : after ( n - 1 ) ;', at which the Verilog reader "
        "never comes to an end, expected no function that calls itself, or an end that "
        "constants decide.",
    ),
    (
        'import "DPI-C" function int twice(input int x);\n`define TWICE(v) twice(v)\n'
        "always @(posedge clock)\ny <= `TWICE(x);",
        "top.sv:5: found a call of a function in C (DPI), expected one in Verilog.",
    ),
)


@pytest.mark.parametrize(("body", "expected"), CASES)
def test_errors_without_a_place(tmp_path: Path, body: str, expected: str) -> None:
    assert refusal(tmp_path, top(body)) == expected


FILES = {
    "shared.svh": "package shared;\nlogic [7:0] level;\n"
    "function automatic [7:0] add(input [7:0] a);\nadd = a + 1;\n"
    "add = add + level;\nendfunction\nendpackage\n",
    "leaf.sv": "module leaf #(parameter W = 1) (input [W-1:0] a, output [W-1:0] o);\n"
    "wire [W-1:0] one = a; generate if (W == 8) begin : wide\n"
    "assign o = shared::add(one);\nend else begin : thin\nassign o = a;\nend endgenerate\n"
    "endmodule\n",
    "mid.sv": '`include "shared.svh"\nmodule mid(input [7:0] a, output [7:0] o);\n'
    "leaf #(.W(8)) l(a, o);\nendmodule\n",
    "top.sv": "module Top(input clock, input reset, input [7:0] x, output [7:0] y, output z);\n"
    "mid m(x, y); leaf t(x[0], z);\nendmodule\n",
}


def test_errors_deep_in_other_files(tmp_path: Path) -> None:
    """Of a function the statement is named, which a macro, a file or a package may hold."""
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    sources = [str(tmp_path / name) for name in FILES if name.endswith(".sv")]
    with pytest.raises(GoldenGateError) as caught:
        goldengate.lower(Request([sources[1], sources[0], sources[2]], "Top", str(tmp_path / "o")))
    assert str(caught.value).replace(f"{tmp_path}/", "") == (
        "shared.svh:5: found 'shared::level', a variable outside of all modules, expected a signal "
        "of the module: 'add = add + level ;'."
    )
