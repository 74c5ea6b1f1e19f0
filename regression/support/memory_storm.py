# SPDX-License-Identifier: BSD-3-Clause
"""A blade that is a storm on its memory, as text: to compare one memory with another to the cycle.

A master makes bursts of every kind at random, reads and writes over the same few pages, some of
them outside the memory, with write data before its address. It prints a sum of all that it is
answered and of the cycle of each answer, so that one answer a cycle late would show in the prints.
"""

from __future__ import annotations

STORM = """\
module Storm #(parameter int LIMIT = 10, parameter int WRONG = 0) (
  input logic clock, input logic reset
);
  logic [31:0] count;
  logic [63:0] random, mixed, sum;
  assign mixed = random * 64'h9e3779b97f4a7c15;
  // What a burst is, by its number.
  function automatic logic [63:0] hash(logic [31:0] number, logic [31:0] salt);
    logic [63:0] x;
    x = {salt, number} * 64'hd6e8feb86659fd93;
    x = (x ^ (x >> 29)) * 64'h94d049bb133111eb;
    return x ^ (x >> 32);
  endfunction
  logic ar_valid, ar_ready, aw_valid, aw_ready, w_valid, w_ready, b_valid, r_valid, w_last;
  logic b_ready, r_ready, r_last;
  logic [3:0] b_id, r_id;
  logic [1:0] b_resp, r_resp;
  logic [63:0] r_data, a, w, d;
  logic [31:0] ar_number, aw_number, w_number;
  logic [7:0] beat;
  function automatic logic [1:0] kind(logic [63:0] x);
    return x[1:0] == 2'd3 ? 2'd1 : x[1:0];
  endfunction
  function automatic logic [7:0] len(logic [63:0] x);
    case (kind(x))
      2'd2: return x[3:2] == 2'd0 ? 8'd1 : x[3:2] == 2'd1 ? 8'd3 : x[3:2] == 2'd2 ? 8'd7 : 8'd15;
      2'd0: return {4'd0, x[5:2]};
      default: return x[9:6] == 4'd0 ? 8'd31 : {4'd0, x[5:2]};
    endcase
  endfunction
  function automatic logic [2:0] size(logic [63:0] x);
    return x[10] ? 3'd3 : {1'b0, x[12:11]};
  endfunction
  function automatic logic [31:0] address(logic [63:0] x);
    logic [31:0] low;
    low = {20'd0, 1'b0, x[23:20] , x[30:24]};
    if (kind(x) == 2'd2) low = low >> size(x) << size(x);
    return (x[35:31] == 5'd0 ? 32'h9000_0000 : 32'h0001_0000) + {18'd0, x[37:36], 12'd0} + low;
  endfunction
  assign a = hash(ar_number, 32'd1);
  assign w = hash(aw_number, 32'd2);
  assign d = hash(w_number, 32'd2);
  assign w_last = beat == len(d);
  logic [63:0] answer;
  assign answer = {r_valid & r_ready ? r_data : 64'd0} ^ {32'd0, count}
      ^ {40'd0, b_valid & b_ready, b_id, b_resp, r_valid & r_ready, r_id, r_resp, r_last, 9'd0};
  always_ff @(posedge clock) begin
    count <= reset ? 0 : count + 1;
    random <= reset ? 64'd88172645463325252
        : random * 64'd6364136223846793005 + 64'd1442695040888963407;
    b_ready <= mixed[40];
    r_ready <= mixed[41] | mixed[42];
    if (reset) begin
      {ar_valid, aw_valid, w_valid} <= '0;
      {ar_number, aw_number, w_number, beat, sum} <= '0;
    end else begin
      if (ar_valid & ar_ready) begin ar_valid <= 0; ar_number <= ar_number + 1; end
      else if (!ar_valid) ar_valid <= mixed[50:48] == 0 | count[10];
      if (aw_valid & aw_ready) begin aw_valid <= 0; aw_number <= aw_number + 1; end
      else if (!aw_valid) aw_valid <= mixed[54:52] == 0;
      if (w_valid & w_ready) begin
        w_valid <= mixed[56];
        beat <= w_last ? 8'd0 : beat + 8'd1;
        if (w_last) begin
          w_number <= w_number + 1;
          w_valid <= 0;
        end
      end else if (!w_valid) w_valid <= mixed[57] & (w_number < aw_number + 32'd3);
      if ((b_valid & b_ready) | (r_valid & r_ready)) sum <= sum * 64'd3 + answer;
    end
    if (count[8:0] == 77) $display("sum %h at %0d", sum, count);
  end
  FireSimMemoryBridge memory (
    .clock, .reset,
    .aw_valid, .aw_id(w[44:41] & 4'd3), .aw_addr(address(w)), .aw_len(len(w)), .aw_size(size(w)),
    .aw_burst(kind(w)), .w_valid, .w_data(d ^ {8{beat}}), .w_strb(d[52:45] | {8{d[53]}}),
    .w_last(w_last ^ (WRONG == 2 & w_number == 9)), .b_ready,
    .ar_valid, .ar_id(a[44:41] & 4'd3), .ar_addr(WRONG == 1 & ar_number == 9 ? 32'h10ff8 :
    address(a)), .ar_len(WRONG == 1 & ar_number == 9 ? 8'd7 : len(a)),
    .ar_size(WRONG == 1 & ar_number == 9 ? 3'd3 : size(a)),
    .ar_burst(WRONG == 1 & ar_number == 9 ? 2'd1 : kind(a)), .r_ready, .r_valid, .r_data,
    .aw_ready, .w_ready, .b_valid, .b_id, .b_resp, .ar_ready, .r_id, .r_resp, .r_last
  );
  FireSimTerminationBridge over (
    .clock, .reset, .valid(count == LIMIT), .value(32'h5555)
  );
endmodule
"""


def storm_recipe(limit_cycles: int) -> str:
    """Return the beginning of a recipe with one node, of storm.sv, that ends at a cycle."""
    return f"""\
name: storm
system:
  topology: {{nodes: [soc], switches: [], links: []}}
  blades:
    storm:
      sources: [storm.sv]
      top: Storm
      parameters: {{LIMIT: {limit_cycles}, WRONG: 0}}
      memory_base: 0x10000
  node: {{blade: storm, memory: {{size_mib: 4}}}}
workload: {{nodes: {{soc: {{elf: words.elf}}}}}}
"""
