// SPDX-License-Identifier: BSD-3-Clause
// The host's sides of COUNT blades, for the top of a board: registers (AXI4-Lite) and two streams of
// words for each, blade 0 lowest. FIRESIM_HOST is the host's side of a form. With FIRESIM_SUPERNODE it
// is that of a supernode, in which all blades are already; else each blade has its own. With
// FIRESIM_DRAM each has a port to its memory, too.
module firesim_blades #(parameter COUNT = 1) (
  input wire host_clock, input wire host_reset,
  input wire [8*COUNT-1:0] awaddr, input wire [COUNT-1:0] awvalid,
  output wire [COUNT-1:0] awready, input wire [32*COUNT-1:0] wdata,
  input wire [COUNT-1:0] wvalid, output wire [COUNT-1:0] wready,
  output wire [2*COUNT-1:0] bresp, output wire [COUNT-1:0] bvalid, input wire [COUNT-1:0] bready,
  input wire [8*COUNT-1:0] araddr, input wire [COUNT-1:0] arvalid,
  output wire [COUNT-1:0] arready, output wire [32*COUNT-1:0] rdata,
  output wire [2*COUNT-1:0] rresp, output wire [COUNT-1:0] rvalid, input wire [COUNT-1:0] rready,
`ifdef FIRESIM_DRAM
  output wire [COUNT-1:0] ask_valid, input wire [COUNT-1:0] ask_ready,
  output wire [COUNT-1:0] ask_write, output wire [COUNT-1:0] ask_row,
  output wire [40*COUNT-1:0] ask_address, output wire [64*COUNT-1:0] ask_data,
  output wire [8*COUNT-1:0] ask_strobe, input wire [COUNT-1:0] answer_valid,
  input wire [64*COUNT-1:0] answer_data,
`endif
  input wire [COUNT-1:0] down_valid, output wire [COUNT-1:0] down_ready,
  input wire [64*COUNT-1:0] down_data,
  output wire [COUNT-1:0] up_valid, input wire [COUNT-1:0] up_ready,
  output wire [64*COUNT-1:0] up_data
);
`ifdef FIRESIM_SUPERNODE
  localparam SIDES = 1, EACH = COUNT;
`else
  localparam SIDES = COUNT, EACH = 1;
`endif
  genvar index;
  generate for (index = 0; index < SIDES; index = index + 1) begin : blade
    `FIRESIM_HOST host (
      .host_clock(host_clock), .host_reset(host_reset),
      .axil_awaddr(awaddr[8*EACH*index +: 8*EACH]), .axil_awvalid(awvalid[EACH*index +: EACH]),
      .axil_awready(awready[EACH*index +: EACH]), .axil_wdata(wdata[32*EACH*index +: 32*EACH]),
      .axil_wvalid(wvalid[EACH*index +: EACH]), .axil_wready(wready[EACH*index +: EACH]),
      .axil_bresp(bresp[2*EACH*index +: 2*EACH]), .axil_bvalid(bvalid[EACH*index +: EACH]),
      .axil_bready(bready[EACH*index +: EACH]), .axil_araddr(araddr[8*EACH*index +: 8*EACH]),
      .axil_arvalid(arvalid[EACH*index +: EACH]), .axil_arready(arready[EACH*index +: EACH]),
      .axil_rdata(rdata[32*EACH*index +: 32*EACH]), .axil_rresp(rresp[2*EACH*index +: 2*EACH]),
      .axil_rvalid(rvalid[EACH*index +: EACH]), .axil_rready(rready[EACH*index +: EACH]),
`ifdef FIRESIM_DRAM
      .mem0_request_valid(ask_valid[EACH*index +: EACH]),
      .mem0_request_ready(ask_ready[EACH*index +: EACH]),
      .mem0_request_write(ask_write[EACH*index +: EACH]),
      .mem0_request_row(ask_row[EACH*index +: EACH]),
      .mem0_request_address(ask_address[40*EACH*index +: 40*EACH]),
      .mem0_request_data(ask_data[64*EACH*index +: 64*EACH]),
      .mem0_request_strobe(ask_strobe[8*EACH*index +: 8*EACH]),
      .mem0_response_valid(answer_valid[EACH*index +: EACH]),
      .mem0_response_data(answer_data[64*EACH*index +: 64*EACH]),
`endif
      .down_valid(down_valid[EACH*index +: EACH]), .down_ready(down_ready[EACH*index +: EACH]),
      .down_data(down_data[64*EACH*index +: 64*EACH]), .up_valid(up_valid[EACH*index +: EACH]),
      .up_ready(up_ready[EACH*index +: EACH]), .up_data(up_data[64*EACH*index +: 64*EACH]));
  end endgenerate
endmodule
