// SPDX-License-Identifier: BSD-3-Clause
// TestchipSimDTM, as SimDTM: the host at the debug module's interface, by our bridge `tsi`. The bridge ends the node by
// itself, so the exit code that a test harness would look at stays 0.
module TestchipSimDTM (
    input clk,
    input reset,
    output debug_req_valid,
    input debug_req_ready,
    output [6:0] debug_req_bits_addr,
    output [1:0] debug_req_bits_op,
    output [31:0] debug_req_bits_data,
    input debug_resp_valid,
    output debug_resp_ready,
    input [1:0] debug_resp_bits_resp,
    input [31:0] debug_resp_bits_data,
    output [31:0] exit
);
  firesim_dmi dmi (
      .clock(clk),
      .reset,
      .req_valid(debug_req_valid),
      .req_ready(debug_req_ready),
      .req_addr(debug_req_bits_addr),
      .req_op(debug_req_bits_op),
      .req_data(debug_req_bits_data),
      .resp_valid(debug_resp_valid),
      .resp_ready(debug_resp_ready),
      .resp_bits(debug_resp_bits_resp),
      .resp_data(debug_resp_bits_data)
  );
  assign exit = 32'd0;
endmodule
