# SPDX-License-Identifier: BSD-3-Clause
"""tohost of a blade in RTL: a small design stores to it, on each engine and a simulated board.

Rocket with its caches is in `firesim experiment tohost`.
"""

from __future__ import annotations

from pathlib import Path

from regression.support.one_board import FPGA, left, made_board, simulated, write_recipe
from regression.support.simulated_boards import started
from regression.support.tohost_programs import program

DESIGN = """\
// Stores the words of a print and then a result, each when the host has taken the one before.
module Teller(input clock, input reset);
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
BUILDS = """\
builds:
  mine: {verilog: {sources: [teller.sv], top: Teller}, board: ulx3s}
"""


def test_the_host_prints_and_ends_in_the_same_cycle_on_each_engine(tmp_path: Path) -> None:
    write_recipe(tmp_path, DESIGN, BUILDS)
    elf = program(tmp_path, 1)  # for its symbols: the design executes nothing
    usual = (
        f"workload.nodes.soc.elf={elf}",
        "system.node.memory={size_mib: 16}",
        "simulation.max_cycles=20000",
        "simulation.autocounter.enabled=false",
    )
    made = made_board(tmp_path, "mine", tmp_path / "board")
    ways = {
        "batches": ("simulation.random_batch_seed=1",),
        "verilator": ("simulation.rtl_engine=verilator",),
        "metasim": (
            "simulation.engine=metasim",
            "simulation.metasim={stall_seed: 5, stall_rate: 64}",
        ),
        "fpga": (FPGA,),
    }
    found = []
    with started(made, tmp_path / "board"):
        for name, settings in ways.items():
            outcome = simulated(tmp_path, tmp_path / name, *usual, *settings)
            found.append(left(outcome, ["uart.log"]))
    assert all(one == found[0] for one in found)
    assert (found[0]["exit_code"], found[0]["message"]) == (3, "failed with code 3")
    assert found[0]["uart.log"] == b"Hello"
    assert 0 < found[0]["ended_at_cycle"] - 2048 < 200
