# SPDX-License-Identifier: BSD-3-Clause
"""Step `resets`: what only an asynchronous reset assigns keeps its value."""

from pathlib import Path

import pytest

import goldengate
from goldengate.harness import Model
from goldengate.passes.directives import active
from goldengate.tests.designs import lower, refusal, top, verilog, write

PART = """module Part #(parameter EXT = 0) (
  input clock, input rst_n, input j, input [1:0] x, output reg [1:0] h);
always @ (posedge clock or negedge rst_n)
  if (!rst_n) h <= 2'b11;
  else if (EXT) begin if (j) h <= x; end
endmodule
"""
BODY = "Part p(.clock, .rst_n(!x[7]), .j(x[2]), .x(x[1:0]), .h(y[1:0])); assign y[7:2] = 0;"


@pytest.mark.parametrize("engine", ["generated", "verilator"])
def test_a_register_without_a_clocked_assignment_is_reset(tmp_path: Path, engine: str) -> None:
    source = write(tmp_path, PART + top(BODY))
    model = goldengate.compile([source], "Top", tmp_path / "model", engine=engine)
    with Model(model / "model.so") as instance:
        seen = [instance.step({"x": x})["y"] for x in (0, 1, 0x80, 1, 2)]
    assert seen == [0, 0, 3, 3, 3]


def test_other_processes_are_left_alone(tmp_path: Path) -> None:
    body = "reg [7:0] r; always @(posedge clock or posedge reset)\nif (reset) r <= 1; else r <= x;"
    lower(tmp_path, top(body + "assign y = r;"))
    assert not (tmp_path / "out/mended").exists()


@pytest.mark.parametrize(
    "process",
    [
        "begin : named\nif (reset == 1'b1) begin r[7] <= 1; end else r[6:0] <= x; end",
        "if (reset) {r[7], r[0]} <= 2'b11; else if (x[0]) r[3] <= 1; // r[7]",
        "if (reset) r <= 8'h81; // always first\nelse r[6:0] <= x; always @(posedge clock) ;",
        "if (reset) r[7:0] <= 8'h81; else for (int k = 0; k < 4; k++) r[k] <= x[0];",
        "if (reset) begin if (1) r = 8'h81; end else case (x) 0: r[1] = 1; default: ; endcase",
        "if (reset) for (int k = 0; k < 8; k = k + 1) begin r[k] <= k != 3; end else r[6] <= x[0];",
    ],
)
def test_every_form_of_a_reset_branch(tmp_path: Path, process: str) -> None:
    body = f"reg [7:0] r;\nalways @(posedge clock or posedge reset) {process}\nassign y = r;"
    lower(tmp_path, top(body))
    assert "if (reset)" in verilog(tmp_path)
    assert "1'h1;" in verilog(tmp_path) or "8'h81" in verilog(tmp_path)


def test_bits_of_a_generated_process(tmp_path: Path) -> None:
    body = (
        "reg [7:0] r;\nfor (genvar n = 0; n < 8; n++) always @(posedge clock or posedge reset)\n"
        "if (reset) r[n] <= n & 1; else if (n != 3) r[n] <= x[n];\nassign y = r;"
    )
    lower(tmp_path, top(body))
    assert "r[n] <= r[n];" in next((tmp_path / "out/mended").rglob("*.sv")).read_text()


def test_directives_in_the_process(tmp_path: Path) -> None:
    text = PART.replace("  else if", "`ifdef OTHER\n  else h <= 0; begin\n`else\n  else if")
    text = text.replace("h <= x; end", "h <= x; end\n`endif")
    lower(tmp_path, text + top(BODY))
    assert "else begin h <= h; if (EXT)" in _mended(tmp_path)


def test_only_the_process_that_was_read_is_judged(tmp_path: Path) -> None:
    part = (
        "module Part #(parameter Z = 0) (input clock, input reset, input d,\n"
        "output reg q, output r);\n"
        "if (Z) begin\n  always @(posedge clock or posedge reset)\n    if (reset) q <= 0;\n"
        "    else begin\n      q <= d;\n`ifdef CHECKS\n      assert (d);\n`endif\n    end\n"
        "end else begin\n  always @(*) q = 0;\nend\nassign r = 1'b1;\nendmodule\n"
    )
    lower(tmp_path, part + top("Part p(.clock, .reset, .d(x[0]), .q(y[0]), .r(y[1]));"))
    assert not (tmp_path / "out/mended").exists()


def test_what_the_directives_leave(tmp_path: Path) -> None:
    (tmp_path / "more.vh").write_text("`define MORE\n`undef HERE\n")
    text = (
        'a `ifdef SYNTHESIS b `else c `endif /* d */ "`else"\n`define HERE e \\\n  f\n'
        '`ifdef HERE\ng\n`endif\n`include "more.vh"\n`ifndef MORE\nh\n`elsif HERE\ni\n'
        "`elsif MORE\nj\n`else\nk\n`endif\n// synthesis translate_off\nl\n"
        "// synthesis translate_on\nm\n"
    )
    file = write(tmp_path, text)
    left = active([file], ["SYNTHESIS"], [])[str(file.resolve())]
    assert left.split() == ["a", "b", "g", "j", "m"]
    assert [len(line) for line in left.split("\n")] == [len(line) for line in text.split("\n")]


def test_errors_a_process_with_a_hidden_end(tmp_path: Path) -> None:
    text = PART.replace("h <= 2'b11;", "`OPEN h <= 2'b11; end")
    assert refusal(tmp_path, "`define OPEN begin\n" + text + top(BODY)) == (
        "top.sv:5: 'h' is assigned only while the asynchronous reset is active; found its process "
        "with an end that macros hide, expected it in a source file with 'begin' and 'end' outside "
        "of macros, or an assignment in the clocked branch, such as 'h <= h;'."
    )


def _mended(folder: Path) -> str:
    return next((folder / "out/mended").rglob("*.sv")).read_text()
