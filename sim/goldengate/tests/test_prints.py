# SPDX-License-Identifier: BSD-3-Clause
"""Pass `prints`: formats and arguments in the manifest; the text itself against Verilator's."""

from __future__ import annotations

from pathlib import Path

import goldengate
from goldengate.tasks.formats import Argument, Spec, piece
from goldengate.tests.designs import lower, names, top, write
from regression.support.printed import by_node, by_verilator

TALK = r"""
logic [63:0] state; logic signed [7:0] little; logic [99:0] wide;
localparam string NAME = "core"; localparam int WIDE = 30;
logic [1:0] few; logic [15:0] half;
always @(posedge clock) begin
  few <= state[1:0]; half <= state[20:5];
  if (reset) begin state <= 64'h9e3779b97f4a7c15; little <= 0; wide <= 1; end
  else begin
    state <= {state[62:0], state[63] ^ state[62] ^ state[60] ^ state[59]};
    little <= state[11:4];
    wide <= {wide[92:0], state[6:0]} ^ {state[35:0], 64'd0};
    if (state[2:0] == 0) begin
      $display("%d|%0d|%5d|%h|%0h|%b|%o|%c|100%%|{braces}", little, little, state[9:0], state,
               state[19:0], state[4:0], state[8:0], {1'b0, state[5:0] | 7'h40});
      $write("wide %0d %h", wide, wide);
      $display(" %s.", state[3] ? "yes" : "nay");
      $display("[%s|%0s|%8s|%c] %m %4h %3b %6o", "lit", "xy", "z", "c", little, few, little);
      $display("d", "lit2", little, , "%p|%0p", wide, few, NAME, "%d", "ab");
      $display("%e|%0.3f|%g|%u|%t|%v", half, little, few, {4{8'h41}}, half, few);
      $displayh(NAME, few, wide, "\n", few);
    end
    if (state[3:0] == 5) $display("alone");
    if (state[5:0] == 9) begin
      $display("left %-d", half); $display("left %-d", WIDE); $display("left %-d", "a");
      $display("left %-d", -8'sd5); $display("left %-4d", WIDE);
      $display("left %d|%-h", WIDE, WIDE);
    end
  end
end
assign y = state[7:0];
"""
CYCLES = 400


def test_the_text_is_what_verilator_prints(tmp_path: Path) -> None:
    source = write(tmp_path, top(TALK))
    expected = by_verilator(tmp_path, source, CYCLES, ".x(8'd0), ")
    assert expected.count("\n") > 40 and "yes." in expected and " nay." in expected
    assert "left 30\n" in expected and "left 97\n" in expected
    for engine in ("generated", "verilator"):
        model = goldengate.compile([source], "Top", tmp_path / engine, engine=engine)
        lines = by_node(tmp_path, model, CYCLES).splitlines(True)
        cycles = [int(line.partition(": ")[0]) for line in lines]
        assert cycles == sorted(cycles) and cycles[0] >= 16 and cycles[-1] < CYCLES
        assert "".join(line.partition(": ")[2] for line in lines) == expected, engine


def test_ports_and_order(tmp_path: Path) -> None:
    body = (
        "always @(posedge clock) begin\n"
        '  if (x == 1) $display("one");\n'
        '  $write("x is %d", x);\n'
        "end\n"
        'always_comb if (x == 3) $display("left out");\n'
        "assign y = x;"
    )
    manifest = lower(tmp_path, top(body))
    assert manifest["prints_port"] == "firesim_prints"
    assert names(manifest["prints"], "port") == [None, "firesim_print_1"]
    assert manifest["prints"][0]["pieces"] == ["one\n"]
    assert manifest["prints"][1]["source"] == f"{tmp_path}/top.sv:4"
    widths = {port["name"]: port["width_bits"] for port in manifest["ports"]}
    assert widths["firesim_prints"] == 2 and widths["firesim_print_1"] == 8


def test_items_of_the_manifest() -> None:
    number = Argument("number")
    assert piece(Spec("d", width="03"), number, 8, 16, True) == {
        "low_bit": 8, "width_bits": 16, "base": "d", "signed": True, "justify": ">", "pad": "0",
        "least_width": 3,
    }  # fmt: skip
    assert piece(Spec("o", left=True), number, 0, 16, False)["least_width"] == 0
    assert piece(Spec("d"), number, 0, 8, True)["least_width"] == 4
