// SPDX-License-Identifier: BSD-3-Clause
// Tells the host of those target cycles that it has to see.
//
// A cycle in which nothing wakes a driver passes without a word. Otherwise a row goes to the host.
// Its head has in bit 63 whether the target stops after it, in bits 62:47 how many cycles have
// passed without a row since the last one, and in bits 46:0 a bit for each of the first 47 pieces
// of 32 bits of all output channels that is told. If 65,535 cycles or more have passed, these bits
// are ones and the next word says how many cycles are over in all, with this one. A bit for each
// piece from the 48th on follows, 64 a word; then the pieces, two a word, the lowest first.
//
// A row has the channels that wake a driver, that of the last cycle before the limit all of
// `listen`. `next` takes the tokens of a cycle: those of a row are kept in the channels
// (firesim_output_channel.v) while its words go up, and the target runs on.
module firesim_rows #(parameter PIECES = 1) (
  input wire host_clock, input wire host_reset,
  input wire there, input wire stop, input wire quiet, input wire [PIECES-1:0] mask,
  input wire [32*PIECES-1:0] told,
  output wire up_valid, input wire up_ready, output wire [63:0] up_data,
  output wire next, output wire take, output reg [47:0] cycle, output wire stopped
);
  localparam NEAR = PIECES < 47 ? PIECES : 47;   // pieces whose bits are in the head
  localparam MASKS = (PIECES - NEAR + 63) / 64;  // words with those of the others
  localparam [2:0] FREE = 0, HEAD = 1, COUNT = 2, MASK = 3, CONTENT = 4;
  reg [2:0] state;
  reg [PIECES-1:0] left;  // pieces still to be told
  reg [7:0] masks;        // words of masks told
  reg [15:0] passed, row_passed;
  reg stopping;
  initial begin
    state = FREE; cycle = 48'd0; passed = 16'd0; row_passed = 16'd0; stopping = 1'b0;
    left = {PIECES{1'b0}}; masks = 8'd0;
  end

  wire far = row_passed == 16'hffff;
  wire empty = left == {PIECES{1'b0}};
  wire [PIECES-1:0] lowest = left & (~left + 1'b1);
  wire [PIECES-1:0] above = left & ~lowest;
  wire [PIECES-1:0] second = above & (~above + 1'b1);
  wire [PIECES-1:0] rest = above & ~second;
  wire [64*MASKS+110:0] wide = left;
  reg [63:0] content, masked;
  integer k;
  always @* begin
    content = 64'd0;
    for (k = 0; k < PIECES; k = k + 1) begin
      if (lowest[k]) content[31:0] = content[31:0] | told[32*k +: 32];
      if (second[k]) content[63:32] = content[63:32] | told[32*k +: 32];
    end
    masked = 64'd0;
    for (k = 0; k < MASKS; k = k + 1) if (masks == k) masked = wide[47 + 64*k +: 64];
  end
  assign up_valid = state != FREE;
  assign up_data = state == HEAD ? {stopping, row_passed, wide[46:0]}
                 : state == COUNT ? {16'd0, cycle} : state == MASK ? masked : content;

  // What comes after the word that is shown.
  wire [2:0] after_masks = empty ? FREE : CONTENT;
  wire [2:0] after_count = MASKS != 0 ? MASK : after_masks;
  wire [2:0] after = state == HEAD ? (far ? COUNT : after_count)
                   : state == COUNT ? after_count
                   : state == MASK ? (masks + 8'd1 == MASKS ? after_masks : MASK)
                   : rest == {PIECES{1'b0}} ? FREE : CONTENT;
  wire over = up_valid & up_ready & after == FREE;
  assign stopped = over & stopping;

  // `cycle` is said in a row of many cycles, and stands still until then.
  wire stands = far & (state == HEAD | state == COUNT);
  assign take = there & ~quiet & (~up_valid | over);
  assign next = take | (there & quiet & ~stands);

  always @(posedge host_clock) begin
    if (host_reset) begin
      state <= FREE;
      cycle <= 48'd0;
      passed <= 16'd0;
    end else begin
      if (next) cycle <= cycle + 48'd1;
      if (take) passed <= 16'd0;
      else if (next & passed != 16'hffff) passed <= passed + 16'd1;
      if (take) state <= HEAD;
      else if (up_valid & up_ready) state <= after;
    end
    if (take) begin
      stopping <= stop;
      row_passed <= passed;
      left <= mask;
      masks <= 8'd0;
    end else if (up_ready) begin
      if (state == CONTENT) left <= rest;
      if (state == MASK) masks <= masks + 8'd1;
    end
  end
endmodule
