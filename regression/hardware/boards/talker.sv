// SPDX-License-Identifier: BSD-3-Clause
//
// A blade without a processor that writes to its console, prints, counts, and ends.
module Talker #(
  parameter int LIMIT = 20000
) (
  input logic clock,
  input logic reset
);
  logic [31:0] count;
  logic ready;

  always_ff @(posedge clock) begin
    count <= reset ? 0 : count + 1;
    if (count % 4096 == 77) $display("count is %0d", count);
    sevens: cover (count % 7 == 0);
  end

  FireSimUARTBridge uart (
    .clock, .reset, .out_valid(count[9:0] == 3 && ready), .out_bits(8'h41 + {3'd0, count[14:10]}),
    .in_ready(1'b1), .out_ready(ready), .in_valid(), .in_bits()
  );
  FireSimTerminationBridge over (.clock, .reset, .valid(count == LIMIT), .value(32'h5555));
endmodule
