// SPDX-License-Identifier: BSD-3-Clause
// What top.sv uses of AWS's kit and of AMD's cells, for checks without them: the ports of `sh_ddr` by the
// kit's interface, those of the clocks by UG974. The clock passes through, so that the top simulates.
// With FIRESIM_AWS_KIT the kit's own `sh_ddr` is read.
`ifndef FIRESIM_SIMULATED_DIMM
`ifndef FIRESIM_AWS_KIT
module sh_ddr #(parameter DDR_PRESENT = 0) (
  `include "sh_ddr_ports.vh"
);
endmodule
`endif
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
