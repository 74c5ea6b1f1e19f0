# SPDX-License-Identifier: BSD-3-Clause
"""Designs whose asynchronous resets depend on registers with such resets; and others' answers.

Verilog's events are the reference: logic settles, resets act all at once, logic settles again.
"""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path

from firesim_common.tools import VERILATOR_OPTIONS, run, verilator_environment

from goldengate.tests.designs import top

CATCHER = """\
logic caught = 0, seen = 0; logic [3:0] count = 0; wire clear = caught & x[0];
always @(posedge clock or posedge clear) if (clear) caught <= 0; else caught <= x[1];
always @(posedge clock or posedge clear) if (clear) seen <= 1; else if (x[2]) seen <= 0;
always @(posedge clock or posedge reset) if (reset) count <= 0; else count <= count + seen;
assign y = {2'b0, seen, caught, count};
"""
"""A pulse clears what it comes from, so that it lasts for no time; another register sees it."""

COUNTER = """\
logic [3:0] digit = 9; logic [2:0] tens = 5; wire full = digit == 10, over = reset | tens == 6;
always @(posedge clock or posedge full) if (full) digit <= 0; else digit <= digit + x[0];
always @(posedge clock or posedge over) if (over) tens <= 0; else if (digit == 9 & x[0])
  tens <= tens + 1;
assign y = {1'b0, tens, digit};
"""
"""A counter that clears itself when it is full."""

RIPPLE = """\
logic [2:0] q = 0; wire clear = q == 5;
always @(negedge clock or posedge clear) if (clear) q[0] <= 0; else q[0] <= ~q[0];
always @(negedge q[0] or posedge clear) if (clear) q[1] <= 0; else q[1] <= ~q[1];
always @(negedge q[1] or posedge clear) if (clear) q[2] <= 0; else q[2] <= ~q[2];
assign y = {5'b0, q};
"""
"""A ripple counter that clears itself: a clear for no time would be an edge of a clock."""

CHAIN = """\
logic [6:0] q = 7'h2a; wire [7:0] clear = {q & {x[3:1], 4'b1011}, reset & x[0]};
for (genvar i = 0; i < 7; i++) begin : stage
  always @(posedge clock or posedge clear[i])
    if (clear[i]) q[i] <= i == 2; else q[i] <= x[i] ^ q[i];
end
assign y = {clear[7], q};
"""
"""Each register's reset is computed from the register before: a loop of vectors, not of bits."""

CALM = """\
logic [9:0] q = 0; wire [10:0] clear = {~q & {x, 2'b10}, reset & x[0]};
for (genvar i = 0; i < 10; i++) begin : stage
  always @(posedge clock or posedge clear[i])
    if (clear[i]) q[i] <= 0; else q[i] <= x[i % 8] | q[i];
end
assign y = q[7:0] ^ {clear[10:9], 6'b0};
"""
"""A chain whose resets only follow each other: none is active for no time."""

SYNCHRONISER = """\
logic [2:0] sync = 0; logic [7:0] a = 8'h05, b = 8'hff; wire inner_n = sync[2] & ~a[7];
always @(posedge clock or posedge reset) if (reset) sync <= 0; else sync <= {sync[1:0], 1'b1};
always @(posedge clock or negedge inner_n) if (!inner_n) a <= 8'h05; else a <= a + x;
always @(posedge clock or negedge inner_n) if (!inner_n) b <= 8'hff; else b <= b ^ a;
assign y = a + b;
"""
"""Active low, with a reset that is released in step, and a register that resets itself."""

HIERARCHY_MODULES = """\
module Watchdog(input clock, input rst_n, input kick, output logic bark = 0);
  logic [2:0] count = 0;
  always @(posedge clock or negedge rst_n)
    if (!rst_n) begin count <= 0; bark <= 0; end
    else begin count <= kick ? 3'd0 : count + 3'd1; bark <= count == 3'd6; end
endmodule
module Unit(input clock, input rst_n, input [7:0] x,
            output logic [7:0] sum = 0, output logic ask = 0);
  always @(posedge clock or negedge rst_n)
    if (!rst_n) begin sum <= 8'h11; ask <= 0; end
    else begin sum <= sum + x; ask <= x == sum; end
endmodule
"""
HIERARCHY = """\
wire bark, ask; wire [7:0] sum; logic [2:0] resets = 0;
wire rst_n = ~(reset | bark | ask & x[3]);
Watchdog dog(.clock, .rst_n, .kick(x[0] & x[1]), .bark);
Unit unit(.clock, .rst_n, .x, .sum, .ask);
always @(posedge clock or posedge bark) if (bark) resets <= 5; else resets <= resets - x[0];
assign y = sum ^ {resets, 5'b0};
"""
"""A watchdog that resets itself and another unit, each in a module of its own."""

ROUND = """\
logic a = 0, b = 0, c = 0; wire ra = c & ~x[0], rb = a & x[1], rc = b & ~x[2];
always @(posedge clock or posedge ra) if (ra) a <= 0; else a <= x[3];
always @(posedge clock or posedge rb) if (rb) b <= 1; else b <= x[4];
always @(posedge clock or posedge rc) if (rc) c <= 0; else c <= x[5] ^ c;
assign y = {5'b0, a, b, c};
"""
"""Three registers in a ring, in which what acts first decides."""

TABLE = """\
logic [3:0] rows [0:7]; logic [2:0] at = 0; wire [3:0] row = rows[at]; wire hit = row[3] & x[7];
logic [7:0] sum = 0; integer i; initial for (i = 0; i < 8; i = i + 1) rows[i] = 4'(i * 5 + 1);
always @(posedge clock or posedge hit) if (hit) at <= 3'd2; else at <= at + x[2:0];
always @(posedge clock) begin if (x[6]) rows[x[5:3]] <= x[3:0]; sum <= sum + row; end
assign y = sum ^ {row, 1'b0, at};
"""
"""Whether an address is reset depends on what is read from there."""

DESIGNS = {
    "catcher": CATCHER,
    "counter": COUNTER,
    "chain": CHAIN,
    "calm": CALM,
    "synchroniser": SYNCHRONISER,
    "hierarchy": HIERARCHY,
    "round": ROUND,
    "table": TABLE,
}

_BENCH = """\
module Bench;
  reg clock = 0, reset; reg [7:0] x; reg [8:0] given [0:{last}]; integer at = 0;
{instances}
  initial begin
    $readmemh("given.hex", given);
    {{reset, x}} = given[0];
    for (at = 1; at <= {last}; at = at + 1) begin
      #1 $display("{format}"{values});
      #1 clock = 1;
      #1 clock = 0;
    end
    #1 $display("{format}"{values});
    $finish;
  end
  always @(posedge clock) {{reset, x}} <= given[at];
endmodule
"""
"""Inputs change with the registers, as in a simulation."""


def text_of(name: str, top_name: str = "Top") -> str:
    """Return the text of a design, whose top may have another name."""
    further = HIERARCHY_MODULES if name == "hierarchy" else ""
    return top(DESIGNS[name]).replace("module Top", f"module {top_name}", 1) + further


def answers(folder: Path, simulator: str, given: Sequence[tuple[int, int]]) -> dict[str, list[int]]:
    """Return each design's `y` in every cycle for pairs of `reset` and `x`, by a simulator."""
    folder.mkdir()
    (folder / "given.hex").write_text("".join(f"{r << 8 | x:03x}\n" for r, x in given))
    instances = "".join(
        f"  wire [7:0] y_{name}; Top_{name} u_{name}(.clock, .reset, .x, .y(y_{name}));\n"
        for name in DESIGNS
    )
    bench = _BENCH.format(
        last=len(given) - 1,
        instances=instances,
        format=" ".join(["%0d"] * len(DESIGNS)),
        values="".join(f", y_{name}" for name in DESIGNS),
    )
    text = bench + "".join(text_of(name, f"Top_{name}") for name in DESIGNS)
    (folder / "bench.sv").write_text(text)
    if simulator == "icarus":
        run(["iverilog", "-g2012", "-s", "Bench", "-o", "bench", "bench.sv"], cwd=folder)
        words = ["vvp", "-n", "bench"]
    else:
        environment = verilator_environment()
        flags = [
            "--binary",
            "--timing",
            "-CFLAGS",
            "-std=c++20",
            "-Wno-fatal",
            "-Wno-lint",
            "-Wno-style",
            "--x-assign",
            "0",
        ]
        command: list[str | Path] = [
            "verilator",
            *flags,
            *VERILATOR_OPTIONS,
            "--top-module",
            "Bench",
            "bench.sv",
        ]
        run(command, cwd=folder, env=environment)
        words = [str(folder / "obj_dir" / "VBench")]
    done = subprocess.run(words, cwd=folder, check=True, capture_output=True, text=True)
    rows = [line.split() for line in done.stdout.splitlines() if line[:1].isdigit()]
    assert len(rows) == len(given)
    return {name: [int(row[at]) for row in rows] for at, name in enumerate(DESIGNS)}
