# SPDX-License-Identifier: BSD-3-Clause
"""Pass `shifts`: long amounts of shifts, on both engines, against Python's integers."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

import goldengate
from goldengate.harness import Model
from goldengate.tests.designs import lower, seed, top, verilog, write

WIDTH = 37
PORTS = (
    f"input logic clock, input logic reset, input logic signed [{WIDTH - 1}:0] v, "
    "input logic [63:0] n, input logic signed [39:0] at, "
    f"output logic [{WIDTH - 1}:0] left, right, output logic signed [{WIDTH - 1}:0] sign, "
    f"output logic [63:0] wide, output logic [7:0] part, output logic [{WIDTH - 1}:0] written"
)
BODY = """\
assign left = v << n;
assign right = unsigned'(v) >> n;
assign sign = v >>> n;
assign wide = 64'(v) <<< n;
assign part = v[at +: 8];
always_comb begin
  written = v;
  written[at -: 4] = n[3:0];
end
"""


def _expected(v: int, n: int, at: int) -> dict[str, int]:
    """Return the outputs; `v` is unsigned."""
    mask, amount = (1 << WIDTH) - 1, min(n, 100)
    signed = v - (v >> (WIDTH - 1) << WIDTH)
    # 8 bits of space below bit 0, and far more than enough above.
    part = (v << 40) >> min(at + 40, 200) & 255 if at > -40 else 0
    written = v
    for bit in range(4):
        if 0 <= at - 3 + bit < WIDTH:
            written = written & ~(1 << (at - 3 + bit)) | (n >> bit & 1) << (at - 3 + bit)
    return {
        "left": v << amount & mask,
        "right": v >> amount,
        "sign": signed >> amount & mask,
        "wide": signed << amount & (1 << 64) - 1,
        "part": part,
        "written": written,
    }


@pytest.mark.parametrize("engine", ["verilator", "generated"])
def test_amounts_of_any_size(tmp_path: Path, engine: str) -> None:
    source = write(tmp_path, top(BODY, PORTS))
    model = goldengate.compile([source], "Top", tmp_path / "model", engine=engine)
    generator = random.Random(seed())
    with Model(model / "model.so") as running:
        for _ in range(5000):
            v = generator.getrandbits(WIDTH)
            n = generator.choice((generator.randrange(80), 1 << generator.randrange(64)))
            n |= generator.getrandbits(4)
            at = generator.randint(*generator.choice(((-80, 80), (-(1 << 39), (1 << 39) - 1))))
            outputs = running.step({"v": v, "n": n, "at": at & (1 << 40) - 1})
            expected = _expected(v, n, at)
            assert {name: outputs[name] for name in expected} == expected, f"{v:x} {n:x} {at}"


REFUSED = """\
logic [16:1] v;
always_comb begin
  automatic logic [16:0] l;
  v = (e & d) / (e | 1);
  l = ((b[0] ? d : 64'b0) >>> i) - (i[0] ? d + d : {4{b}});
  if (v != {e, i}) v[32'(2 * v[12:10]) + 2 -: 2] = 7'({8'(40'h100c49c08e), 12'(e)});
  else v[b[12:8]] = (v & (^d[l[14:11]])) << a[5:0];
  if (v[1]) l = (c > e) ? ($unsigned(v) inside {68, [6:43]}) : (c || c[6]);
  v = ((e | l[3:0]) ^ (c + 31'h0)) + (signed'(v) + (8 <<< l[5:0]));
end
assign y = v;
"""
"""Verilator finds out that bits 12 to 10 are 0, and that an amount in `target.v` is then -2."""


def test_verilator_takes_an_amount_that_is_constant_and_large(tmp_path: Path) -> None:
    ports = (
        "input logic clock, input logic reset, input logic [15:0] a, input logic signed [31:0] b, "
        "input logic signed [7:0] c, input logic [0:11] d, input logic [3:0] i, input logic e, "
        "output logic [15:0] y"
    )
    source = write(tmp_path, top(REFUSED, ports))
    goldengate.compile([source], "Top", tmp_path / "model", engine="verilator")


def test_short_amounts_stay_as_they_are(tmp_path: Path) -> None:
    lower(tmp_path, top("assign y = x >> x[7:3];"))
    assert "assign y = x >> x[7:3];" in verilog(tmp_path)
