// SPDX-License-Identifier: BSD-3-Clause
// The timing of a blade's main memory in RTL, whichever it is: registers, model, and a cache in
// front when CACHE is 1. Which models there are is decided when this is built (DRAM 0: fixed, 1:
// FCFS and FR-FCFS DDR3), everything else by registers. The storage is the host's.
//
// One target cycle: requests, then `step`. A request is taken in a host cycle with `ready` and
// `room`; with `ready` and no `room` it must wait for another target cycle. A step is taken with
// `ready`. What is done by the next cycle comes out at `done` before `ready` is back. `counter`
// reads the statistics.
module firesim_memory_timing
  import firesim_memory_pkg::*;
#(
    parameter int DRAM = 1,
    parameter int CACHE = 0,
    parameter int ADDRESS_BITS = 36,
    parameter int TAG_BITS = 12,
    parameter int TIME_BITS = 48,
    parameter int RANKS_LOG2 = 1,
    parameter int BANKS_LOG2 = 3,
    parameter int QUEUE = 8,
    parameter int PENDING_LOG2 = 9,
    parameter int SETS_LOG2 = 9,
    parameter int WAYS = 8,
    parameter int MSHRS = 8
) (
    input logic clock,
    input logic reset,
    input logic set_valid,
    input logic [5:0] set_index,
    input logic [19:0] set_value,
    input logic start,  // once, after the registers are written
    output logic ready,
    output logic room,
    input logic request_valid,
    input logic request_write,
    input logic [ADDRESS_BITS-1:0] request_address,
    input logic [12:0] request_bytes,
    input logic [TAG_BITS-1:0] request_tag,
    input logic step,
    output logic done_valid,
    input logic done_ready,
    output logic [TAG_BITS-1:0] done_tag,
    output logic overflow,
    input logic [2:0] counter_index,
    output logic [47:0] counter
);
  localparam int MshrBits = MSHRS == 1 ? 1 : $clog2(MSHRS);
  localparam int BelowTagBits = CACHE != 0 ? MshrBits : TAG_BITS;
  logic [19:0] fixed_latency;
  dram_settings_t dram_settings;
  cache_settings_t cache_settings;
  firesim_memory_settings settings (
      .clock,
      .set_valid,
      .set_index,
      .set_value,
      .fixed_latency,
      .dram(dram_settings),
      .cache(cache_settings)
  );

  logic take, take_step;
  assign take = request_valid & ready & room;
  assign take_step = step & ready & ~request_valid;

  logic below_ready, below_room, below_valid, below_write, below_silent, below_step;
  logic below_done_valid, below_done_ready;
  logic [ADDRESS_BITS-1:0] below_address;
  logic [BelowTagBits-1:0] below_tag, below_done_tag;
  logic [47:0] counters[8];
  assign counter = counters[counter_index];
  assign counters[7] = '0;

  if (DRAM != 0) begin : dram
    firesim_dram_timing #(
        .ADDRESS_BITS(ADDRESS_BITS),
        .TAG_BITS(BelowTagBits),
        .TIME_BITS(TIME_BITS),
        .RANKS_LOG2(RANKS_LOG2),
        .BANKS_LOG2(BANKS_LOG2),
        .QUEUE(QUEUE),
        .PENDING_LOG2(PENDING_LOG2)
    ) model (
        .clock,
        .reset,
        .start,
        .settings(dram_settings),
        .ready(below_ready),
        .room(below_room),
        .request_valid(below_valid),
        .request_write(below_write),
        .request_silent(below_silent),
        .request_address(below_address),
        .request_tag(below_tag),
        .step(below_step),
        .done_valid(below_done_valid),
        .done_ready(below_done_ready),
        .done_tag(below_done_tag),
        .overflow,
        .row_hits(counters[0]),
        .row_misses(counters[1]),
        .row_conflicts(counters[2]),
        .refreshes(counters[3])
    );
  end else begin : fixed
    firesim_fixed_timing #(
        .TAG_BITS(BelowTagBits)
    ) model (
        .clock,
        .reset,
        .latency(fixed_latency),
        .ready(below_ready),
        .room(below_room),
        .request_valid(below_valid),
        .request_silent(below_silent),
        .request_tag(below_tag),
        .step(below_step),
        .done_valid(below_done_valid),
        .done_ready(below_done_ready),
        .done_tag(below_done_tag)
    );
    assign overflow = 1'b0;
    for (genvar i = 0; i < 4; ++i) assign counters[i] = '0;
  end

  if (CACHE != 0) begin : cache
    assign below_silent = below_write;
    firesim_cache_timing #(
        .ADDRESS_BITS(ADDRESS_BITS),
        .TAG_BITS(TAG_BITS),
        .SETS_LOG2(SETS_LOG2),
        .WAYS(WAYS),
        .MSHRS(MSHRS),
        .PART_LOG2(DRAM != 0 ? 6 : 12)
    ) model (
        .clock,
        .reset,
        .start,
        .settings(cache_settings),
        .ready,
        .room,
        .request_valid(take),
        .request_write,
        .request_address,
        .request_bytes,
        .request_tag,
        .step(take_step),
        .done_valid,
        .done_ready,
        .done_tag,
        .below_ready,
        .below_room,
        .below_valid,
        .below_write,
        .below_address,
        .below_tag,
        .below_step,
        .below_done_valid,
        .below_done_ready,
        .below_done_tag,
        .hits(counters[4]),
        .misses(counters[5]),
        .writebacks(counters[6])
    );
  end else begin : bare
    assign ready = below_ready;
    assign room = below_room;
    assign below_valid = take;
    assign below_write = request_write;
    assign below_silent = 1'b0;
    assign below_address = request_address;
    assign below_tag = request_tag;
    assign below_step = take_step;
    assign done_valid = below_done_valid;
    assign below_done_ready = done_ready;
    assign done_tag = below_done_tag;
    for (genvar i = 4; i < 7; ++i) assign counters[i] = '0;
  end
endmodule
