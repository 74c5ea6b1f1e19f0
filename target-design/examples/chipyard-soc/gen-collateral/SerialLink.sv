// SPDX-License-Identifier: BSD-3-Clause
// The chip's end of the Tethered Serial Interface. A command is 0 (read) or 1 (write), an address in
// two words, the number of words less one in two words, and the words that are written. Memory is
// read and written by whole words of 64 bits where a command has both halves, so the host never
// sees one half of what the core stores.
module SerialLink (
    input clock,
    input reset,
    output tsi_in_ready,
    input tsi_in_valid,
    input [31:0] tsi_in_bits,
    input tsi_out_ready,
    output tsi_out_valid,
    output [31:0] tsi_out_bits,
    output asks,
    output logic writes,
    output logic [31:0] address,
    output logic [63:0] data,
    output logic [7:0] strobe,
    input done,
    input [63:0] answer
);
  typedef enum logic [1:0] {
    HEAD,
    TAKE,
    ACCESS,
    SAY
  } state_t;
  state_t state;
  logic [2:0] at;
  logic [31:0] left;  // words behind the one at `address`

  assign tsi_in_ready = !reset && (state == HEAD || state == TAKE);
  assign tsi_out_valid = state == SAY;
  assign tsi_out_bits = address[2] ? data[63:32] : data[31:0];
  assign asks = state == ACCESS;

  always_ff @(posedge clock) begin
    if (reset) begin
      state <= HEAD;
      at <= 3'd0;
      strobe <= 8'd0;
    end else
      case (state)
        HEAD:
        if (tsi_in_valid) begin
          at <= at == 3'd4 ? 3'd0 : at + 3'd1;
          if (at == 3'd0) writes <= tsi_in_bits[0];
          if (at == 3'd1) address <= tsi_in_bits;
          if (at == 3'd3) left <= tsi_in_bits;
          if (at == 3'd4) state <= writes ? TAKE : ACCESS;
        end
        TAKE:
        if (tsi_in_valid) begin
          if (address[2]) data[63:32] <= tsi_in_bits;
          else data[31:0] <= tsi_in_bits;
          strobe <= strobe | (address[2] ? 8'hf0 : 8'h0f);
          if (address[2] || left == 0) state <= ACCESS;
          else begin
            address <= address + 32'd4;
            left <= left - 32'd1;
          end
        end
        ACCESS:
        if (done) begin
          strobe <= 8'd0;
          if (!writes) begin
            data  <= answer;
            state <= SAY;
          end else if (left == 0) state <= HEAD;
          else begin
            address <= address + 32'd4;
            left <= left - 32'd1;
            state <= TAKE;
          end
        end
        SAY:
        if (tsi_out_ready) begin
          if (left == 0) state <= HEAD;
          else begin
            address <= address + 32'd4;
            left <= left - 32'd1;
            if (address[2]) state <= ACCESS;
          end
        end
      endcase
  end
endmodule
