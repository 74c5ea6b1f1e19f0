// SPDX-License-Identifier: BSD-3-Clause
// Both streams of words through a window of PCIe memory: an AXI4 slave of 512 bits.
//
//   a write below 4 KiB        each 8 bytes written whole are a word down, the lowest address first
//   a write from 4 KiB on      its lowest 8 bytes: so many of the words shown are taken, at most 7
//   a read anywhere            8 bytes of state, then the seven oldest words that came up
//
// State: 3:0 words shown; 15:4 room for words down; 39:16 words that went down so far; 63:40 words
// taken so far. A read changes nothing, so it may be of any part and come twice; and since the
// counts say which writes it has seen, it may also overtake writes. Bytes that are no whole word,
// and taking more than is shown, are answered by SLVERR.
module firesim_window #(parameter LOG_ROOM = 8) (
  input wire clock, input wire reset,
  input wire [15:0] awid, input wire [63:0] awaddr, input wire awvalid, output wire awready,
  input wire [511:0] wdata, input wire [63:0] wstrb, input wire wlast, input wire wvalid,
  output wire wready,
  output reg [15:0] bid, output wire [1:0] bresp, output wire bvalid, input wire bready,
  input wire [15:0] arid, input wire [7:0] arlen, input wire arvalid, output wire arready,
  output reg [15:0] rid, output reg [511:0] rdata, output wire [1:0] rresp, output reg rlast,
  output reg rvalid, input wire rready,
  output wire down_valid, input wire down_ready, output wire [63:0] down_data,
  input wire [LOG_ROOM:0] down_room,
  input wire up_valid, output wire up_ready, input wire [63:0] up_data
);
  localparam [1:0] ADDRESS = 0, BEAT = 1, WORDS = 2, ANSWER = 3;
  reg [1:0] state;
  reg takes, wrong, last;
  reg [511:0] beat;
  reg [7:0] lanes;   // those of `beat` that are words still to go down
  reg [3:0] left;    // lanes to look at
  reg [2:0] to_take;
  reg [3:0] shown;
  reg [447:0] words; // what is shown, the oldest word lowest
  reg [23:0] sent, taken;
  initial begin
    state = ADDRESS; shown = 0; sent = 0; taken = 0; to_take = 0; left = 0; rvalid = 0;
  end

  // Writes.
  reg [7:0] whole, touched;
  integer lane;
  always @*
    for (lane = 0; lane < 8; lane = lane + 1) begin
      whole[lane] = &wstrb[8*lane +: 8];
      touched[lane] = |wstrb[8*lane +: 8];
    end
  assign awready = state == ADDRESS & ~reset;
  assign wready = state == BEAT;
  assign down_valid = state == WORDS & ~takes & lanes[0];
  assign down_data = beat[63:0];
  assign bvalid = state == ANSWER;
  assign bresp = {wrong, 1'b0};
  wire moves = ~takes & (~lanes[0] | down_ready);
  wire takes_one = state == WORDS & takes & to_take != 0 & shown != 0;
  wire over = takes ? to_take == 0 | shown == 0 : left == 0;
  always @(posedge clock)
    if (reset) begin
      state <= ADDRESS;
      sent <= 0;
      taken <= 0;
    end else begin
      if (down_valid & down_ready) sent <= sent + 1'b1;
      if (takes_one) taken <= taken + 1'b1;
      case (state)
        ADDRESS:
          if (awvalid) begin
            bid <= awid;
            takes <= |awaddr[63:12];
            wrong <= 1'b0;
            state <= BEAT;
          end
        BEAT:
          if (wvalid) begin
            beat <= wdata;
            lanes <= whole;
            left <= 4'd8;
            to_take <= whole[0] ? wdata[2:0] : 3'd0;
            wrong <= wrong | whole != touched | (takes & whole[0] & |wdata[63:3]);
            last <= wlast;
            state <= WORDS;
          end
        WORDS:
          if (over) begin
            if (takes & to_take != 0) wrong <= 1'b1;
            state <= last ? ANSWER : BEAT;
          end else if (takes) to_take <= to_take - 1'b1;
          else if (moves) begin
            beat <= {64'd0, beat[511:64]};
            lanes <= {1'b0, lanes[7:1]};
            left <= left - 1'b1;
          end
        default: if (bready) state <= ADDRESS;
      endcase
    end

  // What is shown: a word is taken at one end or comes in at the other, never both in a cycle.
  assign up_ready = shown != 4'd7 & ~takes_one & ~reset;
  always @(posedge clock)
    if (reset) shown <= 4'd0;
    else if (takes_one) begin
      words <= {64'd0, words[447:64]};
      shown <= shown - 1'b1;
    end else if (up_valid & up_ready) begin
      words[64*shown +: 64] <= up_data;
      shown <= shown + 1'b1;
    end

  // Reads.
  wire [11:0] room = down_room;
  wire [511:0] view = {words, taken, sent, room, shown};
  reg [7:0] beats;
  assign arready = ~rvalid & ~reset;
  assign rresp = 2'b00;
  always @(posedge clock)
    if (reset) rvalid <= 1'b0;
    else if (arvalid & arready) begin
      rvalid <= 1'b1;
      rid <= arid;
      rdata <= view;
      rlast <= arlen == 8'd0;
      beats <= arlen;
    end else if (rvalid & rready) begin
      rvalid <= ~rlast;
      rdata <= view;
      rlast <= beats == 8'd1;
      beats <= beats - 1'b1;
    end
endmodule
