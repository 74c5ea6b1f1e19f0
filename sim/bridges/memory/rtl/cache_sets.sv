// SPDX-License-Identifier: BSD-3-Clause
// The tags of the last-level cache, in block RAM: one row a set, with the order of last use of its
// ways. `read` one host cycle, from the next on the answer to `block` stands; `write` changes the
// way `write_way` of that set and makes it the one used last.
module firesim_cache_sets
  import firesim_memory_pkg::*;
#(
    parameter int BLOCK_BITS = 30,
    parameter int SETS_LOG2 = 9,
    parameter int WAYS = 8,
    localparam int WayBits = WAYS == 1 ? 1 : $clog2(WAYS)
) (
    input logic clock,
    input logic start,
    output logic ready,  // all sets are empty
    input cache_settings_t settings,
    input logic read,
    input logic [BLOCK_BITS-1:0] block,
    input logic [WAYS-1:0] filling,  // ways of this set that wait for their block
    output logic hit,
    output logic [WayBits-1:0] hit_way,
    output logic hit_dirty,
    output logic victim_valid,  // there is a way that may be given up
    output logic [WayBits-1:0] victim,
    output logic victim_used,
    output logic victim_dirty,
    output logic [BLOCK_BITS-1:0] victim_block,
    input logic write,
    input logic [WayBits-1:0] write_way,
    input logic write_dirty
);
  localparam int SetBits = SETS_LOG2 == 0 ? 1 : SETS_LOG2;
  typedef struct packed {
    logic valid, dirty;
    logic [WayBits-1:0] age;  // how many ways were used since
    logic [BLOCK_BITS-1:0] block;
  } way_t;
  typedef way_t [WAYS-1:0] row_t;

  row_t rows[2**SETS_LOG2];
  row_t row, changed, cleared;
  logic [SetBits-1:0] set, clear_at;
  logic clearing;
  assign set = SetBits'(block & BLOCK_BITS'((64'd1 << settings.sets_log2) - 1));

  always_comb begin
    hit = 1'b0;
    hit_way = '0;
    hit_dirty = 1'b0;
    victim_valid = 1'b0;
    victim = '0;
    victim_used = 1'b1;
    for (int i = WAYS - 1; i >= 0; --i)
      if (7'(i) < settings.ways) begin
        if (row[i].valid & row[i].block == block) begin
          hit = 1'b1;
          hit_way = WayBits'(i);
          hit_dirty = row[i].dirty;
        end
        // The first that is empty, else the one not used for longest.
        if (~row[i].valid) begin
          victim_valid = 1'b1;
          victim = WayBits'(i);
          victim_used = 1'b0;
        end else if (victim_used & ~filling[i] & (~victim_valid | row[i].age > row[victim].age)) begin
          victim_valid = 1'b1;
          victim = WayBits'(i);
        end
      end
    victim_dirty = victim_used & row[victim].dirty;
    victim_block = row[victim].block;
  end

  always_comb
    for (int i = 0; i < WAYS; ++i) begin
      cleared[i] = '0;
      cleared[i].age = WayBits'(i);
      changed[i] = row[i];
      if (row[i].age < row[write_way].age) changed[i].age = row[i].age + 1'b1;
      if (WayBits'(i) == write_way) begin
        changed[i].valid = 1'b1;
        changed[i].dirty = write_dirty;
        changed[i].age = '0;
        changed[i].block = block;
      end
    end

  assign ready = ~clearing;
  always_ff @(posedge clock) begin
    if (clearing | write) rows[clearing ? clear_at : set] <= clearing ? cleared : changed;
    if (read) row <= rows[set];
    if (start) begin
      clearing <= 1'b1;
      clear_at <= '0;
    end else if (clearing) begin
      clear_at <= clear_at + 1'b1;
      if (int'(clear_at) == 2 ** SETS_LOG2 - 1) clearing <= 1'b0;
    end
  end
endmodule
