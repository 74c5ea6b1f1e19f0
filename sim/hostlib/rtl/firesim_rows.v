// SPDX-License-Identifier: BSD-3-Clause
// Decides about each target cycle when its output tokens are there, and tells the host of those
// that it has to see.
//
// A cycle in which nothing wakes a driver passes without a word. Otherwise a row goes to the host:
// a word with the cycle in bits 47:0 and in bit 63 whether the target stops after it; a word with
// a bit for each channel that follows; and the words of these channels, which are those that wake a
// driver. The target stops after a cycle with a channel of `stops`, and after the last one before
// the limit, whose row has all channels of `listen`. `next` is 1 in the last host cycle of a target cycle, and takes its tokens.
module firesim_rows #(
  parameter CHANNELS = 1,
  parameter [CHANNELS*8-1:0] FIRST_WORDS = 8'd0,  // eight bits for each channel: its first word
  parameter [7:0] ALL_WORDS = 8'd1
) (
  input wire host_clock, input wire host_reset,
  input wire run, input wire [47:0] run_limit,
  input wire [CHANNELS-1:0] valid, input wire [CHANNELS-1:0] wakes,
  input wire [CHANNELS-1:0] stops, input wire [CHANNELS-1:0] listen,
  output wire [7:0] word_index, input wire [63:0] word,
  output wire up_valid, input wire up_ready, output wire [63:0] up_data,
  output wire next, output wire issue, output wire [47:0] issue_cycle,
  output reg [47:0] cycle, output reg running
);
  localparam [1:0] WAITING = 0, HEADER = 1, MASK = 2, CONTENT = 3;
  reg [1:0] state;
  reg [47:0] limit;
  reg [CHANNELS-1:0] left;  // channels still to be told
  reg [7:0] index;
  reg fresh, stopping;
  initial begin
    state = WAITING; cycle = 48'd0; limit = 48'd0; running = 1'b0; stopping = 1'b0; fresh = 1'b0;
    left = {CHANNELS{1'b0}}; index = 8'd0;
  end

  wire there = running & (&valid);
  wire last = cycle + 48'd1 == limit;
  wire stop = (|stops) | last;
  wire quiet = ~(|wakes) & ~stop;

  // The lowest channel still to be told, its first word, and the word after its last one.
  wire [CHANNELS-1:0] lowest = left & (~left + 1'b1);
  reg [7:0] first, past;
  integer k;
  always @* begin
    first = 8'd0;
    past = 8'd0;
    for (k = 0; k < CHANNELS; k = k + 1)
      if (lowest[k]) begin
        first = FIRST_WORDS[8*k +: 8];
        past = k == CHANNELS - 1 ? ALL_WORDS : FIRST_WORDS[8*(k == CHANNELS - 1 ? k : k + 1) +: 8];
      end
  end
  assign word_index = fresh ? first : index;
  wire over = state == CONTENT & left == {CHANNELS{1'b0}};
  assign up_valid = state == HEADER | state == MASK | (state == CONTENT & ~over);
  assign up_data = state == HEADER ? {stopping, 15'd0, cycle}
                 : state == MASK ? {{(64-CHANNELS){1'b0}}, left} : word;

  assign next = (state == WAITING & there & quiet) | over;
  wire go_on = ~(over & stopping);
  assign issue = running & go_on & (next | state == WAITING);
  assign issue_cycle = next ? cycle + 48'd1 : cycle;

  always @(posedge host_clock) begin
    if (host_reset) begin
      state <= WAITING;
      cycle <= 48'd0;
      running <= 1'b0;
    end else begin
      if (next) cycle <= cycle + 48'd1;
      if (run) running <= 1'b1;
      else if (over & stopping) running <= 1'b0;
      case (state)
        WAITING: if (there & ~quiet) state <= HEADER;
        HEADER: if (up_ready) state <= MASK;
        MASK: if (up_ready) state <= CONTENT;
        CONTENT: if (over) state <= WAITING;
      endcase
    end
    if (run) limit <= run_limit;
    if (state == WAITING) begin
      stopping <= stop;
      left <= last ? listen : wakes;
    end
    if (state == MASK) fresh <= 1'b1;
    if (state == CONTENT & up_valid & up_ready) begin
      index <= word_index + 8'd1;
      fresh <= word_index + 8'd1 == past;
      if (word_index + 8'd1 == past) left <= left & ~lowest;
    end
  end
endmodule
