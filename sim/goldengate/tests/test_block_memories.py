# SPDX-License-Identifier: BSD-3-Clause
"""Step `block_memories`: memories behind address registers are block RAM for Vivado's devices, and
the form shows the same in every host cycle, whether the target takes a step or stands."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

import goldengate
from goldengate.harness import Model
from goldengate.passes.fame1 import FIRE
from goldengate.synthesis import synthesize
from goldengate.tests.designs import seed

CYCLES = 8_000
INPUTS = {"reset": 1, "go": 1, "from": 12, "to": 12, "lanes": 8, "data": 64}
TEXT = """\
module Rows #(parameter WIDTH = 64, LOG = 9, LANES = 1, FIRST = 0) (
  input clock, input go, input [11:0] from, input [11:0] to, input [LANES-1:0] lanes,
  input [WIDTH-1:0] data, output [WIDTH-1:0] q, output [WIDTH-1:0] again);
  localparam LANE = WIDTH / LANES;
  logic [WIDTH-1:0] rows [0:(1<<LOG)-1];
  logic [LOG-1:0] address = FIRST, other = FIRST + 1;
  initial for (int i = 0; i < 80; i++) rows[i] = i * 40503 + (i << 7) + FIRST;
  always_ff @(posedge clock) begin
    if (go) address <= from[LOG-1:0];
    other <= address ^ to[LOG-1:0];
    for (int i = 0; i < LANES; i++)
      if (lanes[i]) rows[to[LOG-1:0]][i*LANE +: LANE] <= data[i*LANE +: LANE];
    if (LANES == 1 && from[3:0] == 4'd7) rows[from[LOG-1:0]] <= ~data;
  end
  assign q = rows[address];
  assign again = rows[other];
endmodule
module Top (
  input logic clock, input logic reset, input logic go, input logic [11:0] from,
  input logic [11:0] to, input logic [7:0] lanes, input logic [63:0] data,
  output logic [63:0] a, output logic [63:0] b, output logic [3:0] c, output logic [31:0] d,
  output logic [31:0] tiny, output logic [63:0] straight);
  logic [63:0] one, two; logic [3:0] three; logic [31:0] four;
  Rows #(64, 9, 8, 3) bytes (clock, go, from, to, lanes, data, a, one);
  Rows #(4, 6, 1, 0) words (clock, go, from, to, lanes[0], data[3:0], c, three);
  Rows #(32, 5, 4, 0) few (clock, go, from, to, lanes[7:4], data[63:32], tiny, four);
  logic [63:0] plain [0:63];
  always_ff @(posedge clock) if (lanes[2]) plain[to[5:0]] <= data;
  assign straight = plain[from[5:0]];
  assign b = one ^ two, d = three ^ four, two = {60'd0, three};
endmodule
"""
"""Bytes; two writes, of which the second wins; few rows; reads at once, which stay as they are."""


def _form(folder: Path, **more: Any) -> tuple[Path, goldengate.Manifest]:
    source = folder / "top.sv"
    source.write_text(TEXT)
    out = folder / ("blocks" if more else "plain")
    goldengate.compile([source], "Top", out, target="fpga", **more)
    return out / "target.v", goldengate.Manifest.read(out)


@pytest.fixture(scope="module")
def forms(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The target of a form as it is, and with its memories as blocks: of one fingerprint."""
    folder = tmp_path_factory.mktemp("forms")
    (plain, one), (blocks, other) = _form(folder), _form(folder, block_memories=True)
    assert one.design_hash == other.design_hash
    return plain, blocks


def test_every_output_is_the_same(forms: tuple[Path, Path], tmp_path: Path) -> None:
    """Rows are few, so that what is written is read in that cycle and in the next ones."""
    generator = random.Random(seed())
    models = [
        Model(goldengate.compile([file], "Top", tmp_path / name) / "model.so")
        for file, name in zip(forms, ("plain", "blocks"), strict=True)
    ]
    seen = set()
    with models[0] as plain, models[1] as blocks:
        for cycle in range(CYCLES):
            values = {name: generator.getrandbits(width) for name, width in INPUTS.items()}
            values |= {"reset": 0, FIRE: int(generator.random() < 0.7)}
            for name in ("from", "to"):
                values[name] &= 0b1000_0111 if generator.random() < 0.9 else 0x1FF
            expected, found = plain.step(values), blocks.step(values)
            assert found == expected, f"cycle {cycle}"
            seen.add(expected["a"])
    assert len(seen) > CYCLES / 8


@pytest.mark.parametrize("family", ["xcup", "xc7"])
def test_large_memories_are_blocks(family: str, forms: tuple[Path, Path], tmp_path: Path) -> None:
    """All but those that are read at once, have few rows, or more writes than a block has ports."""
    found = synthesize([forms[1]], "Top", family, tmp_path)
    blocks = {cell: count for cell, count in found.cells.items() if cell.startswith("RAMB")}
    assert found.total["bram_kbit"] == 72 and blocks, found.cells
    small = sum(found.cells.get(cell, 0) for cell in ("RAM64M8", "RAM64M"))
    assert small <= 24 and found.total["lut"] <= 1_000, found.cells
