// SPDX-License-Identifier: BSD-3-Clause
// What top.sv uses of AWS's kit and of AMD's cells, for checks without them: the ports of `sh_ddr` by the
// kit's interface, those of the clocks by UG974. The clock passes through, so that the top simulates.
module sh_ddr #(parameter DDR_PRESENT = 0) (
  input wire clk, input wire rst_n, input wire stat_clk, input wire stat_rst_n,
  input wire CLK_DIMM_DP, input wire CLK_DIMM_DN, output wire M_ACT_N, output wire [17:0] M_MA,
  output wire [1:0] M_BA, output wire [1:0] M_BG, output wire [1:0] M_CKE, output wire [1:0] M_ODT,
  output wire [1:0] M_CS_N, output wire [1:0] M_CLK_DN, output wire [1:0] M_CLK_DP,
  output wire M_PAR, inout wire [63:0] M_DQ, inout wire [7:0] M_ECC, inout wire [17:0] M_DQS_DP,
  inout wire [17:0] M_DQS_DN, output wire cl_RST_DIMM_N);
endmodule

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
