# SPDX-License-Identifier: BSD-3-Clause
"""tohost of a blade in RTL: a small design that stores to it, in RTL and metasimulated.

Rocket with its caches is in `firesim experiment tohost`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from firesim.config.load import load_text
from firesim.run.runner import run

from regression.support.tohost_programs import program

DESIGN = """\
// Stores the words of a print and then a result, each when the host has taken the one before.
module Tiny(input clock, input reset);
  localparam TOHOST = 32'h80001000, WORDS = 32'h80002000;
  wire req_valid, req_write; wire [31:0] req_address; wire [63:0] req_data;
  reg [63:0] data; reg [2:0] state; reg addressed, sent, mine; reg [31:0] address;
  reg [63:0] value; reg writes; reg [3:0] step; reg [7:0] age;
  wire aw_ready, w_ready, b_valid, ar_ready, r_valid; wire [63:0] r_data;
  wire finished = state == 2 && (writes ? b_valid : r_valid);
  FireSimHTIFBridge htif(.clock, .reset, .req_valid, .req_write, .req_address, .req_data,
                         .done(state == 3 && !mine), .data);
  FireSimMemoryBridge #(.ID_BITS(1)) memory(
    .clock, .reset, .aw_valid(state == 2 && writes && !addressed), .aw_ready, .aw_id(1'b0),
    .aw_addr(address), .aw_len(8'd0), .aw_size(3'd3), .aw_burst(2'd1),
    .w_valid(state == 2 && writes && !sent), .w_ready, .w_data(value), .w_strb(8'hff),
    .w_last(1'b1), .b_valid, .b_id(), .b_resp(), .b_ready(1'b1),
    .ar_valid(state == 2 && !writes && !addressed), .ar_ready, .ar_id(1'b0), .ar_addr(address),
    .ar_len(8'd0), .ar_size(3'd3), .ar_burst(2'd1), .r_valid, .r_id(), .r_data, .r_resp(),
    .r_last(), .r_ready(1'b1));
  FireSimUARTBridge uart(.clock, .reset, .out_valid(1'b0), .out_bits(8'd0), .out_ready(),
                         .in_valid(), .in_bits(), .in_ready(1'b0));
  // What is stored, in order; step 6 waits for the host's answer at tohost + 0x40.
  wire [31:0] to = step == 5 || step == 7 ? TOHOST : step == 4 ? WORDS + 32'h103 & ~32'h7 :
                   WORDS + {step[1:0], 3'b0};
  wire [63:0] what = step == 0 ? 64 : step == 1 ? 1 : step == 2 ? WORDS + 32'h103 :
                     step == 3 ? 5 : step == 4 ? "olleH..." : step == 5 ? WORDS : 7;
  wire polls = step == 6;
  always @(posedge clock) begin
    age <= age + (age != 255);
    if (state == 2) begin
      if (aw_ready && writes || ar_ready && !writes) addressed <= 1;
      if (w_ready) sent <= 1;
      if (finished) begin data <= r_data; state <= 3; end
    end else if (state == 3) begin
      state <= 0;
      if (mine && (!polls || data != 0)) step <= step + 1;
    end else if (req_valid || age > 200 && step < 8) begin
      state <= 2; addressed <= 0; sent <= 0; mine <= !req_valid;
      address <= req_valid ? req_address : polls ? TOHOST + 32'h40 : to;
      value <= req_valid ? req_data : what;
      writes <= req_valid ? req_write : !polls;
    end
    if (reset) begin state <= 0; step <= 0; age <= 0; end
  end
endmodule
"""
RECIPE = """\
system:
  topology: {{nodes: [soc], switches: [], links: []}}
  blades: {{tiny: {{sources: [{sv}], top: Tiny}}}}
  node: {{blade: tiny, memory: {{size_mib: 16}}}}
workload: {{nodes: {{soc: {{elf: {elf}}}}}}}
simulation: {{max_cycles: 20000}}
"""


def ended(folder: Path, *settings: str) -> tuple[dict[str, Any], str]:
    """Run; return what result.json says of the node, and its console."""
    text = RECIPE.format(sv=folder / "tiny.sv", elf=folder / "program.elf")
    outcome = run(load_text(text, settings))
    (node,) = outcome.result["nodes"]
    assert isinstance(node, dict)
    return node, (outcome.folder / "soc/uart.log").read_text()


def test_the_host_prints_and_ends_in_the_same_cycle_on_each_engine(
    tmp_path: Path, results_root: Path
) -> None:
    (tmp_path / "tiny.sv").write_text(DESIGN)
    program(tmp_path, 1)  # for its symbols: the design executes nothing
    found = set()
    stalled = "simulation.metasim={stall_seed: 5, stall_rate: 64}"
    for settings in (
        ("simulation.random_batch_seed=1", "simulation.threads=1"),
        ("simulation.rtl_engine=verilator",),
        ("simulation.engine=metasim", stalled),
    ):
        node, text = ended(tmp_path, *settings)
        assert (node["exit_code"], node["message"]) == (3, "failed with code 3")
        assert text == "Hello"
        found.add(node["ended_at_cycle"])
    (cycle,) = found
    assert 0 < cycle - 2048 < 200
