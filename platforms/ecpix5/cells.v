// SPDX-License-Identifier: BSD-3-Clause
// Cells of the ECP5 that the board's top and LiteEth's core have: their ports for synthesis, which
// knows the cells itself, and models for a simulated board (FIRESIM_GMII). There the oscillator passes the
// host's clock on; Ethernet's is another one, with a byte in each of its cycles.
`ifdef FIRESIM_GMII
`define FIRESIM_CELL
`else
`define FIRESIM_CELL (* blackbox *)
`endif
`FIRESIM_CELL module EHXPLLL #(
  parameter CLKI_DIV = 1, parameter CLKFB_DIV = 1, parameter CLKOP_ENABLE = "ENABLED",
  parameter CLKOP_DIV = 8, parameter CLKOP_CPHASE = 0, parameter FEEDBK_PATH = "CLKOP"
) (
  input wire CLKI, input wire CLKFB, output wire CLKOP, output wire LOCK, input wire RST,
  input wire STDBY, input wire PHASESEL0, input wire PHASESEL1, input wire PHASEDIR,
  input wire PHASESTEP, input wire PHASELOADREG, input wire PLLWAKESYNC, input wire ENCLKOP
);
`ifdef FIRESIM_GMII
  assign CLKOP = CLKI;
  assign LOCK = ~STDBY;
`endif
endmodule

// Its preset is not asynchronous in the model: it comes and goes with its clock.
`FIRESIM_CELL module FD1S3BX (input wire CK, input wire D, input wire PD, output reg Q);
`ifdef FIRESIM_GMII
  initial Q = 1'b1;
  always @(posedge CK) Q <= D | PD;
`endif
endmodule

// In the model it only makes a clock that leaves the chip, which nobody looks at.
`FIRESIM_CELL module ODDRX1F (input wire D0, input wire D1, input wire SCLK, output wire Q);
`ifdef FIRESIM_GMII
  assign Q = D1;
`endif
endmodule

// Nobody is on the PHY's management line in the model.
`FIRESIM_CELL module TRELLIS_IO #(parameter DIR = "BIDIR") (
  inout wire B, input wire I, input wire T, output wire O
);
`ifdef FIRESIM_GMII
  assign O = 1'b1;
`endif
endmodule

`ifdef FIRESIM_GMII
// LiteEth's GMII has a buffer of AMD's on its clock.
module BUFG (input wire I, output wire O);
  assign O = I;
endmodule
`else
(* blackbox *) module IDDRX1F (input wire D, input wire SCLK, output wire Q0, output wire Q1);
endmodule

(* blackbox *) module DELAYG #(parameter DEL_MODE = "USER_DEFINED", parameter DEL_VALUE = 0) (
  input wire A, output wire Z
);
endmodule
`endif
