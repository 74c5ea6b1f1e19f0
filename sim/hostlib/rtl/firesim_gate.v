// SPDX-License-Identifier: BSD-3-Clause
// Which tokens of a bridge the host is told of: those of a window that the target itself opens and
// closes.
//
// In a cycle with `when`, one of FIELDS fields decides: it opens a closed window if it has the bits
// of `start`, and closes an open one if it has those of `stop`, each where its mask has ones.
// `passes` is 1 for a token within the window, and for the one that closes it, so that who hears
// of these knows whether it is open. A gate that is not `gating` passes all.
//
// Written, 32 bits each: at 8 bit 0 gating, bit 1 open, bits 15:8 the field; at 0 to 7 in bits 2:1
// start, its mask, stop, its mask, and in bit 0 the half. The target stands meanwhile.
module firesim_gate #(parameter WIDTH = 64, parameter FIELDS = 1) (
  input wire host_clock, input wire host_reset,
  input wire write, input wire [3:0] at, input wire [31:0] value,
  // A token at the end of its queue; `next` takes it.
  input wire next, input wire when, input wire [WIDTH*FIELDS-1:0] fields,
  output reg gating, output reg open, output wire passes
);
  reg [7:0] field;
  reg [63:0] start, start_mask, stop, stop_mask;
  initial begin
    gating = 1'b0; open = 1'b0; field = 8'd0;
    start = 64'd0; start_mask = 64'd0; stop = 64'd0; stop_mask = 64'd0;
  end

  reg [WIDTH-1:0] chosen;
  integer k;
  always @* begin
    chosen = fields[WIDTH-1:0];
    for (k = 1; k < FIELDS; k = k + 1) if (field == k) chosen = fields[WIDTH*k +: WIDTH];
  end
  wire starts = (chosen & start_mask[WIDTH-1:0]) == start[WIDTH-1:0];
  wire stops = (chosen & stop_mask[WIDTH-1:0]) == stop[WIDTH-1:0];
  wire after = when ? (open ? ~stops : starts) : open;
  assign passes = ~gating | open | after;

  always @(posedge host_clock) begin
    if (host_reset) begin
      gating <= 1'b0;
      open <= 1'b0;
    end else if (write & at[3]) begin
      gating <= value[0];
      open <= value[1];
    end else if (next & gating) open <= after;
    if (write & at[3]) field <= value[15:8];
    if (write & at == 4'd0) start[31:0] <= value;
    if (write & at == 4'd1) start[63:32] <= value;
    if (write & at == 4'd2) start_mask[31:0] <= value;
    if (write & at == 4'd3) start_mask[63:32] <= value;
    if (write & at == 4'd4) stop[31:0] <= value;
    if (write & at == 4'd5) stop[63:32] <= value;
    if (write & at == 4'd6) stop_mask[31:0] <= value;
    if (write & at == 4'd7) stop_mask[63:32] <= value;
  end
endmodule
