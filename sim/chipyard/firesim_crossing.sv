// SPDX-License-Identifier: BSD-3-Clause
// Words between a target on any of its clocks and a bridge, which stands on the simulation's clock.
// `out` is what the target says, `in` what it is told. The target sees its own clock alone.
//
// The simulation's clock is the fastest one and rises whenever the target's does. So a change of
// `said` is seen before the next word can be there, and the target's words are always taken; words
// for the target go one at a time. Each word is a change of a bit on one side, which the other side
// compares with the last one that it has seen.
module firesim_crossing #(
    parameter int BITS = 32
) (
    input clock,
    input reset,
    input out_valid,
    output out_ready,
    input [BITS-1:0] out_bits,
    output in_valid,
    input in_ready,
    output [BITS-1:0] in_bits,
    output host_clock,
    output host_out_valid,
    output [BITS-1:0] host_out_bits,
    input host_in_valid,
    output host_in_ready,
    input [BITS-1:0] host_in_bits
);
  logic said, heard, offered, taken;
  logic [BITS-1:0] out_word, in_word;
  FireSimClockSource host_clock_source (.clock(host_clock));

  always_ff @(posedge clock) begin
    if (reset) begin
      said  <= 1'b0;
      taken <= 1'b0;
    end else begin
      if (out_valid) begin
        said <= ~said;
        out_word <= out_bits;
      end
      if (in_valid && in_ready) taken <= offered;
    end
  end
  always_ff @(posedge host_clock) begin
    if (reset) begin
      heard   <= 1'b0;
      offered <= 1'b0;
    end else begin
      heard <= said;
      if (host_in_valid && host_in_ready) begin
        offered <= ~offered;
        in_word <= host_in_bits;
      end
    end
  end
  assign out_ready = !reset;
  assign host_out_valid = !reset && said != heard;
  assign host_out_bits = out_word;
  assign host_in_ready = !reset && offered == taken;
  assign in_valid = !reset && offered != taken;
  assign in_bits = in_word;
endmodule
