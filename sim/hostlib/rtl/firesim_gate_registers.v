// SPDX-License-Identifier: BSD-3-Clause
// Registers of the gates (firesim_gate.v): 0x90 says how many there are, and 0 where a host's side
// has none; 0x94 chooses one by bits 15:8 and an address of it by bits 3:0; a write to 0x98 goes
// there. Read, 0x98 says of the one chosen in bit 0 whether it is gating, in bit 1 whether open.
module firesim_gate_registers #(parameter GATES = 1) (
  input wire host_clock,
  input wire write, input wire [7:0] awaddr, input wire [31:0] wdata, input wire [7:0] araddr,
  input wire [31:0] beyond,  // what an address that is none of these reads as
  output reg [31:0] found,
  output wire [3:0] gate_at, output wire [GATES-1:0] gate_writes,
  input wire [GATES-1:0] gating, input wire [GATES-1:0] open
);
  reg [7:0] gate;
  reg [3:0] at;
  initial begin gate = 8'd0; at = 4'd0; end
  always @(posedge host_clock)
    if (write & awaddr == 8'h94) begin
      gate <= wdata[15:8];
      at <= wdata[3:0];
    end
  assign gate_at = at;

  wire [GATES-1:0] chosen;
  always @*
    case (araddr)
      8'h90: found = GATES;
      8'h98: found = {30'd0, |(open & chosen), |(gating & chosen)};
      default: found = beyond;
    endcase

  genvar i;
  generate
    for (i = 0; i < GATES; i = i + 1) begin : each
      assign chosen[i] = gate == i;
      assign gate_writes[i] = write & awaddr == 8'h98 & chosen[i];
    end
  endgenerate
endmodule
