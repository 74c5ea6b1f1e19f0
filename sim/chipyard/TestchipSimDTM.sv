// SPDX-License-Identifier: BSD-3-Clause
// TestchipSimDTM: SimDTM by its other name.
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
  SimDTM dtm (.*);
endmodule
