// SPDX-License-Identifier: BSD-3-Clause
// The bridge `uart` on any clock of the target. `out` is what the target says.
module firesim_console (
    input clock,
    input reset,
    input out_valid,
    output out_ready,
    input [7:0] out_bits,
    output in_valid,
    input in_ready,
    output [7:0] in_bits
);
  wire host_clock, host_out_valid, host_in_valid, host_in_ready;
  wire [7:0] host_out_bits, host_in_bits;
  firesim_crossing #(.BITS(8)) crossing (.*);
  FireSimUARTBridge bridge (
      .clock(host_clock),
      .reset,
      .out_valid(host_out_valid),
      .out_bits(host_out_bits),
      .in_valid(host_in_valid),
      .in_bits(host_in_bits),
      .in_ready(host_in_ready)
  );
endmodule
