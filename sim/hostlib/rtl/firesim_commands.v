// SPDX-License-Identifier: BSD-3-Clause
// The stream from the host, taken apart.
//
// A command is a header word, bits 63:56 of which say what it is. 255: run until the cycle in bits
// 47:0, which itself is not run. Below CHANNELS: from the cycle in bits 31:0 on, the tokens of this
// input channel are the WORDS words that follow, the lowest first; the channel gets all of it.
module firesim_commands #(
  parameter CHANNELS = 1,
  parameter [CHANNELS*8-1:0] WORDS = 8'd1  // eight bits for each channel
) (
  input wire host_clock, input wire host_reset,
  input wire down_valid, output wire down_ready, input wire [63:0] down_data,
  output wire run, output wire [47:0] run_limit,
  output wire [CHANNELS-1:0] word_valid, input wire [CHANNELS-1:0] word_ready
);
  reg [7:0] channel, left;
  initial left = 8'd0;

  wire is_header = left == 8'd0;
  wire [7:0] addressed = is_header ? down_data[63:56] : channel;
  assign run = down_valid & is_header & addressed == 8'd255;
  assign run_limit = down_data[47:0];

  wire [CHANNELS-1:0] selected;
  wire [CHANNELS*8-1:0] length;
  genvar i;
  generate
    for (i = 0; i < CHANNELS; i = i + 1) begin : each
      assign selected[i] = addressed == i;
      assign word_valid[i] = down_valid & selected[i];
      assign length[8*i +: 8] = selected[i] ? WORDS[8*i +: 8] : 8'd0;
    end
  endgenerate

  // What no channel is addressed by is dropped.
  assign down_ready = ~|(selected & ~word_ready);
  reg [7:0] words;
  integer k;
  always @* begin
    words = 8'd0;
    for (k = 0; k < CHANNELS; k = k + 1) words = words | length[8*k +: 8];
  end

  always @(posedge host_clock) begin
    if (host_reset) left <= 8'd0;
    else if (down_valid & down_ready) begin
      left <= is_header ? words : left - 8'd1;
      channel <= addressed;
    end
  end
endmodule
