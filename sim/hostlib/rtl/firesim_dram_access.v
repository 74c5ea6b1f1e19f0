// SPDX-License-Identifier: BSD-3-Clause
// The host reads and writes the DRAM behind a port of a bridge's part, while the target stands.
//
// Without an operation the part's requests go through. `start` begins one of `rows` rows of 64 bytes
// from `row` on. WRITE: the words that come down go into the rows. FILL: the rows become zeroes. Either
// is answered by one word up, the row after the last one, when the DRAM has taken all. READ: the words
// of the rows go up. It is over with its last word up; so no word of another kind can be overtaken.
// What the part asked for before is answered first, and not to the host.
module firesim_dram_access (
  input wire host_clock, input wire host_reset, input wire running,
  input wire start, input wire row_load, input wire rows_load, input wire [31:0] value,
  input wire down_valid, output wire down_ready, input wire [63:0] down_data,
  output wire up_valid, input wire up_ready, output wire [63:0] up_data,
  output wire accessing,
  input wire part_request_valid, output wire part_request_ready, input wire part_request_write,
  input wire [39:0] part_request_address, input wire [63:0] part_request_data,
  input wire [7:0] part_request_strobe, output wire part_response_valid,
  output wire [63:0] part_response_data,
  output wire mem_request_valid, input wire mem_request_ready, output wire mem_request_write,
  output wire mem_request_row,  // the word goes into all eight places of the row
  output wire [39:0] mem_request_address, output wire [63:0] mem_request_data,
  output wire [7:0] mem_request_strobe, input wire mem_response_valid,
  input wire [63:0] mem_response_data
);
  localparam [1:0] OFF = 0, WRITE = 1, READ = 2, FILL = 3;
  reg [1:0] operation;
  reg [31:0] row, left;
  reg [2:0] place;            // of the next word down, or up, in its row
  reg asked;                  // for the row under way
  reg [3:0] filled;           // words of it that came
  reg [63:0] words [0:7];
  reg [15:0] awaited;         // words that the part has asked for
  initial begin
    operation = OFF; row = 32'd0; left = 32'd0; place = 3'd0; asked = 1'b0; filled = 4'd0;
    awaited = 16'd0;
  end

  assign accessing = operation != OFF;
  wire free = awaited == 16'd0;
  wire goes = accessing & free & left != 32'd0;
  wire writes = goes & operation == WRITE & down_valid;
  wire fills = goes & operation == FILL;
  wire asks = goes & operation == READ & ~asked;
  wire gives = goes & operation == READ & {1'b0, place} < filled;
  wire answers = accessing & left == 32'd0 & operation != READ;

  assign part_request_ready = ~accessing & mem_request_ready;
  assign mem_request_valid = accessing ? writes | fills | asks : part_request_valid;
  assign mem_request_write = accessing ? ~asks : part_request_write;
  assign mem_request_row = fills;
  assign mem_request_address = ~accessing ? part_request_address :
      {2'd0, row, operation == WRITE ? place : 3'd0, 3'd0};
  assign mem_request_data = ~accessing ? part_request_data : fills ? 64'd0 : down_data;
  assign mem_request_strobe = accessing ? 8'hff : part_request_strobe;
  assign part_response_valid = mem_response_valid & ~free;
  assign part_response_data = mem_response_data;

  assign down_ready = writes & mem_request_ready;
  assign up_valid = gives | answers;
  assign up_data = answers ? {32'd0, row} : words[place];

  wire taken = mem_request_ready & (writes | fills | asks);
  wire given = gives & up_ready;
  wire row_over = (taken & (fills | (writes & place == 3'd7))) | (given & place == 3'd7);
  wire over = (answers & up_ready) | (given & row_over & left == 32'd1) |
      (accessing & operation == READ & left == 32'd0);
  wire asks_part = part_request_valid & part_request_ready & ~part_request_write;
  always @(posedge host_clock) begin
    if (mem_response_valid & free) words[filled[2:0]] <= mem_response_data;
    awaited <= awaited + (asks_part ? 16'd8 : 16'd0) - {15'd0, part_response_valid};
    if (row_load) row <= value;
    else if (row_over) row <= row + 32'd1;
    if (rows_load) left <= value;
    else if (row_over) left <= left - 32'd1;
    if ((taken & writes) | given) place <= place + 3'd1;
    if (taken & asks) asked <= 1'b1;
    else if (row_over) asked <= 1'b0;
    if (row_over) filled <= 4'd0;
    else if (mem_response_valid & free) filled <= filled + 4'd1;
    if (start) operation <= running ? OFF : value[1:0];
    else if (over) operation <= OFF;
    if (host_reset) begin
      operation <= OFF;
      left <= 32'd0;
      place <= 3'd0;
      asked <= 1'b0;
      filled <= 4'd0;
      awaited <= 16'd0;
    end
  end
endmodule
