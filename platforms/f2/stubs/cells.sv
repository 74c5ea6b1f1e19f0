// SPDX-License-Identifier: BSD-3-Clause
// What top.sv uses of AWS's kit and of AMD's cells, for checks without them: the ports of `sh_ddr` by the
// kit's interface, those of the clocks by UG974. The clock passes through, so that the top simulates.
`ifndef FIRESIM_SIMULATED_DIMM
module sh_ddr #(parameter DDR_PRESENT = 0) (
  input wire clk, input wire rst_n, input wire stat_clk, input wire stat_rst_n,
  input wire CLK_DIMM_DP, input wire CLK_DIMM_DN, output wire M_ACT_N, output wire [17:0] M_MA,
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
  output wire sh_cl_ddr_is_ready);
endmodule
`endif

module MMCME4_BASE #(
  parameter real CLKIN1_PERIOD = 0.0, parameter real CLKFBOUT_MULT_F = 5.0,
  parameter real CLKOUT0_DIVIDE_F = 1.0
) (
  input wire CLKIN1, input wire CLKFBIN, output wire CLKFBOUT, input wire RST, input wire PWRDWN,
  output wire CLKOUT0, output wire LOCKED);
  assign CLKOUT0 = CLKIN1;
  assign CLKFBOUT = CLKIN1;
  assign LOCKED = ~RST & ~PWRDWN;
endmodule

module BUFG (input wire I, output wire O);
  assign O = I;
endmodule
