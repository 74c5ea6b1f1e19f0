// SPDX-License-Identifier: BSD-3-Clause
// Says which target cycle may get its tokens, one in each host cycle.
//
// In the host cycle in which the target runs a cycle (`step`) it is seen whether it stops after it:
// an output that may be answered wakes a driver (`answers`), or it is the last one before the
// limit. If not, the tokens of the next cycle go in at the same time, so that the target may run
// one in every host cycle. `stopped` is 1 when the host has been told all of a stop.
module firesim_pace (
  input wire host_clock, input wire host_reset,
  input wire run, input wire [47:0] run_limit,
  input wire step, input wire answers, input wire stopped,
  output wire issue, output wire [15:0] issue_cycle, output reg last, output wire stops,
  output reg running
);
  reg [47:0] cycle, limit;  // the cycle to be run next
  reg halted;
  initial begin
    cycle = 48'd0; limit = 48'd0; halted = 1'b0; last = 1'b0; running = 1'b0;
  end
  wire [47:0] following = cycle + 48'd1;

  assign stops = step & (answers | last);
  assign issue = running & ~halted & ~stops;
  assign issue_cycle = step ? following[15:0] : cycle[15:0];

  always @(posedge host_clock) begin
    if (host_reset) begin
      cycle <= 48'd0;
      halted <= 1'b0;
      running <= 1'b0;
    end else begin
      if (step) cycle <= following;
      halted <= ~run & (halted | stops);
      running <= run | (running & ~stopped);
    end
    if (run) limit <= run_limit;
    // Of the next host cycle, so that no comparison is on the way to the step.
    last <= (step ? cycle + 48'd2 : following) == limit;
  end
endmodule
