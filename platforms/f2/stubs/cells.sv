// SPDX-License-Identifier: BSD-3-Clause
// What top.sv uses of AWS's kit and of AMD's cells, for checks without them: the ports of `sh_ddr` by the
// kit's interface, those of the clocks by UG974. The clock passes through, so that the top simulates; with
// FIRESIM_TWO_CLOCKS the host's clock is another one, which the simulation brings.
`ifndef FIRESIM_SIMULATED_DIMM
module sh_ddr #(parameter DDR_PRESENT = 0) (
  `include "sh_ddr_ports.vh"
);
endmodule
`endif

module MMCME4_BASE #(
  parameter real CLKIN1_PERIOD = 0.0, parameter real CLKFBOUT_MULT_F = 5.0,
  parameter real CLKOUT0_DIVIDE_F = 1.0
) (
`ifdef FIRESIM_TWO_CLOCKS
  input wire SIMULATED,
`endif
  input wire CLKIN1, input wire CLKFBIN, output wire CLKFBOUT, input wire RST, input wire PWRDWN,
  output wire CLKOUT0, output wire LOCKED);
`ifdef FIRESIM_TWO_CLOCKS
  assign CLKOUT0 = SIMULATED;
`else
  assign CLKOUT0 = CLKIN1;
`endif
  assign CLKFBOUT = CLKIN1;
  assign LOCKED = ~RST & ~PWRDWN;
endmodule

module BUFG (input wire I, output wire O);
  assign O = I;
endmodule
