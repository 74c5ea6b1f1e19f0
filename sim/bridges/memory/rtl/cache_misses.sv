// SPDX-License-Identifier: BSD-3-Clause
// The miss registers (MSHRs) of the last-level cache, and who waits for each: a list through the
// tags, which are all different while their accesses are pending.
module firesim_cache_misses
  import firesim_memory_pkg::*;
#(
    parameter int BLOCK_BITS = 30,
    parameter int TAG_BITS = 12,
    parameter int WAYS = 8,
    parameter int MSHRS = 8,
    localparam int WayBits = WAYS == 1 ? 1 : $clog2(WAYS),
    localparam int MshrBits = MSHRS == 1 ? 1 : $clog2(MSHRS)
) (
    input logic clock,
    input logic start,
    input cache_settings_t settings,
    input logic [BLOCK_BITS-1:0] block,  // looked up
    output logic [WAYS-1:0] filling,  // ways of its set
    output logic joined,  // a miss to this block is under way
    output logic free_valid,
    output logic [MshrBits-1:0] free,
    output logic none_busy,
    input logic allocate,  // `free`, for `tag`
    input logic [WayBits-1:0] allocate_way,
    input logic [6:0] allocate_parts,
    input logic joins,  // `tag` waits for the block too
    input logic [TAG_BITS-1:0] tag,
    input logic part_valid,  // a part of the block of `part_mshr` has come
    output logic part_ready,
    input logic [MshrBits-1:0] part_mshr,
    output logic finished,  // it was the last one: the register is free
    output logic done_valid,
    input logic done_ready,
    output logic [TAG_BITS-1:0] done_tag,
    output logic busy  // some of those that waited are still to be told
);
  typedef struct packed {
    logic busy;
    logic [BLOCK_BITS-1:0] block;
    logic [WayBits-1:0] way;
    logic [6:0] parts;  // still to come
    logic [TAG_BITS-1:0] first, last;
  } mshr_t;
  mshr_t mshrs[MSHRS];
  logic [TAG_BITS-1:0] following[2**TAG_BITS];
  logic [TAG_BITS-1:0] after, told, last_told;
  logic walking, after_valid;
  logic [BLOCK_BITS-1:0] set_mask;
  logic [MshrBits-1:0] joined_mshr;
  assign set_mask = BLOCK_BITS'((64'd1 << settings.sets_log2) - 1);

  always_comb begin
    filling = '0;
    joined = 1'b0;
    joined_mshr = '0;
    free_valid = 1'b0;
    free = '0;
    none_busy = 1'b1;
    for (int i = MSHRS - 1; i >= 0; --i) begin
      if (mshrs[i].busy) begin
        none_busy = 1'b0;
        if (((mshrs[i].block ^ block) & set_mask) == '0) filling[mshrs[i].way] = 1'b1;
        if (mshrs[i].block == block) begin
          joined = 1'b1;
          joined_mshr = MshrBits'(i);
        end
      end else if (7'(i) < settings.mshrs) begin
        free_valid = 1'b1;
        free = MshrBits'(i);
      end
    end
  end

  assign part_ready = ~walking;
  assign finished = part_valid & part_ready & mshrs[part_mshr].parts == 7'd1;
  assign done_valid = walking & after_valid;
  assign done_tag = told;
  assign busy = walking;

  always_ff @(posedge clock) begin
    // The list is read where the walk is; what is `after` the tag told is there a cycle later.
    after <= following[told];
    after_valid <= walking & ~(done_valid & done_ready);
    if (joins) following[mshrs[joined_mshr].last] <= tag;
    if (start) begin
      walking <= 1'b0;
      for (int i = 0; i < MSHRS; ++i) mshrs[i].busy <= 1'b0;
    end else begin
      if (allocate) begin
        mshrs[free].busy <= 1'b1;
        mshrs[free].block <= block;
        mshrs[free].way <= allocate_way;
        mshrs[free].parts <= allocate_parts;
        mshrs[free].first <= tag;
        mshrs[free].last <= tag;
      end
      if (joins) mshrs[joined_mshr].last <= tag;
      if (part_valid & part_ready) begin
        mshrs[part_mshr].parts <= mshrs[part_mshr].parts - 7'd1;
        if (finished) begin
          mshrs[part_mshr].busy <= 1'b0;
          walking <= 1'b1;
          told <= mshrs[part_mshr].first;
          last_told <= mshrs[part_mshr].last;
        end
      end
      if (done_valid & done_ready) begin
        told <= after;
        if (told == last_told) walking <= 1'b0;
      end
    end
  end
endmodule
