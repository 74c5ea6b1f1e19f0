# SPDX-License-Identifier: BSD-3-Clause
"""Pass `clocks`: gated clocks and clocks with a ratio tick in the exact cycles they should.

The reference is plain Verilator on the original, in which the test says in every cycle whether a
further clock rises with the clock.
"""

from __future__ import annotations

import random
from fractions import Fraction
from pathlib import Path

import pytest

import goldengate
from goldengate import GoldenGateError
from goldengate.harness import Model, load_manifest
from goldengate.tests.designs import PORTS, lower, refusal, seed, top, verilog, write
from goldengate.tests.reference.plain import build_plain

RATIOS = {"slow": "1/2", "third": "2/3"}
LATCH = "logic latched; always_latch if (!clock) latched = x[0];\n"

DOMAINS = """\
module Domains(input logic clock, reset, slow, third, input logic [7:0] x, output logic [7:0] y);
logic latched, slow_latched; logic [7:0] a, b, c, d, e, m [0:7]; logic [31:0] wide;
always_latch if (!clock) latched = x[1] ^ a[0];
always_latch if (!slow) slow_latched = x[2] ^ b[1];
wire gate = clock & (latched | x[7]);
wire slow_gate = slow_latched & slow;
wire slower_gate = slow_gate & ~x[6];
always @(posedge gate) a <= a + x;
always @(posedge slow) if (reset) b <= 1; else if (x[0]) b <= b ^ a;
always @(posedge slow_gate or posedge reset) if (reset) c <= 3; else c <= c + b;
always @(posedge third) begin d <= d + c; m[x[2:0]] <= d; if (x[3]) m[~x[2:0]][3:0] <= a[3:0]; end
always @(posedge slower_gate) e <= reset ? 0 : e + 1;
always @(posedge third) if (x[4]) wide <= {wide[23:0], m[a[2:0]]};
assign y = a ^ b ^ c ^ d ^ e ^ m[x[5:3]] ^ wide[31:24];
endmodule
"""
_OURS = "module Top({ports}); Domains domains(.*); endmodule\n"
_PLAIN = "module Top({ports});\nwire slow = clock & slow_rises; wire third = clock & third_rises;\n"


def rises(ratio: Fraction, cycle: int) -> bool:
    """Whether an edge lies in a cycle: edge k lies in cycle ceil(k / ratio)."""
    edge = cycle * ratio.numerator // ratio.denominator
    return -(-edge * ratio.denominator // ratio.numerator) == cycle


def _with_plain(folder: Path, engine: str) -> tuple[Path, Path]:
    ours = write(folder, DOMAINS + _OURS.format(ports=PORTS + ", input logic slow, third"))
    ports = PORTS + ", input logic slow_rises, third_rises"
    text = DOMAINS + _PLAIN.format(ports=ports) + "Domains domains(.*); endmodule\n"
    original = write(folder, text, "plain.sv")
    model = goldengate.compile([ours], "Top", folder / "m", clock_ratios=RATIOS, engine=engine)
    manifest = load_manifest(model / "model.so")
    more = [{"name": f"{n}_rises", "width_bits": 1, "direction": "in"} for n in RATIOS]
    plain = build_plain(
        [original], {**manifest, "ports": manifest["ports"] + more}, folder / "plain"
    )
    return model / "model.so", plain


@pytest.mark.parametrize("engine", ["generated", "verilator"])
def test_domains_equal_to_plain_verilator(tmp_path: Path, engine: str) -> None:
    ours, plain = _with_plain(tmp_path, engine)
    generator = random.Random(seed())
    with Model(ours) as model, Model(plain) as original:
        assert set(model.ports) == {"reset", "x", "y"}
        for cycle in range(3000):
            values = {"reset": int(cycle < 16 or generator.random() < 0.01)}
            values["x"] = generator.getrandbits(8)
            edges = {f"{n}_rises": int(rises(Fraction(r), cycle)) for n, r in RATIOS.items()}
            got, expected = model.step(values)["y"], original.step(values | edges)["y"]
            assert got == expected, f"cycle {cycle}"


def test_edges_come_in_the_stated_cycles(tmp_path: Path) -> None:
    body = "logic [7:0] n = 0; always @(posedge slow) n <= n + 1; assign y = n;"
    generator = random.Random(seed())
    denominator = generator.randint(1, 300)
    ratio = Fraction(generator.randint(1, denominator), denominator)
    source = write(tmp_path, top(body, PORTS + ", input logic slow"))
    model = goldengate.compile(
        [source], "Top", tmp_path / "model", clock_ratios={"slow": str(ratio)}
    )
    edges = 0
    with Model(model / "model.so") as running:
        for cycle in range(2000):
            assert running.step({"reset": 0, "x": 0})["y"] == edges % 256, f"{ratio} cycle {cycle}"
            edges += rises(ratio, cycle)


def test_a_gate_becomes_an_enable(tmp_path: Path) -> None:
    body = LATCH + (
        "wire gate = latched & clock; logic [7:0] q; always @(posedge gate) q <= x; assign y = q;\n"
        'always @(posedge gate) begin $display("%d", q); assert (q != 7); end\n'
    )
    manifest = lower(tmp_path, top(body))
    text = verilog(tmp_path)
    assert "latched" not in text
    assert text.count("posedge") == text.count("posedge clock")
    assert [len(manifest[kind]) for kind in ("prints", "asserts")] == [1, 1]


def test_a_gate_of_what_it_clocks_is_left_to_verilator(tmp_path: Path) -> None:
    body = "logic [7:0] q; wire gate = q[0] & clock; always @(posedge gate) q <= x + q;"
    source = write(tmp_path, top(f"{body} assign y = q;"))
    with pytest.raises(GoldenGateError, match="not clocked by") as error:
        goldengate.compile([source], "Top", tmp_path / "model", engine="generated")
    assert str(error.value).endswith("the engine Verilator takes it.")


def test_errors_clock_read_as_data(tmp_path: Path) -> None:
    text = top("assign y = {8{slow}};", PORTS + ", input logic slow")
    text = text.replace("{8{slow}}", "x + slow")
    assert refusal(tmp_path, text, clock_ratios={"slow": "1/2"}) == (
        "top.sv:2: this reads the clock 'slow' otherwise than by its rising edge or a clock gate; "
        "a clock with a ratio has no level."
    )


def test_errors_clock_that_is_not_there(tmp_path: Path) -> None:
    text = top("assign y = x;", PORTS + ", input logic slow")
    assert refusal(tmp_path, text, clock_ratios={"slaw": "1/2"}) == (
        "Top: expected a further one-bit input 'slaw' as a clock (nearest: slow); its inputs are: "
        "clock, reset, slow, x."
    )


@pytest.mark.parametrize("ratio", ["3/2", "0", "1/1048577"])
def test_errors_ratio(tmp_path: Path, ratio: str) -> None:
    text = top("assign y = x;", PORTS + ", input logic slow")
    assert refusal(tmp_path, text, clock_ratios={"slow": ratio}) == (
        f"Top: the ratio of clock 'slow' is {ratio}, expected a fraction above 0, at most 1, with "
        "a denominator of at most 1048576."
    )
