// SPDX-License-Identifier: BSD-3-Clause
// Main memory over AXI4 for two clients, one access at a time; the first client goes before the
// second. A client asks until it is done; in the cycle after that it may ask again.
module MemoryPort (
    input clock,
    input reset,
    input [1:0] asks,
    input [1:0] writes,
    input [1:0][31:0] address,
    input [1:0][63:0] data,
    input [1:0][7:0] strobe,
    output [1:0] done,
    output [63:0] answer,
    output aw_valid,
    input aw_ready,
    output [31:0] aw_addr,
    output w_valid,
    input w_ready,
    output [63:0] w_data,
    output [7:0] w_strb,
    input b_valid,
    output b_ready,
    input [1:0] b_resp,
    output ar_valid,
    input ar_ready,
    output [31:0] ar_addr,
    input r_valid,
    output r_ready,
    input [63:0] r_data,
    input [1:0] r_resp
);
  logic busy, who, addressed, sent;
  wire is_write = writes[who];
  wire finished = busy && (is_write ? b_valid : r_valid);

  assign aw_valid = busy && is_write && !addressed;
  assign w_valid = busy && is_write && !sent;
  assign ar_valid = busy && !is_write && !addressed;
  assign aw_addr = {address[who][31:3], 3'd0};
  assign ar_addr = aw_addr;
  assign w_data = data[who];
  assign w_strb = strobe[who];
  assign b_ready = busy;
  assign r_ready = busy;
  assign done = {finished && who, finished && !who};
  assign answer = r_data;

  always_ff @(posedge clock) begin
    if (reset) busy <= 1'b0;
    else if (!busy) begin
      busy <= |asks;
      who <= !asks[0];
      addressed <= 1'b0;
      sent <= 1'b0;
    end else begin
      if (is_write ? aw_ready : ar_ready) addressed <= 1'b1;
      if (w_ready) sent <= 1'b1;
      if (finished) busy <= 1'b0;
    end
  end

`ifndef SYNTHESIS
  always @(posedge clock) begin
    if (!reset && finished && (is_write ? b_resp : r_resp) != 2'd0) $fatal;
  end
`endif
endmodule
