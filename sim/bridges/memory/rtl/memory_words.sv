// SPDX-License-Identifier: BSD-3-Clause
// The data of a blade's memory, behind a port to a DRAM of any latency.
//
// The port: a request is taken in a host cycle with `mem_request_valid` and `mem_request_ready`. A
// write is a word of eight bytes, of which `mem_request_strobe` says which count; nothing answers
// it. A read is of 64 bytes, and is answered by eight words, the lowest first, in host cycles with
// `mem_response_valid`, when that may be. Answers come in the order of the requests. A read sees
// all writes that were requested before it. Addresses are in bytes from the start of the memory.
//
// Eight stretches of 64 bytes are kept here. They are a copy and decide nothing: a write to one
// drops it. `hint` says that a read of this address is coming.
module firesim_memory_words #(
    parameter int MEMORY_BITS = 40
) (
    input logic clock,
    input logic reset,
    input logic want,
    input logic [MEMORY_BITS-1:0] want_address,
    output logic hit,
    output logic [63:0] word,
    input logic hint,
    input logic [MEMORY_BITS-1:0] hint_address,
    input logic write,
    output logic write_ready,
    input logic [MEMORY_BITS-1:0] write_address,
    input logic [63:0] write_word,
    input logic [7:0] write_strobe,
    output logic mem_request_valid,
    input logic mem_request_ready,
    output logic mem_request_write,
    output logic [MEMORY_BITS-1:0] mem_request_address,
    output logic [63:0] mem_request_data,
    output logic [7:0] mem_request_strobe,
    input logic mem_response_valid,
    input logic [63:0] mem_response_data
);
  typedef logic [MEMORY_BITS-7:0] line_t;
  logic [63:0] words[64];
  line_t lines[8];
  logic [7:0] is_there;

  // A fill: asked for, then answered. `stale`: it was written to after it was asked for.
  logic asks, fills, stale;
  line_t fill;
  logic [2:0] place, answered;
  assign place = fill[2:0];

  line_t wanted, written, hinted;
  assign wanted = want_address[MEMORY_BITS-1:6];
  assign written = write_address[MEMORY_BITS-1:6];
  assign hinted = hint_address[MEMORY_BITS-1:6];
  assign hit = is_there[wanted[2:0]] & lines[wanted[2:0]] == wanted;
  assign word = words[want_address[8:3]];

  logic takes_write, misses, free;
  assign free = ~asks & ~fills;
  assign misses = want & ~hit;
  assign write_ready = ~asks & mem_request_ready;
  assign takes_write = write & write_ready;
  assign mem_request_valid = asks | write;
  assign mem_request_write = ~asks;
  assign mem_request_address = asks ? {fill, 6'd0} : {write_address[MEMORY_BITS-1:3], 3'd0};
  assign mem_request_data = write_word;
  assign mem_request_strobe = write_strobe;

  logic hint_is_there;
  assign hint_is_there = is_there[hinted[2:0]] & lines[hinted[2:0]] == hinted;

  always_ff @(posedge clock) begin
    if (free & misses) fill <= wanted;
    else if (free & hint) fill <= hinted;
    if (mem_response_valid) words[{place, answered}] <= mem_response_data;
    if (reset) begin
      is_there <= '0;
      asks <= 1'b0;
      fills <= 1'b0;
      answered <= '0;
    end else begin
      if (free & (misses | (hint & ~hint_is_there))) begin
        asks <= 1'b1;
        stale <= 1'b0;
      end
      if (asks & mem_request_ready) begin
        asks <= 1'b0;
        fills <= 1'b1;
        lines[place] <= fill;
        is_there[place] <= 1'b0;
      end
      if (mem_response_valid) begin
        answered <= answered + 3'd1;
        if (answered == 3'd7) begin
          fills <= 1'b0;
          is_there[place] <= ~stale & ~(takes_write & written == fill);
        end
      end
      if (takes_write) begin
        if (fills & written == fill) stale <= 1'b1;
        if (lines[written[2:0]] == written) is_there[written[2:0]] <= 1'b0;
      end
    end
  end
endmodule
