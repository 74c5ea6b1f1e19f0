// SPDX-License-Identifier: BSD-3-Clause
// cache.h in RTL: a last-level cache in front of another timing model, write back, write allocate,
// least recently used, misses under misses. The same cycle for the same access. Its port is that of
// fixed_timing.sv, and so is the one below; settings must stand before `start`.
module firesim_cache_timing
  import firesim_memory_pkg::*;
#(
    parameter int ADDRESS_BITS = 36,
    parameter int TAG_BITS = 12,
    parameter int SETS_LOG2 = 9,  // most sets
    parameter int WAYS = 8,  // most ways
    parameter int MSHRS = 8,  // most miss registers
    parameter int PART_LOG2 = 6,  // bytes of an access below
    localparam int MshrBits = MSHRS == 1 ? 1 : $clog2(MSHRS)
) (
    input logic clock,
    input logic reset,
    input logic start,
    input cache_settings_t settings,
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
    input logic below_ready,
    input logic below_room,
    output logic below_valid,
    output logic below_write,  // nobody waits for it
    output logic [ADDRESS_BITS-1:0] below_address,
    output logic [MshrBits-1:0] below_tag,
    output logic below_step,
    input logic below_done_valid,
    output logic below_done_ready,
    input logic [MshrBits-1:0] below_done_tag,
    output logic [47:0] hits,
    output logic [47:0] misses,
    output logic [47:0] writebacks
);
  localparam int BlockBits = ADDRESS_BITS - 6;
  localparam int WayBits = WAYS == 1 ? 1 : $clog2(WAYS);
  localparam int TimeBits = 48;
  typedef enum logic [3:0] {
    Off,
    Idle,
    Read,
    LookUp,
    Fill,
    Evict,
    Looked,
    Step,
    Below,
    Hits,
    Out,
    Sent
  } state_t;
  typedef struct packed {
    logic [TimeBits-1:0] due;
    logic [BlockBits-1:0] block;
    logic write;
    logic [MshrBits-1:0] mshr;
  } outgoing_t;

  state_t state;
  logic [TimeBits-1:0] now, next;
  logic before_step;  // the look-up belongs to the cycle that ends
  logic looked;  // one look-up a cycle
  logic blocked;  // until a fill, or until something goes below
  assign next = now + 1'b1;

  // Accesses not yet looked up.
  logic [ADDRESS_BITS-1:0] address;
  logic [12:0] bytes;
  logic [TAG_BITS-1:0] tag;
  logic write, waiting_valid, waiting_empty, look_up_done;
  logic [4:0] waiting;
  firesim_memory_queue #(
      .WIDTH(ADDRESS_BITS + 13 + 1 + TAG_BITS),
      .DEPTH_LOG2(4)
  ) accesses (
      .clock,
      .reset,
      .push(request_valid),
      .push_data({request_address, request_bytes, request_write, request_tag}),
      .pop(look_up_done),
      .head({address, bytes, write, tag}),
      .head_valid(waiting_valid),
      .settled(),
      .empty(waiting_empty),
      .full()
  );
  assign room = waiting < 5'd16;

  // What is done a fixed time after its look-up.
  logic [19:0] hit_due;
  logic hit_push, hit_pop, hit_valid, hit_settled, hit_empty, hit_is_due;
  logic [TAG_BITS-1:0] hit_tag;
  firesim_memory_queue #(
      .WIDTH(20 + TAG_BITS),
      .DEPTH_LOG2(TAG_BITS)
  ) hit_queue (
      .clock,
      .reset,
      .push(hit_push),
      .push_data({now[19:0] + settings.hit_latency, tag}),
      .pop(hit_pop),
      .head({hit_due, hit_tag}),
      .head_valid(hit_valid),
      .settled(hit_settled),
      .empty(hit_empty),
      .full()
  );
  assign hit_is_due = hit_valid & hit_due == now[19:0];

  // Blocks that go below, and how many accesses that is.
  outgoing_t out_head, out_new;
  logic out_push, out_pop, out_valid, out_settled, out_empty;
  logic [8:0] out_parts;
  logic [6:0] part, block_parts;
  firesim_memory_queue #(
      .WIDTH($bits(outgoing_t)),
      .DEPTH_LOG2(8)
  ) outgoing (
      .clock,
      .reset,
      .push(out_push),
      .push_data(out_new),
      .pop(out_pop),
      .head(out_head),
      .head_valid(out_valid),
      .settled(out_settled),
      .empty(out_empty),
      .full()
  );
  assign block_parts = settings.block_log2 > 4'(PART_LOG2) ?
      7'(7'd1 << (settings.block_log2 - 4'(PART_LOG2))) : 7'd1;

  // The look-up.
  logic [BlockBits-1:0] block;
  logic whole, sets_ready;
  logic hit, victim_valid, victim_used, victim_dirty, hit_dirty, joined, free_valid, none_busy;
  logic [WayBits-1:0] hit_way, victim;
  logic [BlockBits-1:0] victim_block, evicted, fill_block;
  logic [MshrBits-1:0] free, fill_mshr;
  logic [WAYS-1:0] filling;
  logic evicts, fills, can_miss, missed;
  logic fill_done, fill_busy, fill_ready, fill_tag_valid;
  logic [TAG_BITS-1:0] fill_tag;
  assign block = BlockBits'(address >> settings.block_log2);
  assign whole = write & bytes >= 13'(13'd1 << settings.block_log2);
  assign can_miss = victim_valid & (whole | free_valid) & out_parts < 9'd128;
  assign missed = state == LookUp & ~hit & can_miss;
  assign look_up_done = state == LookUp & (hit | can_miss);
  assign hit_push = state == LookUp & (hit ? ~joined : can_miss & whole);

  firesim_cache_sets #(
      .BLOCK_BITS(BlockBits),
      .SETS_LOG2(SETS_LOG2),
      .WAYS(WAYS)
  ) sets (
      .clock,
      .start,
      .ready(sets_ready),
      .settings,
      .read(state == Read),
      .block,
      .filling,
      .hit,
      .hit_way,
      .hit_dirty,
      .victim_valid,
      .victim,
      .victim_used,
      .victim_dirty,
      .victim_block,
      .write(look_up_done),
      .write_way(hit ? hit_way : victim),
      .write_dirty(hit ? hit_dirty | write : write)
  );
  firesim_cache_misses #(
      .BLOCK_BITS(BlockBits),
      .TAG_BITS(TAG_BITS),
      .WAYS(WAYS),
      .MSHRS(MSHRS)
  ) miss_registers (
      .clock,
      .start,
      .settings,
      .block,
      .filling,
      .joined,
      .free_valid,
      .free,
      .none_busy,
      .allocate(missed & ~whole),
      .allocate_way(victim),
      .allocate_parts(block_parts),
      .joins(state == LookUp & hit & joined),
      .tag,
      .part_valid(below_done_valid),
      .part_ready(fill_ready),
      .part_mshr(below_done_tag),
      .finished(fill_done),
      .done_valid(fill_tag_valid),
      .done_ready,
      .done_tag(fill_tag),
      .busy(fill_busy)
  );
  assign below_done_ready = fill_ready;
  assign done_valid = fill_tag_valid | (state == Hits & hit_is_due);
  assign done_tag = fill_tag_valid ? fill_tag : hit_tag;
  assign hit_pop = state == Hits & hit_is_due & done_ready;

  assign out_push = (state == Fill & fills) | (state == Evict & evicts);
  always_comb begin
    out_new.due = now + settings.hit_latency;
    out_new.block = state == Fill ? fill_block : evicted;
    out_new.write = state == Evict;
    out_new.mshr = fill_mshr;
  end
  logic can_send, can_look_up;
  assign can_send = out_valid & out_head.due <= now & below_room;
  assign below_valid = state == Out & out_settled & below_ready & can_send;
  assign below_write = out_head.write;
  assign below_tag = out_head.mshr;
  assign below_address = (ADDRESS_BITS'(out_head.block) << settings.block_log2) |
      (ADDRESS_BITS'(part) << PART_LOG2);
  assign out_pop = below_valid & part + 7'd1 == block_parts;
  assign can_look_up = ~waiting_empty & ~blocked & ~looked;

  // A cycle in which nothing can happen here takes one host cycle.
  logic quiet;
  assign quiet = waiting_empty & hit_empty & out_empty & none_busy;
  assign ready = state == Idle & below_ready;
  assign below_step = (step & quiet) | state == Step;

  always_ff @(posedge clock) begin
    if (reset) state <= Off;
    else begin
      if (request_valid != look_up_done) waiting <= request_valid ? waiting + 5'd1 : waiting - 5'd1;
      if (fill_done) blocked <= 1'b0;
      out_parts <= out_parts + (out_push ? 9'(block_parts) : 9'd0) - 9'(below_valid);
      case (state)
        Off:
        if (start) begin
          now <= '0;
          waiting <= '0;
          looked <= 1'b0;
          blocked <= 1'b0;
          out_parts <= '0;
          part <= '0;
          hits <= '0;
          misses <= '0;
          writebacks <= '0;
          state <= Sent;
        end
        Idle:
        if (step) begin
          if (quiet) begin
            now <= next;
            looked <= 1'b0;
          end else begin
            before_step <= 1'b1;
            state <= can_look_up ? Read : Step;
          end
        end
        Read: if (waiting_valid) state <= LookUp;
        LookUp: begin
          looked <= look_up_done;
          blocked <= ~look_up_done;
          fills <= missed & ~whole;
          evicts <= missed & victim_dirty;
          fill_mshr <= free;
          fill_block <= block;
          evicted <= victim_block;
          if (hit & ~joined) hits <= hits + 1'b1;
          if (missed | (hit & joined)) misses <= misses + 1'b1;
          if (missed & victim_dirty) writebacks <= writebacks + 1'b1;
          state <= missed ? Fill : Looked;
        end
        Fill: state <= Evict;
        Evict: state <= Looked;
        Looked: state <= before_step ? Step : Out;
        Step: begin
          now <= next;
          looked <= 1'b0;
          before_step <= 1'b0;
          state <= Below;
        end
        // The next cycle: fills, then hits, then a look-up, then what goes below.
        Below: if (below_ready & ~below_done_valid & ~fill_busy) state <= Hits;
        Hits:
        if (hit_settled & ~hit_is_due & ~fill_tag_valid) state <= can_look_up ? Read : Out;
        Out:
        if (out_settled & below_ready) begin
          if (can_send) begin
            part <= out_pop ? '0 : part + 7'd1;
            blocked <= 1'b0;
          end else state <= can_look_up ? Read : Idle;
        end
        // After `start`, when all sets are empty.
        Sent: if (sets_ready & below_ready) state <= Idle;
        default: state <= Off;
      endcase
    end
  end
endmodule
