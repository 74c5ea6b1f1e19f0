// SPDX-License-Identifier: BSD-3-Clause
//
// A blade without a processor that writes to its console, prints, counts, and ends. What it writes depends
// on a memory, and on WORDS registers of 64 bits beside; none if that is 0.
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

  // The memory is read at what a register holds, at times a row that is written in the cycle before.
  logic [63:0] rows[0:255], sum;
  logic [7:0] at;
  always_ff @(posedge clock) begin
    at <= {count[3:0], count[7:4]};
    sum <= reset ? 64'd0 : {sum[58:0], sum[63:59]} + rows[at];
    rows[count[7:0]] <= sum ^ {32'd0, count};
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
    .out_bits(8'h41 + {3'd0, count[14:10] ^ hoarded ^ sum[4:0]}),
    .in_ready(1'b1), .out_ready(ready), .in_valid(), .in_bits()
  );
  FireSimTerminationBridge over (.clock, .reset, .valid(count == LIMIT), .value(32'h5555));
endmodule
