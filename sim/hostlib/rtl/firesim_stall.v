// SPDX-License-Identifier: BSD-3-Clause
// Random host cycles in which a channel stands still: `rate` of 256, none when it is 0. For
// metasimulation; the random numbers depend on the seed and on the channel.
module firesim_stall #(parameter [31:0] CHANNEL = 0) (
  input wire host_clock, input wire load, input wire [31:0] seed, input wire [7:0] rate,
  output wire go
);
  reg [31:0] random;
  initial random = 32'd1;
  wire [31:0] mixed = seed ^ ((CHANNEL + 32'd1) * 32'h9e3779b9);
  wire [31:0] a = random ^ (random << 13);
  wire [31:0] b = a ^ (a >> 17);
  wire [31:0] c = b ^ (b << 5);
  always @(posedge host_clock)
    if (load) random <= mixed == 32'd0 ? 32'd1 : mixed;
    else if (rate != 8'd0) random <= c;
  assign go = random[31:24] >= rate;
endmodule
