// SPDX-License-Identifier: BSD-3-Clause
// The tokens of one input channel, from values that hold from a cycle on.
//
// An entry is a word with the cycle in bits 31:0 and WORDS words of value; up to DEPTH (a power of
// two) wait. A token is given in each cycle in which `issue` says so, once; `next` is 1 in the host
// cycle in which the target's cycle before `issue_cycle` is over.
module firesim_input_channel #(
  parameter WIDTH = 1, parameter WORDS = 1, parameter LOG_DEPTH = 4
) (
  input wire host_clock, input wire host_reset,
  input wire word_valid, output wire word_ready, input wire [63:0] word,
  input wire issue, input wire next, input wire [31:0] issue_cycle,
  output wire token_valid, input wire token_ready, output wire [WIDTH-1:0] token_bits
);
  // Assembly: the words of a value are shifted in from above.
  reg [7:0] count;
  reg [31:0] at;
  reg [64*WORDS-1:0] parts;
  reg [32+WIDTH-1:0] entries [0:(1<<LOG_DEPTH)-1];
  reg [LOG_DEPTH:0] head, tail;
  reg issued;
  reg [WIDTH-1:0] held;
  initial begin
    count = 8'd0; head = 0; tail = 0; issued = 1'b0; held = {WIDTH{1'b0}};
  end

  wire full = head[LOG_DEPTH-1:0] == tail[LOG_DEPTH-1:0] & head[LOG_DEPTH] != tail[LOG_DEPTH];
  assign word_ready = ~full;
  wire take = word_valid & word_ready;
  wire last = count == WORDS;
  wire [64*WORDS+63:0] shifted = {word, parts};
  wire [64*WORDS-1:0] value = shifted[64*WORDS+63:64];

  always @(posedge host_clock) begin
    if (host_reset) begin
      count <= 8'd0;
      tail <= 0;
    end else if (take) begin
      count <= last ? 8'd0 : count + 8'd1;
      if (last) tail <= tail + 1'b1;
    end
    if (take & count == 8'd0) at <= word[31:0];
    if (take & count != 8'd0) parts <= value;
    if (take & last) entries[tail[LOG_DEPTH-1:0]] <= {at, value[WIDTH-1:0]};
  end

  wire [32+WIDTH-1:0] entry = entries[head[LOG_DEPTH-1:0]];
  wire changes = head != tail & entry[32+WIDTH-1:WIDTH] == issue_cycle;
  assign token_valid = issue & (next | ~issued);
  assign token_bits = changes ? entry[WIDTH-1:0] : held;
  wire given = token_valid & token_ready;

  always @(posedge host_clock) begin
    if (host_reset) begin
      head <= 0;
      issued <= 1'b0;
      held <= {WIDTH{1'b0}};
    end else begin
      issued <= given | (issued & ~next);
      if (given) held <= token_bits;
      if (given & changes) head <= head + 1'b1;
    end
  end
endmodule
