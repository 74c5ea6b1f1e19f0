# SPDX-License-Identifier: BSD-3-Clause
"""What Verilator is told, where without it a model would be wrong; against Python's integers."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

import goldengate
from goldengate.harness import Model
from goldengate.tests.designs import seed, top, write

PORTS = (
    "input logic clock, input logic reset, input logic [15:0] a, input logic [31:0] b, "
    "input logic [7:0] c, output logic [16:1] v"
)
BODY = """\
logic none;
assign none = 0;
always_comb begin
  v = 32'(!c) | b;
  for (int k = 3; k < 12; k += 2) v[k] = (a[32'(1 * v[14:11]) + 0 +: 1] !== (none && v)) ^ c[0];
end
"""
"""In `target.v` words of `v` are read where bits of it are computed, which Verilator does in turns,
with the index as `$signed({ 2'h0, ... })`; putting functions into each other it loses the zeros."""


def _expected(a: int, b: int, c: int) -> int:
    value = (b | (c == 0)) & 0xFFFF
    bit = (a >> (value >> 10 & 15) ^ c) & 1
    for k in range(3, 12, 2):
        value = value & ~(1 << (k - 1)) | bit << (k - 1)
    return value


@pytest.mark.parametrize("engine", ["verilator", "generated"])
def test_zeros_before_an_index_are_kept(tmp_path: Path, engine: str) -> None:
    source = write(tmp_path, top(BODY, PORTS))
    model = goldengate.compile([source], "Top", tmp_path / "model", engine=engine)
    generator = random.Random(seed())
    with Model(model / "model.so") as running:
        for _ in range(1000):
            a = generator.choice((0xFFFF, generator.getrandbits(16)))
            b, c = generator.getrandbits(32), generator.getrandbits(8)
            outputs = running.step({"a": a, "b": b, "c": c})
            assert outputs["v"] == _expected(a, b, c), f"{a:x} {b:x} {c:x}"
