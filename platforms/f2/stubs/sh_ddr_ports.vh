// SPDX-License-Identifier: BSD-3-Clause
// Ports of `sh_ddr` by the interface of AWS's kit.
  input wire clk, input wire rst_n, input wire stat_clk, input wire stat_rst_n,
`ifdef FIRESIM_SIMULATED_DIMM  // Two of the DIMM's pins carry accesses of ours (dimm.sv).
  input wire [575:0] CLK_DIMM_DP, output wire [831:0] M_MA,
`else
  input wire CLK_DIMM_DP, output wire [17:0] M_MA,
`endif
  input wire CLK_DIMM_DN, output wire M_ACT_N,
  output wire [1:0] M_BA, output wire [1:0] M_BG, output wire [1:0] M_CKE, output wire [1:0] M_ODT,
  output wire [1:0] M_CS_N, output wire [1:0] M_CLK_DN, output wire [1:0] M_CLK_DP,
  output wire M_PAR, inout wire [63:0] M_DQ, inout wire [7:0] M_ECC, inout wire [17:0] M_DQS_DP,
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
  output wire sh_cl_ddr_is_ready
