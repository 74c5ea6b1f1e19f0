// SPDX-License-Identifier: BSD-3-Clause
// The tokens of one input channel, from values that hold from a cycle on.
//
// A token is cut into PIECES of 32 bits; of a value only those pieces are sent that differ from the
// value before it, which is 0 at first. Its header word has in bits 55:48 which of the first eight
// pieces differ, in bits 47:32 the lowest bits of the cycle, in bits 31:0 the lowest of these
// pieces. A bit for each piece from the ninth on follows, 64 a word; then the other pieces, two a
// word, the lowest first. Up to DEPTH values (a power of two) wait. A token is given in each cycle
// in which `issue` says so, once; `step` is 1 in the host cycle in which the target's cycle before
// `issue_cycle` is run.
module firesim_input_channel #(
  parameter WIDTH = 1, parameter PIECES = 1, parameter LOG_DEPTH = 4
) (
  input wire host_clock, input wire host_reset,
  input wire word_valid, output wire word_ready, input wire [63:0] word, output reg busy,
  input wire issue, input wire step, input wire [15:0] issue_cycle,
  output wire token_valid, input wire token_ready, output wire [WIDTH-1:0] token_bits
);
  localparam NEAR = PIECES < 8 ? PIECES : 8;            // pieces whose bits are in the header
  localparam MASKS = (PIECES - NEAR + 63) / 64;         // words with those of the others
  reg [7:0] masks;                                      // such words still to come
  reg [PIECES-1:0] left;                                // pieces still to come
  reg [15:0] at;
  reg [WIDTH-1:0] latest;                               // the value as far as it is known
  reg [16+WIDTH-1:0] entries [0:(1<<LOG_DEPTH)-1];
  reg [LOG_DEPTH:0] head, tail;
  reg issued;
  reg [WIDTH-1:0] held;
  initial begin
    busy = 1'b0; masks = 8'd0; left = {PIECES{1'b0}}; latest = {WIDTH{1'b0}};
    head = 0; tail = 0; issued = 1'b0; held = {WIDTH{1'b0}};
  end

  // The word's pieces: in a header the lowest one, after the masks the two lowest ones left.
  wire full = head[LOG_DEPTH-1:0] == tail[LOG_DEPTH-1:0] & head[LOG_DEPTH] != tail[LOG_DEPTH];
  assign word_ready = ~full;
  wire take = word_valid & word_ready;
  wire is_mask = busy & masks != 8'd0;
  wire [PIECES-1:0] named = word[48 +: NEAR];
  wire [PIECES-1:0] open = is_mask ? {PIECES{1'b0}} : busy ? left : named;
  wire [PIECES-1:0] lowest = open & (~open + 1'b1);
  wire [PIECES-1:0] above = open & ~lowest;
  wire [PIECES-1:0] second = busy ? above & (~above + 1'b1) : {PIECES{1'b0}};
  reg [PIECES-1:0] left_next;
  reg [32*PIECES-1:0] value;
  integer k;
  always @* begin
    left_next = is_mask ? left : above & ~second;
    for (k = NEAR; k < PIECES; k = k + 1)
      if (is_mask & masks == MASKS - (k - NEAR) / 64) left_next[k] = word[(k - NEAR) % 64];
    value = {32*PIECES{1'b0}};
    value[WIDTH-1:0] = latest;
    for (k = 0; k < PIECES; k = k + 1) begin
      if (lowest[k]) value[32*k +: 32] = word[31:0];
      if (second[k]) value[32*k +: 32] = word[63:32];
    end
  end
  wire [7:0] masks_next = busy ? masks - is_mask : MASKS;
  wire last = masks_next == 8'd0 & left_next == {PIECES{1'b0}};
  wire [15:0] at_next = busy ? at : word[47:32];

  always @(posedge host_clock) begin
    if (host_reset) begin
      busy <= 1'b0;
      tail <= 0;
      latest <= {WIDTH{1'b0}};
    end else if (take) begin
      busy <= ~last;
      if (last) tail <= tail + 1'b1;
      latest <= value[WIDTH-1:0];
    end
    if (take) begin
      masks <= masks_next;
      left <= left_next;
      at <= at_next;
    end
    if (take & last) entries[tail[LOG_DEPTH-1:0]] <= {at_next, value[WIDTH-1:0]};
  end

  wire [16+WIDTH-1:0] entry = entries[head[LOG_DEPTH-1:0]];
  wire changes = head != tail & entry[16+WIDTH-1:WIDTH] == issue_cycle;
  assign token_valid = issue & (step | ~issued);
  assign token_bits = changes ? entry[WIDTH-1:0] : held;
  wire given = token_valid & token_ready;

  always @(posedge host_clock) begin
    if (host_reset) begin
      head <= 0;
      issued <= 1'b0;
      held <= {WIDTH{1'b0}};
    end else begin
      issued <= given | (issued & ~step);
      if (given) held <= token_bits;
      if (given & changes) head <= head + 1'b1;
    end
  end
endmodule
