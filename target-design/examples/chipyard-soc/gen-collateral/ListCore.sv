// SPDX-License-Identifier: BSD-3-Clause
// The core: it plays a list of 64-bit words in memory to the host. The first two are the addresses
// of tohost and fromhost. Each further one is stored to tohost, and the next one follows when the
// host has taken it: tohost is 0 again, or, for a system call, the answer is in fromhost. A 0 ends
// the list.
module ListCore (
    input clock,
    input reset,
    input awake,
    input [31:0] most_words,
    output asks,
    output writes,
    output [31:0] address,
    output [63:0] data,
    input done,
    input [63:0] answer
);
  localparam [31:0] LIST = 32'h8000_0000;
  typedef enum logic [2:0] {
    ASLEEP,
    TOHOST,
    FROMHOST,
    FETCH,
    STORE,
    LOOK,
    CLEAR,
    STOPPED
  } state_t;
  state_t state;
  logic [31:0] at, tohost, fromhost, words;
  logic [63:0] word;

  // Device 0, command 0, and even: the address of a system call's arguments.
  wire calls = word[63:48] == 16'd0 && !word[0];
  wire taken = calls ? answer != 64'd0 : answer == 64'd0;
  wire lists = state == TOHOST || state == FROMHOST || state == FETCH;

  assign asks = state != ASLEEP && state != STOPPED;
  assign writes = state == STORE || state == CLEAR;
  assign address = lists ? at : state == STORE || !calls ? tohost : fromhost;
  assign data = state == CLEAR ? 64'd0 : word;

  always_ff @(posedge clock) begin
    if (reset) begin
      state <= ASLEEP;
      at <= LIST;
      words <= 32'd0;
    end else if (state == ASLEEP) begin
      if (awake) state <= TOHOST;
    end else if (done) begin
      if (lists) at <= at + 32'd8;
      case (state)
        TOHOST: begin
          tohost <= answer[31:0];
          state  <= FROMHOST;
        end
        FROMHOST: begin
          fromhost <= answer[31:0];
          state <= FETCH;
        end
        FETCH: begin
          word  <= answer;
          words <= words + 32'd1;
          state <= answer == 64'd0 || words == most_words ? STOPPED : STORE;
        end
        STORE: state <= LOOK;
        LOOK: if (taken) state <= calls ? CLEAR : FETCH;
        CLEAR: state <= FETCH;
        default: state <= STOPPED;
      endcase
    end
  end
endmodule
