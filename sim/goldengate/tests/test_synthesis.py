# SPDX-License-Identifier: BSD-3-Clause
"""Counts after synthesis: of a whole design, by module, and the longest path."""

from __future__ import annotations

from pathlib import Path

import pytest

from goldengate.errors import GoldenGateError
from goldengate.synthesis import module_of, synthesize

TEXT = """
module Part #(parameter W = 8) (input logic clock, input logic [W-1:0] in,
                                output logic [W-1:0] out);
  logic [W-1:0] kept;
  always_ff @(posedge clock) kept <= in ^ {kept[0], kept[W-1:1]};
  assign out = kept;
endmodule

module Whole (input logic clock, input logic write, input logic [9:0] address,
              input logic [7:0] data, output logic [7:0] found, output logic same,
              output logic [17:0] product);
  logic [17:0] rows [1024];
  logic [17:0] row;
  always_ff @(posedge clock) begin
    if (write) rows[address] <= {data, address};
    row <= rows[address];
    product <= {10'd0, data} * row;
  end
  assign found = row[7:0];
  logic [7:0] a, b;
  Part #(.W(8)) first (.clock, .in(data), .out(a));
  Part #(.W(8)) second (.clock, .in(a), .out(b));
  always_ff @(posedge clock) same <= a == b;
endmodule
"""


@pytest.mark.parametrize(
    ("family", "block_kbit"), [("ecp5", 18.0), ("xcup", 18.0)], ids=["ecp5", "xcup"]
)
def test_counts_by_module(tmp_path: Path, family: str, block_kbit: float) -> None:
    source = tmp_path / "whole.sv"
    source.write_text(TEXT)
    found = synthesize([source], "Whole", family, tmp_path / "out")
    assert found.total["bram_kbit"] == block_kbit
    assert found.total["dsp"] == 1
    # The register of the memory is in its block, that of the product may be in the multiplier.
    assert found.modules["first"]["ff"] == found.modules["second"]["ff"] == 8
    assert found.modules["first"]["lut"] == found.modules["second"]["lut"] == 8
    for kind, total in found.total.items():
        assert sum(part[kind] for part in found.modules.values()) == total
    assert found.levels >= 1
    assert (tmp_path / "out/netlist.v").is_file()


def test_a_parameter_of_the_top_module(tmp_path: Path) -> None:
    source = tmp_path / "whole.sv"
    source.write_text(TEXT)
    found = synthesize([source], "Part", "ecp5", tmp_path / "out", {"W": 20})
    assert found.total["ff"] == found.total["lut"] == 20
    assert found.levels == 1


def test_a_broken_design_says_why(tmp_path: Path) -> None:
    source = tmp_path / "broken.sv"
    source.write_text("module Broken (input logic a); assign a = ; endmodule\n")
    with pytest.raises(GoldenGateError, match=r"broken.sv:1: expected expression"):
        synthesize([source], "Broken", "ecp5", tmp_path / "out")
    with pytest.raises(GoldenGateError, match='found family "ecp6"'):
        synthesize([source], "Broken", "ecp6", tmp_path / "out")


def test_the_module_of_a_net() -> None:
    assert module_of("form.target.core.pc") == "form.target.core"
    assert module_of("pc") == ""


OUTER = """
module Outer (input logic clock, input logic write, input logic [9:0] address,
              input logic [7:0] data, output logic [7:0] found, output logic same,
              output logic [17:0] product);
  Whole inner (.*);
endmodule
"""


def test_a_large_design_is_mapped_in_pieces_and_counted_as_one(tmp_path: Path) -> None:
    """A piece may be in a piece: registers and memories are those of the same modules."""
    source = tmp_path / "outer.sv"
    source.write_text(TEXT + OUTER)
    whole = synthesize([source], "Outer", "xcup", tmp_path / "whole")
    pieces = synthesize([source], "Outer", "xcup", tmp_path / "pieces", limits=(40, 2))
    log = (tmp_path / "pieces/yosys.log").read_text()
    assert "Keeping Part" in log and "Keeping Whole" in log
    assert "Keeping" not in (tmp_path / "whole/yosys.log").read_text()
    assert set(pieces.modules) == set(whole.modules) == {"inner", "inner.first", "inner.second"}
    for module, taken in whole.modules.items():
        for kind in ("ff", "bram_kbit", "dsp"):
            assert pieces.modules[module][kind] == taken[kind]
    assert pieces.total["lut"] == pytest.approx(whole.total["lut"], abs=4)
