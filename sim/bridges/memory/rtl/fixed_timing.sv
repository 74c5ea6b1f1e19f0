// SPDX-License-Identifier: BSD-3-Clause
// fixed_timing.h in RTL: every access is done a fixed number of target cycles after it arrived.
//
// The port of every timing model: while `ready`, the host may give accesses of this target cycle
// as long as there is `room`, or end the cycle with `step`. What is done by the next cycle comes out
// at `done`, one a host cycle that `done_ready` takes, before `ready` is back. `request_silent`
// marks an access that nobody waits for.
module firesim_fixed_timing #(
    parameter int TAG_BITS = 12
) (
    input logic clock,
    input logic reset,
    input logic [19:0] latency,
    output logic ready,
    output logic room,
    input logic request_valid,
    input logic request_silent,
    input logic [TAG_BITS-1:0] request_tag,
    input logic step,
    output logic done_valid,
    input logic done_ready,
    output logic [TAG_BITS-1:0] done_tag
);
  logic [19:0] now, next, due;
  logic draining, head_valid, empty, full, silent, is_due, pop;
  assign next = now + 20'd1;
  assign ready = ~draining;
  assign room = ~full;
  // What is pending is due within the latency, less than 2^20 cycles, so equality is enough.
  assign is_due = draining & head_valid & due == now;
  assign done_valid = is_due & ~silent;
  assign pop = is_due & (silent | done_ready);

  // 1,024 pending accesses, as in C++.
  firesim_memory_queue #(
      .WIDTH(20 + 1 + TAG_BITS),
      .DEPTH_LOG2(10)
  ) pending (
      .clock,
      .reset,
      .push(request_valid),
      .push_data({now + latency, request_silent, request_tag}),
      .pop,
      .head({due, silent, done_tag}),
      .head_valid,
      .settled(),
      .empty,
      .full
  );

  always_ff @(posedge clock)
    if (reset) begin
      now <= '0;
      draining <= 1'b0;
    end else if (step) begin
      now <= next;
      draining <= ~empty & ~(head_valid & due != next);
    end else if (draining) begin
      if (empty | (head_valid & due != now)) draining <= 1'b0;
    end
endmodule
