// SPDX-License-Identifier: BSD-3-Clause
// Two tokens of one channel between the target and the host. host_reset empties it.
//
// in_ready and out_valid come from registers, so that no path leads through the queue. The next_*
// outputs say what they will be in the next cycle, for whoever decides one cycle ahead. The tokens
// are loaded by clock enables that every FPGA has.
module firesim_token_queue #(parameter WIDTH = 1) (
  input wire host_clock, input wire host_reset,
  input wire in_valid, output wire in_ready, input wire [WIDTH-1:0] in_data,
  output wire out_valid, input wire out_ready, output wire [WIDTH-1:0] out_data,
  output wire next_in_ready, output wire next_out_valid
);
  reg has_first, has_second;
  reg [WIDTH-1:0] first, second;
  initial {has_first, has_second} = 2'b00;

  wire push = in_valid & ~has_second;
  wire pop = out_ready & has_first;
  wire load_first = pop | (push & ~has_first);
  wire load_second = push & has_first & ~pop;

  assign in_ready = ~has_second;
  assign out_valid = has_first;
  assign out_data = first;
  assign next_out_valid = ~host_reset & (push | has_second | (has_first & ~pop));
  assign next_in_ready = host_reset | ~(load_second | (has_second & ~pop));

  always @(posedge host_clock) begin
    has_first <= next_out_valid;
    has_second <= ~next_in_ready;
    if (load_first) first <= has_second ? second : in_data;
    if (load_second) second <= in_data;
  end
endmodule
