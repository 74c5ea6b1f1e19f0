// SPDX-License-Identifier: BSD-3-Clause
// The host takes out the state of a target that stands, and puts another one in.
//
// While an operation is chosen, each word that comes down is answered by one that goes up. SHIFT: the
// chain moves by a word, the one from the host goes in, the one that falls out goes up. READ: the
// words of row after row of the point's memory go up, from the row given on; a row is fetched before
// its words. WRITE: the words that come down are row after row. SHOW: what is at the point goes up,
// and nothing is fetched. `value` of the operation: bits 2:0 which, 15:8 the words of a row less
// one, 31:16 the point. Nothing is chosen while the target runs.
module firesim_scan #(parameter ROW_BITS = 1, parameter ROW_WORDS = 1) (
  input wire host_clock, input wire host_reset, input wire running,
  input wire load, input wire row_load, input wire [31:0] value,
  input wire down_valid, output wire down_ready, input wire [63:0] down_data,
  output wire up_valid, input wire up_ready, output wire [63:0] up_data,
  output wire scanning,
  output wire shift, output wire [63:0] in, input wire [63:0] out,
  output wire fetch, output wire write, output wire [15:0] point, output wire [7:0] word,
  output reg [ROW_BITS-1:0] row, output reg [64*ROW_WORDS-1:0] data, input wire [63:0] found
);
  localparam [2:0] OFF = 0, SHIFT = 1, READ = 2, WRITE = 3, SHOW = 4;
  reg [2:0] operation;
  reg [15:0] chosen;
  reg [7:0] last, index;
  reg fetching, writing;
  initial begin
    operation = OFF; chosen = 16'd0; last = 8'd0; index = 8'd0; fetching = 1'b0; writing = 1'b0;
    row = {ROW_BITS{1'b0}}; data = {64*ROW_WORDS{1'b0}};
  end

  assign scanning = operation != OFF;
  wire ready = scanning & ~fetching & ~writing;
  assign down_ready = ready & up_ready;
  assign up_valid = ready & down_valid;
  wire taken = down_valid & down_ready;
  assign shift = taken & operation == SHIFT;
  assign in = down_data;
  assign up_data = operation == SHIFT ? out : operation == WRITE ? 64'd0 : found;
  assign fetch = fetching;
  assign write = writing;
  // No point has the number 0, so that the ports are the target's own while it runs.
  assign point = operation == OFF | operation == SHIFT ? 16'd0 : chosen;
  assign word = index;
  wire row_over = taken & index == last & operation != SHIFT;

  integer k;
  always @(posedge host_clock) begin
    if (host_reset) begin
      operation <= OFF;
      fetching <= 1'b0;
      writing <= 1'b0;
    end else begin
      if (load) operation <= running ? OFF : value[2:0];
      fetching <= (load & ~running & value[2:0] == READ) | (row_over & operation == READ);
      writing <= row_over & operation == WRITE;
    end
    if (load) begin
      chosen <= value[31:16];
      last <= value[15:8];
      index <= 8'd0;
    end else if (taken) index <= row_over ? 8'd0 : index + 8'd1;
    if (row_load) row <= value[ROW_BITS-1:0];
    else if ((row_over & operation == READ) | writing) row <= row + 1'b1;
    for (k = 0; k < ROW_WORDS; k = k + 1)
      if (taken & index == k) data[64*k +: 64] <= down_data;
  end
endmodule
