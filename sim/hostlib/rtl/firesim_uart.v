// SPDX-License-Identifier: BSD-3-Clause
// A serial line: eight bits, no parity, one stop bit, DIVISOR host cycles a bit (at least 4).
module firesim_uart_receiver #(parameter DIVISOR = 25) (
  input wire host_clock, input wire rx,
  output reg valid, output reg [7:0] data,
  output reg wrong,     // for one host cycle: a byte without its stop bit, which is dropped
  output reg is_break   // the line is low for longer than any byte
);
  localparam LOG = $clog2(14 * DIVISOR);
  reg [1:0] line;
  reg [LOG-1:0] low;     // host cycles for which the line is low
  reg [LOG-1:0] count;   // until the middle of the next bit
  reg [3:0] left;        // bits still to come, the stop bit with them
  initial begin
    line = 2'b11; low = 0; count = 0; left = 4'd0; valid = 1'b0; wrong = 1'b0; is_break = 1'b0;
    data = 8'd0;
  end

  always @(posedge host_clock) begin
    line <= {line[0], rx};
    valid <= 1'b0;
    wrong <= 1'b0;
    is_break <= ~line[1] & low == 12 * DIVISOR;
    if (line[1]) low <= 0;
    else if (low != 12 * DIVISOR) low <= low + 1'b1;
    if (left == 4'd0) begin
      // At the first low sample; a line that stays low is no second byte.
      if (~line[1] & low == 0) begin
        left <= 4'd9;
        count <= DIVISOR + DIVISOR / 2 - 1;
      end
    end else if (count != 0) count <= count - 1'b1;
    else begin
      count <= DIVISOR - 1;
      left <= left - 4'd1;
      if (left != 4'd1) data <= {line[1], data[7:1]};
      else begin
        valid <= line[1];
        wrong <= ~line[1];
      end
    end
  end
endmodule

module firesim_uart_sender #(parameter DIVISOR = 25) (
  input wire host_clock, input wire host_reset,
  input wire valid, output wire ready, input wire [7:0] data,
  output wire tx
);
  localparam LOG = $clog2(DIVISOR);
  reg [9:0] bits;  // the lowest one is on the line
  reg [3:0] left;
  reg [LOG-1:0] count;
  initial begin
    bits = 10'h3ff; left = 4'd0; count = 0;
  end
  assign ready = left == 4'd0;
  assign tx = bits[0];

  always @(posedge host_clock)
    if (host_reset) begin
      bits <= 10'h3ff;
      left <= 4'd0;
    end else if (left == 4'd0) begin
      if (valid) begin
        bits <= {1'b1, data, 1'b0};
        left <= 4'd10;
        count <= DIVISOR - 1;
      end
    end else if (count != 0) count <= count - 1'b1;
    else begin
      bits <= {1'b1, bits[9:1]};
      left <= left - 4'd1;
      count <= DIVISOR - 1;
    end
endmodule
