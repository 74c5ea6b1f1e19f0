// SPDX-License-Identifier: BSD-3-Clause
// The bridge `tsi` on any clock of the target. `out` is what the target says.
module firesim_tsi (
    input clock,
    input reset,
    input out_valid,
    output out_ready,
    input [31:0] out_bits,
    output in_valid,
    input in_ready,
    output [31:0] in_bits
);
  wire host_clock, host_out_valid, host_in_valid, host_in_ready;
  wire [31:0] host_out_bits, host_in_bits;
  firesim_crossing #(.BITS(32)) crossing (.*);
  FireSimTSIBridge bridge (
      .clock(host_clock),
      .reset,
      .out_valid(host_out_valid),
      .out_bits(host_out_bits),
      .in_valid(host_in_valid),
      .in_bits(host_in_bits),
      .in_ready(host_in_ready)
  );
endmodule
