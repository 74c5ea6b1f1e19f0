// SPDX-License-Identifier: BSD-3-Clause
// A queue from one clock to another that it has nothing to do with: pointers cross in Gray code.
//
// `room` is how many words fit, never too many; what was taken shows in it some cycles later. Both
// sides are reset together and stand still until both resets are over.
module firesim_crossing #(parameter WIDTH = 64, parameter LOG_DEPTH = 4) (
  input wire in_clock, input wire in_reset,
  input wire in_valid, output wire in_ready, input wire [WIDTH-1:0] in_data,
  output wire [LOG_DEPTH:0] room,
  input wire out_clock, input wire out_reset,
  output wire out_valid, input wire out_ready, output wire [WIDTH-1:0] out_data
);
  reg [WIDTH-1:0] words [0:(1<<LOG_DEPTH)-1];

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

  // Each pointer in its own clock, in Gray code; then twice in the other one.
  reg [LOG_DEPTH:0] tail, tail_gray, head, head_gray;
  (* ASYNC_REG = "TRUE" *) reg [LOG_DEPTH:0] tail_1, tail_2, head_1, head_2;
  initial begin
    tail = 0; tail_gray = 0; head = 0; head_gray = 0;
    tail_1 = 0; tail_2 = 0; head_1 = 0; head_2 = 0;
  end

  wire [LOG_DEPTH:0] used = tail - binary(head_2);
  assign room = (1 << LOG_DEPTH) - used;
  assign in_ready = ~used[LOG_DEPTH] & ~in_reset;
  wire [LOG_DEPTH:0] next_tail = tail + (in_valid & in_ready);
  always @(posedge in_clock) begin
    if (in_valid & in_ready) words[tail[LOG_DEPTH-1:0]] <= in_data;
    tail <= in_reset ? 0 : next_tail;
    tail_gray <= in_reset ? 0 : gray(next_tail);
    head_1 <= in_reset ? 0 : head_gray;
    head_2 <= in_reset ? 0 : head_1;
  end

  assign out_valid = head_gray != tail_2 & ~out_reset;
  assign out_data = words[head[LOG_DEPTH-1:0]];
  wire [LOG_DEPTH:0] next_head = head + (out_valid & out_ready);
  always @(posedge out_clock) begin
    head <= out_reset ? 0 : next_head;
    head_gray <= out_reset ? 0 : gray(next_head);
    tail_1 <= out_reset ? 0 : tail_gray;
    tail_2 <= out_reset ? 0 : tail_1;
  end
endmodule
