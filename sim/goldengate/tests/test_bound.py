# SPDX-License-Identifier: BSD-3-Clause
"""Modules that are bound without ports, as firtool writes the layers of Chisel."""

from __future__ import annotations

import json
from pathlib import Path

import goldengate
from goldengate.harness import Model
from goldengate.tests.designs import lower, refusal, top, write
from regression.support.printed import by_node, by_verilator

DESIGN = top(
    """\
  logic [7:0] last;
  always @(posedge clock) last <= reset ? 8'd0 : x == 8'd0 ? 8'(last + 8'd3) : x;
  Inner first (.clock, .d(last)), second (.clock, .d(8'(last + 8'd1)));
  assign y = last;"""
) + (
    "module Inner(input clock, input [7:0] d);\n"
    "  logic [7:0] q;\n  always @(posedge clock) q <= d;\nendmodule\n"
)
PRINTS = """\
module Inner_Checks();
  wire [1:0] low = Inner.q[1:0];
  always @(posedge Inner.clock)
    if (low == 2'd3) $display("%m: %d", Inner.d);
endmodule
bind Inner Inner_Checks checks ();
"""
ASSERTS = """\
`ifndef COND
  `define COND 1
`endif
module Top_Checks();
  reg [7:0] seen;
  wire [7:0] now = Top.last;
  always @(posedge Top.clock) seen <= now;
endmodule
module Top_Checks_Assert();
`ifndef SYNTHESIS
  always @(posedge Top.clock) begin
    if (Top.checks.seen == 8'd40 & Top.last != 8'd41) begin
      if (`COND)
        $error("after 40 came %d",
               Top.last);
    end
  end
`endif
endmodule
bind Top Top_Checks checks ();
bind Top Top_Checks_Assert checks_assert ();
"""
CYCLES = 80


def test_prints_are_those_of_verilator_with_their_scopes(tmp_path: Path) -> None:
    source = write(tmp_path, DESIGN + PRINTS)
    expected = by_verilator(tmp_path, source, CYCLES, ".x(8'd0), ")
    assert expected.count("Top.first.checks: ") > 3 and "Top.second.checks: " in expected
    model = goldengate.compile([source], "Top", tmp_path / "model", engine="generated")
    lines = by_node(tmp_path, model, CYCLES).splitlines(True)
    assert "".join(line.partition(": ")[2] for line in lines) == expected


def test_asserts_fail_in_their_cycle_on_both_engines(tmp_path: Path) -> None:
    files = [write(tmp_path, text, name) for name, text in (("a.sv", ASSERTS), ("b.sv", DESIGN))]
    for engine in ("generated", "verilator"):
        out = goldengate.compile(files, "Top", tmp_path / engine, engine=engine, synthesis=False)
        (check,) = json.loads((out / "model.json").read_text())["asserts"]
        assert check["source"] == f"{tmp_path}/a.sv:14"
        with Model(out / "model.so") as model:
            model.reset()
            failed = [
                model.step({"x": value})["firesim_assert"] for value in (39, 40, 41, 40, 42, 1, 1)
            ]
        # A cycle after 42 has been put in, it is `last`, and the 40 before it is `seen`.
        assert failed == [0, 0, 0, 0, 0, 1, 0], engine


def test_what_is_not_read_is_not_checked(tmp_path: Path) -> None:
    source = write(tmp_path, DESIGN + ASSERTS)
    request = goldengate.Request([str(source)], "Top", str(tmp_path / "out"))
    assert goldengate.lower(request).asserts == []


def test_a_path_into_another_module_is_taken(tmp_path: Path) -> None:
    bound = "module C();\n  wire w = Top.first.q[0];\n  always @* cover (w);\nendmodule\n"
    line = DESIGN.count("\n") + 2
    manifest = lower(tmp_path, DESIGN + bound + "bind Top C c ();\n")
    assert manifest["warnings"] == [
        f"{tmp_path / 'top.sv'}:{line}: a name here reaches into another instance."
    ]
    assert len(manifest["counters"]) == 1


def test_the_end_of_a_module_in_a_macro_is_refused(tmp_path: Path) -> None:
    text = (DESIGN + PRINTS).replace("  always @(posedge clock) q <= d;\nendmodule\n", "`END\n")
    assert refusal(tmp_path, "`define END endmodule\n" + text) == (
        f"top.sv:{DESIGN.count(chr(10))}: found endmodule in a macro, expected it in the text, "
        f"since a module is bound in."
    )
