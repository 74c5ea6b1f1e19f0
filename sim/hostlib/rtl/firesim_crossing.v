// SPDX-License-Identifier: BSD-3-Clause
// A queue from one clock to another that it has nothing to do with: pointers cross in Gray code.
//
// `room` is how many words fit, never too many; what was taken shows in it some cycles later. The oldest
// word stands in a register, beside those that `room` counts. Both sides are reset together and stand
// still until both resets are over.
//
// Constraints of a board go by these names, which no target has: from firesim_*_gray to firesim_*_1 no bit
// may come more than a period after another; from firesim_words to firesim_oldest nothing is to be met, as
// a word has been there for some cycles when its pointer is over.
module firesim_crossing #(parameter WIDTH = 64, parameter LOG_DEPTH = 4) (
  input wire in_clock, input wire in_reset,
  input wire in_valid, output wire in_ready, input wire [WIDTH-1:0] in_data,
  output wire [LOG_DEPTH:0] room,
  input wire out_clock, input wire out_reset,
  output wire out_valid, input wire out_ready, output wire [WIDTH-1:0] out_data
);
  (* ram_style = "distributed" *) reg [WIDTH-1:0] firesim_words [0:(1<<LOG_DEPTH)-1];

  function [LOG_DEPTH:0] gray(input [LOG_DEPTH:0] count);
    gray = count ^ (count >> 1);
  endfunction
  function [LOG_DEPTH:0] binary(input [LOG_DEPTH:0] code);
    integer bit_index;
    begin
      binary = code;
      for (bit_index = LOG_DEPTH - 1; bit_index >= 0; bit_index = bit_index - 1)
        binary[bit_index] = binary[bit_index + 1] ^ code[bit_index];
    end
  endfunction

  // Each pointer in its own clock, in Gray code; then twice in the other one, with no logic before it.
  reg [LOG_DEPTH:0] tail, head;
  (* DONT_TOUCH = "TRUE" *) reg [LOG_DEPTH:0] firesim_tail_gray, firesim_head_gray;
  (* ASYNC_REG = "TRUE", DONT_TOUCH = "TRUE", EXTRACT_RESET = "yes" *)
  reg [LOG_DEPTH:0] firesim_tail_1, firesim_tail_2, firesim_head_1, firesim_head_2;
  (* DONT_TOUCH = "TRUE" *) reg [WIDTH-1:0] firesim_oldest;
  reg is_there;
  initial begin
    tail = 0; firesim_tail_gray = 0; head = 0; firesim_head_gray = 0; is_there = 1'b0;
    firesim_tail_1 = 0; firesim_tail_2 = 0; firesim_head_1 = 0; firesim_head_2 = 0;
  end

  wire [LOG_DEPTH:0] used = tail - binary(firesim_head_2);
  assign room = (1 << LOG_DEPTH) - used;
  assign in_ready = ~used[LOG_DEPTH] & ~in_reset;
  wire [LOG_DEPTH:0] next_tail = tail + (in_valid & in_ready);
  always @(posedge in_clock) begin
    if (in_valid & in_ready) firesim_words[tail[LOG_DEPTH-1:0]] <= in_data;
    tail <= in_reset ? 0 : next_tail;
    firesim_tail_gray <= in_reset ? 0 : gray(next_tail);
    firesim_head_1 <= in_reset ? 0 : firesim_head_gray;
    firesim_head_2 <= in_reset ? 0 : firesim_head_1;
  end

  assign out_valid = is_there & ~out_reset;
  assign out_data = firesim_oldest;
  wire moves = firesim_head_gray != firesim_tail_2 & (~is_there | out_ready);
  wire [LOG_DEPTH:0] next_head = head + moves;
  always @(posedge out_clock) begin
    if (moves) firesim_oldest <= firesim_words[head[LOG_DEPTH-1:0]];
    is_there <= ~out_reset & (moves | (is_there & ~out_ready));
    head <= out_reset ? 0 : next_head;
    firesim_head_gray <= out_reset ? 0 : gray(next_head);
    firesim_tail_1 <= out_reset ? 0 : firesim_tail_gray;
    firesim_tail_2 <= out_reset ? 0 : firesim_tail_1;
  end
endmodule
