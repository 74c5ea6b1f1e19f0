// SPDX-License-Identifier: BSD-3-Clause
// The far end of a serial line (8 bits, no parity, one stop bit) as the console. A bit takes DIV
// edges of the target's own clock, at least 2.
module firesim_uart_pins #(
    parameter int DIV = 271
) (
    input  clock,
    input  reset,
    input  txd,
    output rxd
);
  localparam int FRAME = 10;  // start, eight bits, stop
  localparam int TICKS = $clog2(DIV + 1);
  localparam int WIDTH = TICKS > 1 ? TICKS : 1;

  // What the target sends: each bit is looked at in its middle.
  logic [WIDTH-1:0] wait_ticks;
  logic [3:0] left;
  logic [7:0] heard;
  logic complete;
  always_ff @(posedge clock) begin
    complete <= 1'b0;
    if (reset) begin
      left <= 4'd0;
    end else if (left == 4'd0) begin
      if (!txd) begin
        left <= 4'(FRAME);
        wait_ticks <= WIDTH'(DIV > 2 ? DIV / 2 : 0);
      end
    end else if (wait_ticks != '0) begin
      wait_ticks <= wait_ticks - 1'b1;
    end else begin
      wait_ticks <= WIDTH'(DIV - 1);
      left <= left - 4'd1;
      if (left != 4'(FRAME) && left != 4'd1) heard <= {txd, heard[7:1]};
      // A start bit that was too short is none; a byte without its stop bit is lost.
      if (left == 4'(FRAME) && txd) left <= 4'd0;
      if (left == 4'd1 && txd) complete <= 1'b1;
    end
  end

  // What it is sent.
  wire in_valid, in_ready, out_ready;
  wire [7:0] in_bits;
  logic [WIDTH-1:0] sent_ticks;
  logic [3:0] to_send;
  logic [8:0] frame;
  assign in_ready = to_send == 4'd0;
  assign rxd = to_send == 4'd0 || frame[0];
  always_ff @(posedge clock) begin
    if (reset) begin
      to_send <= 4'd0;
    end else if (in_ready) begin
      if (in_valid) begin
        to_send <= 4'(FRAME);
        frame <= {in_bits, 1'b0};
        sent_ticks <= WIDTH'(DIV - 1);
      end
    end else if (sent_ticks != '0) begin
      sent_ticks <= sent_ticks - 1'b1;
    end else begin
      sent_ticks <= WIDTH'(DIV - 1);
      to_send <= to_send - 4'd1;
      frame <= {1'b1, frame[8:1]};
    end
  end

  firesim_console console (
      .clock,
      .reset,
      .out_valid(complete),
      .out_ready,
      .out_bits (heard),
      .in_valid,
      .in_ready,
      .in_bits
  );
endmodule
