// SPDX-License-Identifier: BSD-3-Clause
// A port to a DRAM of a host's side, in the clock of a memory whose rows have 64 bytes.
//
// Requests cross in order. Words for one row are gathered and written together, when one for another
// row comes or the row is read. A read waits for all writes before it that were sent, so that it sees
// them. Its row crosses back, and goes up as eight words.
module firesim_dram_port (
  input wire host_clock, input wire host_reset,
  input wire request_valid, output wire request_ready, input wire request_write,
  input wire request_row, input wire [39:0] request_address, input wire [63:0] request_data,
  input wire [7:0] request_strobe,
  output wire response_valid, output wire [63:0] response_data,

  input wire clock, input wire reset,
  output wire write_valid, input wire write_ready, output wire [33:0] write_row,
  output wire [511:0] write_data, output wire [63:0] write_strobe, input wire write_done,
  output wire read_valid, input wire read_ready, output wire [33:0] read_row,
  input wire row_valid, output wire row_ready, input wire [511:0] row_data
);
  wire asked, take, writes, whole;
  wire [39:0] address;
  wire [63:0] data;
  wire [7:0] strobe;
  firesim_crossing #(.WIDTH(114), .LOG_DEPTH(4)) requests (
    .in_clock(host_clock), .in_reset(host_reset), .in_valid(request_valid), .in_ready(request_ready),
    .in_data({request_write, request_row, request_address, request_data, request_strobe}), .room(),
    .out_clock(clock), .out_reset(reset), .out_valid(asked), .out_ready(take),
    .out_data({writes, whole, address, data, strobe}));

  // Words gathered, and writes that are sent and not done.
  reg kept;
  reg [33:0] row;
  reg [511:0] gathered;
  reg [63:0] places;
  reg [7:0] sent;
  reg reading;
  initial begin kept = 1'b0; sent = 8'd0; reading = 1'b0; end
  wire is_row = address[39:6] == row;
  wire gathers = asked & writes & (~kept | is_row | write_ready & write_valid);
  wire reads = asked & ~writes & ~(kept & is_row) & sent == 8'd0 & ~reading;
  assign write_valid = kept & asked & (writes ^ is_row) & ~&sent;
  assign write_row = row;
  assign write_data = gathered;
  assign write_strobe = places;
  assign read_valid = reads;
  assign read_row = address[39:6];
  assign take = gathers | (reads & read_ready);
  wire is_sent = write_valid & write_ready;
  wire is_new = ~kept | is_sent;

  integer lane;
  always @(posedge clock) begin
    if (gathers) begin
      row <= address[39:6];
      for (lane = 0; lane < 8; lane = lane + 1) begin
        if (whole | address[5:3] == lane) begin
          places[8*lane +: 8] <= is_new | whole ? strobe : places[8*lane +: 8] | strobe;
        end else if (is_new) places[8*lane +: 8] <= 8'd0;
      end
    end
    kept <= (kept & ~is_sent) | gathers;
    sent <= sent + {7'd0, is_sent} - {7'd0, write_done};
    reading <= (reading | (reads & read_ready)) & ~(row_valid & row_ready);
    if (reset) begin
      kept <= 1'b0;
      sent <= 8'd0;
      reading <= 1'b0;
    end
  end
  genvar index;
  generate for (index = 0; index < 64; index = index + 1) begin : byte_of
    always @(posedge clock)
      if (gathers & strobe[index % 8] & (whole | address[5:3] == index / 8))
        gathered[8*index +: 8] <= data[8*(index % 8) +: 8];
  end endgenerate

  wire there;
  wire [511:0] found;
  reg [2:0] place;
  initial place = 3'd0;
  firesim_crossing #(.WIDTH(512), .LOG_DEPTH(2)) rows (
    .in_clock(clock), .in_reset(reset), .in_valid(row_valid), .in_ready(row_ready),
    .in_data(row_data), .room(), .out_clock(host_clock), .out_reset(host_reset), .out_valid(there),
    .out_ready(&place), .out_data(found));
  assign response_valid = there;
  assign response_data = found[64*place +: 64];
  always @(posedge host_clock) place <= host_reset ? 3'd0 : place + {2'd0, there};
endmodule
