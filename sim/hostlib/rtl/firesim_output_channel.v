// SPDX-License-Identifier: BSD-3-Clause
// The tokens of one output channel that the host is told, in PIECES of 32 bits.
//
// `mask` has a bit for each piece of the present token that differs from the token told before,
// which is 0 at first; in a token that has to be seen (`must`) one at least. `told` is the last
// token told: it is this one from the host cycle after `take` on.
module firesim_output_channel #(parameter WIDTH = 1, parameter PIECES = 1) (
  input wire host_clock, input wire host_reset,
  input wire [WIDTH-1:0] bits, input wire tell, input wire must, input wire take,
  output reg [PIECES-1:0] mask, output wire [32*PIECES-1:0] told
);
  reg [WIDTH-1:0] last;
  initial last = {WIDTH{1'b0}};
  wire [32*PIECES-1:0] differs = bits ^ last;
  assign told = last;

  integer k;
  always @* begin
    for (k = 0; k < PIECES; k = k + 1) mask[k] = tell & |differs[32*k +: 32];
    if (must & mask == {PIECES{1'b0}}) mask[0] = 1'b1;
  end

  always @(posedge host_clock)
    if (host_reset) last <= {WIDTH{1'b0}};
    else if (take & tell) last <= bits;
endmodule
