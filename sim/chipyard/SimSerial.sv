// SPDX-License-Identifier: BSD-3-Clause
// SimSerial: what SimTSI was called until Chipyard 1.9, with other names of ports.
module SimSerial (
    input clock,
    input reset,
    input serial_out_valid,
    output serial_out_ready,
    input [31:0] serial_out_bits,
    output serial_in_valid,
    input serial_in_ready,
    output [31:0] serial_in_bits,
    output [31:0] exit
);
  firesim_tsi tsi (
      .clock,
      .reset,
      .out_valid(serial_out_valid),
      .out_ready(serial_out_ready),
      .out_bits(serial_out_bits),
      .in_valid(serial_in_valid),
      .in_ready(serial_in_ready),
      .in_bits(serial_in_bits)
  );
  assign exit = 32'd0;
endmodule
