// SPDX-License-Identifier: BSD-3-Clause
// The outstanding bursts of one direction: Direction and Transaction of memory_driver.h.
//
// `look` chooses the burst that the look_* outputs are of, and that `arrive` and `done` are about.
// The bursts lie in a list by age. A walk over it finds the oldest one that may be answered: of
// those with one id only the oldest may. `choose` takes it as the one that is answered, until
// `finish`.
module firesim_memory_direction
  import firesim_burst_pkg::*;
#(
    parameter int READS = 1,
    parameter int SLOTS_LOG2 = 5,
    parameter int ID_BITS = 4,
    parameter int ADDRESS_BITS = 32
) (
    input logic clock,
    input logic reset,
    input logic [47:0] cycle,
    input logic [3:0] access_log2,
    input logic [8:0] most,
    output logic room,
    output logic empty,
    output logic any_ready,
    input logic begin_valid,
    input burst_t begin_burst,
    input logic [ID_BITS-1:0] begin_id,
    input logic begin_error,
    output logic [SLOTS_LOG2-1:0] begin_slot,
    input logic [SLOTS_LOG2-1:0] look,
    output burst_t look_burst,
    output logic [ID_BITS-1:0] look_id,
    output logic look_error,
    output logic [63:0] look_done,
    input logic arrive,
    input logic done,
    input logic [5:0] done_place,
    input logic walk_start,
    input logic walk,
    output logic [SLOTS_LOG2-1:0] walk_at,
    output logic found,
    output logic exhausted,
    input logic choose,
    output logic offers,
    output logic [SLOTS_LOG2-1:0] offering,
    input logic finish,
    input logic beat,
    output logic [4:0][47:0] counts  // bursts, beats, bytes, latency_sum, decode_errors
);
  localparam int Slots = 2 ** SLOTS_LOG2;
  typedef logic [SLOTS_LOG2-1:0] slot_t;

  // What is known of a burst.
  logic [ADDRESS_BITS+13+ID_BITS:0] infos[Slots];
  logic [63:0] dones[Slots];
  logic [6:0] lefts[Slots];  // accesses that are not done
  logic [47:0] arrivals[Slots];
  slot_t next[Slots];
  logic [Slots-1:0] used, is_ready;
  logic [ADDRESS_BITS-1:0] address;
  assign {look_error, look_id, look_burst.kind, look_burst.size, look_burst.len, address} =
      infos[look];
  assign look_burst.address = 64'(address);
  assign look_done = dones[look];

  slot_t head, tail, previous, offer_previous;
  logic [SLOTS_LOG2:0] count;
  logic at_head, offer_at_head;
  assign room = 9'(count) < most;
  assign empty = count == 0;
  assign any_ready = |is_ready;
  always_comb begin
    begin_slot = '0;
    for (int i = Slots - 1; i >= 0; --i) if (!used[i]) begin_slot = slot_t'(i);
  end

  logic [2**ID_BITS-1:0] seen;
  assign found = is_ready[walk_at] & ~seen[look_id];
  assign exhausted = ~found & walk_at == tail;

  logic becomes_ready;
  assign becomes_ready = READS != 0 ? done_place == burst_place(look_burst, 8'd0, access_log2) :
      lefts[look] == 7'd1;

  always_ff @(posedge clock) begin
    if (begin_valid) begin
      infos[begin_slot] <= {
        begin_error,
        begin_id,
        begin_burst.kind,
        begin_burst.size,
        begin_burst.len,
        begin_burst.address[ADDRESS_BITS-1:0]
      };
      counts[0] <= counts[0] + 48'd1;
      counts[2] <= counts[2] + 48'(burst_bytes(begin_burst));
      counts[4] <= counts[4] + 48'(begin_error);
    end
    // A burst begins in another host cycle than an access is done or a write arrives.
    if (begin_valid | done) begin
      dones[done?look : begin_slot] <= done ? look_done | 64'd1 << done_place : '0;
      lefts[done?look : begin_slot] <=
          done ? lefts[look] - 7'd1 : burst_accesses(begin_burst, access_log2);
    end
    if (READS != 0 ? begin_valid : arrive) arrivals[READS!=0?begin_slot : look] <= cycle;
    if (begin_valid & ~empty) next[tail] <= begin_slot;
    else if (finish & ~offer_at_head) next[offer_previous] <= next[offering];

    // A walk begins after the last burst of its cycle, and ends before one is finished.
    if (walk_start) begin
      walk_at <= head;
      at_head <= 1'b1;
      seen <= '0;
    end else if (walk & ~found) begin
      previous <= walk_at;
      walk_at <= next[walk_at];
      at_head <= 1'b0;
      seen[look_id] <= 1'b1;
    end
    if (choose) begin
      offering <= walk_at;
      offer_previous <= previous;
      offer_at_head <= at_head;
      counts[3] <= counts[3] + (cycle + 48'd1 - arrivals[walk_at]);
    end
    if (beat) counts[1] <= counts[1] + 48'd1;

    if (done & becomes_ready) is_ready[look] <= 1'b1;
    if (choose) is_ready[walk_at] <= 1'b0;
    if (begin_valid) begin
      used[begin_slot] <= 1'b1;
      tail <= begin_slot;
      if (empty) head <= begin_slot;
      count <= count + 1'b1;
    end else if (finish) begin
      used[offering] <= 1'b0;
      if (offer_at_head) head <= next[offering];
      if (offering == tail) tail <= offer_previous;
      count <= count - 1'b1;
    end
    offers <= choose | (offers & ~finish);
    if (reset) begin
      used <= '0;
      is_ready <= '0;
      count <= '0;
      offers <= 1'b0;
      counts <= '0;
    end
  end
endmodule
