// SPDX-License-Identifier: BSD-3-Clause
// SimUART: the far end of the first serial line, byte by byte, as our bridge `uart`. A blade has one
// console, so further lines are open at their end: what they send is taken, and nothing comes.
module SimUART #(
    parameter UARTNO = 0,
    parameter FORCEPTY = 0
) (
    input clock,
    input reset,
    input serial_out_valid,
    output serial_out_ready,
    input [7:0] serial_out_bits,
    output serial_in_valid,
    input serial_in_ready,
    output [7:0] serial_in_bits
);
  if (UARTNO == 0) begin : first
    firesim_console console (
        .clock,
        .reset,
        .out_valid(serial_out_valid),
        .out_ready(serial_out_ready),
        .out_bits(serial_out_bits),
        .in_valid(serial_in_valid),
        .in_ready(serial_in_ready),
        .in_bits(serial_in_bits)
    );
  end else begin : further
    assign serial_out_ready = 1'b1;
    assign serial_in_valid = 1'b0;
    assign serial_in_bits = 8'd0;
  end
endmodule
