# SPDX-License-Identifier: BSD-3-Clause
"""Names that reach into other instances, and interfaces without modports: read all in one module.

What they compute is as in plain Verilator; prints, asserts, covers and bridges know their instance.
"""

from __future__ import annotations

import random
from pathlib import Path

import goldengate
from goldengate.harness import Model, load_manifest
from goldengate.tests.designs import lower, names, seed, top, write
from goldengate.tests.reference.plain import build_plain

DESIGN = """\
interface Bus(input logic clk); logic [7:0] d; logic v; endinterface
module Inner #(parameter int ID = 1)(input logic clock, reset, input logic [7:0] x, Bus b);
  logic [7:0] secret = 2, mem [0:3], poked;
  always_ff @(posedge clock) begin secret <= secret + x + Top.common; mem[x[1:0]] <= x ^ poked; end
  logic [7:0] mode; always @(posedge clock or posedge reset)
    if (reset) mode <= 8'h31; else if (ID == 0) mode <= x;  // a register that the reader loses
  assign b.d = secret ^ mode; assign b.v = x[1];
  for (genvar g = 0; g < 2; g++) begin : lane
    always @(posedge clock) if (!reset && x[g]) $display("%m %0d %0d", ID + g, secret);
  end
  always @(posedge clock) if (!reset) begin
    three: assert (secret != 3) else $error("three in %m");
    seen: cover (x == 9);
    if (x == 4) tell;
  end
  task tell; $display("%m says %0d", ID); endtask
endmodule
module Middle #(parameter int ID = 1)(input logic clock, reset, input [7:0] x, output [7:0] y);
  Bus bus(clock); Inner #(ID) inner(.clock, .reset, .x, .b(bus)); assign y = bus.v ? bus.d : 0;
  FireSimUARTBridge uart(.clock, .reset, .out_valid(x[0]), .out_bits(x), .in_ready(1'b1),
    .out_ready(), .in_valid(), .in_bits());
endmodule
"""
BODY = """\
logic [7:0] a, c, common; always_ff @(posedge clock) common <= reset ? 0 : common + x[2:0];
Middle #(10) m(.clock, .reset, .x, .y(a)); Middle #(20) n(.clock, .reset, .x(x + 8'd1), .y(c));
assign m.inner.poked = n.inner.secret, n.inner.poked = 8'h55;
assign y = a ^ c ^ m.inner.secret ^ n.inner.mem[x[3:2]];
"""


def test_values_are_those_of_plain_verilator(tmp_path: Path) -> None:
    source = write(tmp_path, DESIGN + top(BODY))
    made = goldengate.compile([source], "Top", tmp_path / "model", engine="generated")
    plain = build_plain([source], load_manifest(made / "model.so"), tmp_path / "plain")
    generator = random.Random(seed())
    with Model(made / "model.so") as model, Model(plain) as original:
        for cycle in range(2000):
            inputs = {"reset": int(cycle < 4), "x": generator.getrandbits(8)}
            got, expected = model.step(inputs)["y"], original.step(inputs)["y"]
            assert got == expected, f"cycle {cycle}, seed {seed()}"


def test_what_is_in_an_instance_says_so(tmp_path: Path) -> None:
    manifest = lower(tmp_path, DESIGN + top(BODY))
    (warning,) = manifest["warnings"]
    assert warning == (
        f"{tmp_path / 'top.sv'}:26: 'm.inner.poked' reaches into another instance (5 such names)."
    )
    assert names(manifest["asserts"], "message") == [
        f"{path}: three in Top.{path}" for path in ("m.inner", "n.inner")
    ]
    assert names(manifest["counters"]) == ["m.inner.seen", "n.inner.seen"]
    assert names(manifest["bridges"], "path") == ["m.uart", "n.uart"]
    texts = [pieces[0] for pieces in names(manifest["prints"], "pieces")]
    lanes = [f"Top.{one}.inner.lane[{lane}] " for one in "mn" for lane in range(2)]
    assert texts == [*lanes, "Top.m.inner.tell says ", "Top.n.inner.tell says "]
    assert manifest["undriven"] == []


def test_interfaces_need_no_modport(tmp_path: Path) -> None:
    text = DESIGN.replace(" + Top.common", "").replace(" ^ poked", "")
    assert lower(tmp_path, text + top("Middle m(.clock, .reset, .x, .y);"))["warnings"] == []
