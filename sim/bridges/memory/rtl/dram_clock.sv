// SPDX-License-Identifier: BSD-3-Clause
// DRAM cycles begun by a target cycle, exactly: floor(cycle * dram / target) without a division.
// `later` is the same some target cycles later, which is when completions count.
module firesim_dram_clock
  import firesim_memory_pkg::*;
#(
    parameter int TIME_BITS = 48
) (
    input logic clock,
    input logic start,
    input logic step,
    input dram_settings_t settings,
    output logic [TIME_BITS-1:0] now,
    output logic [TIME_BITS-1:0] now_next,  // after a step
    output logic [TIME_BITS-1:0] later,
    output logic [TIME_BITS-1:0] later_next
);
  logic [19:0] phase, later_phase, delay;
  logic [20:0] sum, later_sum;
  logic carry, later_carry;
  assign sum = {1'b0, phase} + settings.ratio_part;
  assign carry = sum >= settings.ratio_target;
  assign now_next = now + settings.ratio_whole + carry;
  assign later_sum = {1'b0, later_phase} + settings.ratio_part;
  assign later_carry = later_sum >= settings.ratio_target;
  assign later_next = delay != 0 ? later : later + settings.ratio_whole + later_carry;

  always_ff @(posedge clock)
    if (start) begin
      now <= '0;
      later <= '0;
      phase <= '0;
      later_phase <= '0;
      delay <= settings.backend_latency;
    end else if (step) begin
      now <= now_next;
      phase <= 20'(carry ? sum - settings.ratio_target : sum);
      later <= later_next;
      if (delay != 0) delay <= delay - 20'd1;
      else later_phase <= 20'(later_carry ? later_sum - settings.ratio_target : later_sum);
    end
endmodule
