// SPDX-License-Identifier: BSD-3-Clause
// AWS's `sh_ddr` in a simulation: what the custom logic asks for leaves by the pins M_MA, and answers
// come by CLK_DIMM_DP, both as the simulated shell has them (simulator/board/f2_dimm.cc), 64 bits of
// M_MA and CLK_DIMM_DP each. Nothing is kept here. A burst that is not one beat of 64 bytes is told,
// too, so that the shell can refuse it.
module sh_ddr #(parameter DDR_PRESENT = 0) (
  input wire clk, input wire rst_n, input wire stat_clk, input wire stat_rst_n,
  input wire [575:0] CLK_DIMM_DP, input wire CLK_DIMM_DN, output wire M_ACT_N,
  output wire [831:0] M_MA, output wire [1:0] M_BA, output wire [1:0] M_BG,
  output wire [1:0] M_CKE, output wire [1:0] M_ODT, output wire [1:0] M_CS_N,
  output wire [1:0] M_CLK_DN, output wire [1:0] M_CLK_DP, output wire M_PAR,
  inout wire [63:0] M_DQ, inout wire [7:0] M_ECC, inout wire [17:0] M_DQS_DP,
  inout wire [17:0] M_DQS_DN, output wire cl_RST_DIMM_N,
  input wire [15:0] cl_sh_ddr_axi_awid, input wire [63:0] cl_sh_ddr_axi_awaddr,
  input wire [7:0] cl_sh_ddr_axi_awlen, input wire [2:0] cl_sh_ddr_axi_awsize,
  input wire cl_sh_ddr_axi_awvalid, input wire [1:0] cl_sh_ddr_axi_awburst,
  input wire cl_sh_ddr_axi_awuser, output wire cl_sh_ddr_axi_awready,
  input wire [511:0] cl_sh_ddr_axi_wdata, input wire [63:0] cl_sh_ddr_axi_wstrb,
  input wire cl_sh_ddr_axi_wlast, input wire cl_sh_ddr_axi_wvalid,
  output wire cl_sh_ddr_axi_wready, output wire [15:0] cl_sh_ddr_axi_bid,
  output wire [1:0] cl_sh_ddr_axi_bresp, output wire cl_sh_ddr_axi_bvalid,
  input wire cl_sh_ddr_axi_bready, input wire [15:0] cl_sh_ddr_axi_arid,
  input wire [63:0] cl_sh_ddr_axi_araddr, input wire [7:0] cl_sh_ddr_axi_arlen,
  input wire [2:0] cl_sh_ddr_axi_arsize, input wire cl_sh_ddr_axi_arvalid,
  input wire [1:0] cl_sh_ddr_axi_arburst, input wire cl_sh_ddr_axi_aruser,
  output wire cl_sh_ddr_axi_arready, output wire [15:0] cl_sh_ddr_axi_rid,
  output wire [511:0] cl_sh_ddr_axi_rdata, output wire [1:0] cl_sh_ddr_axi_rresp,
  output wire cl_sh_ddr_axi_rlast, output wire cl_sh_ddr_axi_rvalid,
  input wire cl_sh_ddr_axi_rready, input wire [7:0] sh_ddr_stat_bus_addr,
  input wire [31:0] sh_ddr_stat_bus_wdata, input wire sh_ddr_stat_bus_wr,
  input wire sh_ddr_stat_bus_rd, output wire sh_ddr_stat_bus_ack,
  output wire [31:0] sh_ddr_stat_bus_rdata, output wire [7:0] ddr_sh_stat_int,
  output wire sh_cl_ddr_is_ready);
  wire write_is_beat = cl_sh_ddr_axi_awlen == 8'd0 & cl_sh_ddr_axi_awsize == 3'd6 &
      cl_sh_ddr_axi_awburst == 2'b01 & (cl_sh_ddr_axi_wlast | ~cl_sh_ddr_axi_wvalid);
  wire read_is_beat = cl_sh_ddr_axi_arlen == 8'd0 & cl_sh_ddr_axi_arsize == 3'd6 &
      cl_sh_ddr_axi_arburst == 2'b01;
  wire [63:0] flags = {25'd0, DDR_PRESENT != 0, cl_sh_ddr_axi_awid, cl_sh_ddr_axi_arid, read_is_beat,
      write_is_beat, cl_sh_ddr_axi_rready, cl_sh_ddr_axi_arvalid, cl_sh_ddr_axi_bready,
      cl_sh_ddr_axi_wvalid};
  assign M_MA = {cl_sh_ddr_axi_wdata, cl_sh_ddr_axi_wstrb, cl_sh_ddr_axi_araddr,
      cl_sh_ddr_axi_awaddr, {63'd0, cl_sh_ddr_axi_awvalid}, flags};
  assign {cl_sh_ddr_axi_rid, cl_sh_ddr_axi_bid, sh_cl_ddr_is_ready, cl_sh_ddr_axi_rvalid,
      cl_sh_ddr_axi_arready, cl_sh_ddr_axi_bvalid, cl_sh_ddr_axi_wready,
      cl_sh_ddr_axi_awready} = CLK_DIMM_DP[37:0];
  assign cl_sh_ddr_axi_rdata = CLK_DIMM_DP[575:64];
  assign {cl_sh_ddr_axi_bresp, cl_sh_ddr_axi_rresp} = CLK_DIMM_DP[41:38];
  assign cl_sh_ddr_axi_rlast = 1'b1;
  // The shell of a simulation trains nothing.
  assign {sh_ddr_stat_bus_ack, sh_ddr_stat_bus_rdata, ddr_sh_stat_int} = {1'b1, 40'd0};
endmodule
