# SPDX-License-Identifier: BSD-3-Clause
"""Modules become one level by level: one that stands at several depths is in each of them."""

from pathlib import Path

import goldengate
from goldengate.harness import Model
from goldengate.tests.designs import lower, top, verilog, write

LEVELS = """\
module Leaf(input clock, input [7:0] d, output logic [7:0] q);
  always @(posedge clock) q <= d;
endmodule
module Middle(input clock, input [7:0] d, output [7:0] q);
  wire [7:0] m; Leaf one(.clock, .d, .q(m)), two(.clock, .d(m), .q);
endmodule
module Outer(input clock, input [7:0] d, output [7:0] q);
  wire [7:0] m; Middle deep(.clock, .d, .q(m)); Leaf leaf(.clock, .d(m), .q);
endmodule
"""
BODY = """\
wire [7:0] a, b; Outer outer(.clock, .d(x), .q(a)); Leaf leaf(.clock, .d(a), .q(b));
Middle middle(.clock, .d(b), .q(y));
"""
DELAY = 3 + 1 + 2


def test_each_instance_has_its_content_and_path(tmp_path: Path) -> None:
    source = write(tmp_path, LEVELS + top(BODY))
    made = goldengate.compile([source], "Top", tmp_path / "model", engine="generated")
    with Model(made / "model.so") as model:
        seen = [model.step({"reset": 0, "x": cycle + 1})["y"] for cycle in range(20)]
    assert seen == [max(0, cycle + 1 - DELAY) for cycle in range(20)]


def test_names_are_paths(tmp_path: Path) -> None:
    lower(tmp_path, LEVELS + top(BODY))
    text = verilog(tmp_path)
    for path in ("outer.deep.one", "outer.deep.two", "outer.leaf", "leaf", "middle.one"):
        assert f"\\{path}.q " in text, path
