// SPDX-License-Identifier: BSD-3-Clause
//
// A blade without a processor that writes to its console, prints, counts, and ends. It has WORDS registers
// of 64 bits beside, on which depends what it writes; none if that is 0.
module Talker #(
  parameter int LIMIT = 20000,
  parameter int WORDS = 0
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

  logic [4:0] hoarded;
  if (WORDS == 0) begin : no_hoard
    assign hoarded = 5'd0;
  end else begin : hoard
    logic [63:0] words[0:WORDS-1];
    always_ff @(posedge clock) begin
      words[0] <= reset ? 64'd1 : {words[WORDS-1][62:0], words[WORDS-1][63]} + {32'd0, count};
      for (int i = 1; i < WORDS; i++) words[i] <= reset ? 64'd0 : words[i-1];
    end
    assign hoarded = words[WORDS/2][4:0];
  end

  FireSimUARTBridge uart (
    .clock, .reset, .out_valid(count[9:0] == 3 && ready),
    .out_bits(8'h41 + {3'd0, count[14:10] ^ hoarded}),
    .in_ready(1'b1), .out_ready(ready), .in_valid(), .in_bits()
  );
  FireSimTerminationBridge over (.clock, .reset, .valid(count == LIMIT), .value(32'h5555));
endmodule
