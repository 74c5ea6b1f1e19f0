// SPDX-License-Identifier: BSD-3-Clause
// Registers of the bridges whose host's side is in RTL: each has an address space of 64-bit words of
// its own, which the control registers 0x80 to 0x8c reach. A write to 0x8c is one of both halves.
module firesim_bridge_registers #(parameter PARTS = 1) (
  input wire host_clock,
  input wire write, input wire [7:0] awaddr, input wire [31:0] wdata, input wire [7:0] araddr,
  output reg [31:0] found,
  output reg [15:0] part_at, output wire [PARTS-1:0] part_writes, output wire [63:0] part_value,
  input wire [64*PARTS-1:0] part_found
);
  reg [7:0] part;
  reg [31:0] low;
  initial begin part = 8'd0; part_at = 16'd0; low = 32'd0; end
  always @(posedge host_clock)
    if (write)
      case (awaddr)
        8'h80: part <= wdata[7:0];
        8'h84: part_at <= wdata[15:0];
        8'h88: low <= wdata;
        default: ;
      endcase
  assign part_value = {wdata, low};

  reg [63:0] value;
  integer k;
  always @* begin
    value = 64'd0;
    for (k = 0; k < PARTS; k = k + 1) if (part == k) value = part_found[64*k +: 64];
    case (araddr)
      8'h88: found = value[31:0];
      8'h8c: found = value[63:32];
      default: found = 32'd0;
    endcase
  end

  genvar i;
  generate
    for (i = 0; i < PARTS; i = i + 1) begin : each
      assign part_writes[i] = write & awaddr == 8'h8c & part == i;
    end
  endgenerate
endmodule
