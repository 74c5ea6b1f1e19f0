// SPDX-License-Identifier: BSD-3-Clause
// The stream from the host, taken apart.
//
// A command is a header word, bits 63:56 of which say what it is. 255: run until the cycle in bits
// 47:0, which itself is not run. Below CHANNELS: a value of this input channel
// (firesim_input_channel.v), which gets the words that follow, too, for as long as it is busy.
module firesim_commands #(parameter CHANNELS = 1) (
  input wire host_clock, input wire host_reset,
  input wire down_valid, output wire down_ready, input wire [63:0] down_data,
  output wire run, output wire [47:0] run_limit,
  output wire [CHANNELS-1:0] word_valid, input wire [CHANNELS-1:0] word_ready,
  input wire [CHANNELS-1:0] busy
);
  reg [7:0] channel;

  wire is_header = ~|busy;
  wire [7:0] addressed = is_header ? down_data[63:56] : channel;
  assign run = down_valid & is_header & addressed == 8'd255;
  assign run_limit = down_data[47:0];

  wire [CHANNELS-1:0] selected;
  genvar i;
  generate
    for (i = 0; i < CHANNELS; i = i + 1) begin : each
      assign selected[i] = addressed == i;
      assign word_valid[i] = down_valid & selected[i];
    end
  endgenerate

  // What no channel is addressed by is dropped.
  assign down_ready = ~|(selected & ~word_ready);

  always @(posedge host_clock) if (down_valid & down_ready) channel <= addressed;
endmodule
