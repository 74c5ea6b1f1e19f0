// SPDX-License-Identifier: BSD-3-Clause
// The host's side of a FAME-1 form (`goldengate.host_top`) over Etherbone: accesses that are done
// once, however often and in whatever order the packets that ask for them come.
//
// A core that reads and writes words of 32 bits for packets of UDP is the AXI4-Lite master. What a
// host wants done it gives a number, one more than that of the access before:
//
//   a write at ...0 of 16 bytes   the number
//                   4             bits 31:30: store into a register 0, load from one 1, store into
//                                 the window 2, reset 3; bits 15:0 the address
//                   8, 12         the value, the low half first; with the high half it is done,
//                                 if the number is that of accesses done so far, else nothing is
//   a read at 0, 4, 8             IDENTITY; accesses done so far; what the last load found
//           12            what the board says of itself, as firesim_board_status.v does
//           64 to 127             what firesim_window.v shows; all of it as it is when 64 is read
//
// All reads and the repetition of writes change nothing, so a packet may come twice, late or never.
// The reset is that of the target, the host's side and the window; the number goes on.
module firesim_etherbone_link #(parameter LOG_ROOM = 6) (
  input wire host_clock, input wire reset, output wire host_reset,
  input wire [15:0] status,
  input wire [31:0] bus_awaddr, input wire bus_awvalid, output wire bus_awready,
  input wire [31:0] bus_wdata, input wire bus_wvalid, output wire bus_wready,
  output wire bus_bvalid, input wire bus_bready,
  input wire [31:0] bus_araddr, input wire bus_arvalid, output wire bus_arready,
  output reg [31:0] bus_rdata, output wire bus_rvalid, input wire bus_rready,
  output wire [7:0] axil_awaddr, output wire axil_awvalid, input wire axil_awready,
  output wire [31:0] axil_wdata, output wire axil_wvalid, input wire axil_wready,
  input wire axil_bvalid, output wire axil_bready,
  output wire [7:0] axil_araddr, output wire axil_arvalid, input wire axil_arready,
  input wire [31:0] axil_rdata, input wire axil_rvalid, output wire axil_rready,
  output wire down_valid, input wire down_ready, output wire [63:0] down_data,
  input wire up_valid, output wire up_ready, input wire [63:0] up_data
);
  localparam [31:0] IDENTITY = 32'h46534542;
  localparam [3:0] IDLE = 0, DECIDE = 1, WRITE = 2, WRITE_ANSWER = 3, READ = 4, READ_ANSWER = 5,
    STORE = 6, STORE_BEAT = 7, STORE_ANSWER = 8, RESET = 9, WRITTEN = 10, LOOK = 11, SHOWN = 12,
    SEEN = 13, FOUND = 14;
  reg [3:0] state;
  reg [31:0] number, what, low, high, done, value;
  reg [4:0] place;  // of a read, in words
  reg [2:0] left;   // host cycles of a reset
  initial begin state = IDLE; done = 32'd0; value = 32'd0; left = 3'd0; end
  wire writes = state == IDLE & bus_awvalid & bus_wvalid;
  assign bus_awready = writes;
  assign bus_wready = writes;
  assign bus_bvalid = state == WRITTEN;
  assign bus_arready = state == IDLE & ~bus_awvalid;
  assign bus_rvalid = state == FOUND;
  assign host_reset = reset | left != 3'd0;

  assign axil_awaddr = what[7:0];
  assign axil_awvalid = state == WRITE;
  assign axil_wdata = low;
  assign axil_wvalid = state == WRITE;
  assign axil_bready = state == WRITE_ANSWER;
  assign axil_araddr = what[7:0];
  assign axil_arvalid = state == READ;
  assign axil_rready = state == READ_ANSWER;

  wire awready, wready, bvalid, arready;
  wire [511:0] view;  // stays until the next look
  always @(posedge host_clock)
    if (reset) begin
      state <= IDLE;
      done <= 32'd0;
      left <= 3'd0;
    end else
      case (state)
        IDLE:
          if (writes) begin
            state <= WRITTEN;
            case (bus_awaddr[3:2])
              2'd0: number <= bus_wdata;
              2'd1: what <= bus_wdata;
              2'd2: low <= bus_wdata;
              default: begin
                high <= bus_wdata;
                if (number == done) state <= DECIDE;
              end
            endcase
          end else if (bus_arvalid & bus_arready) begin
            place <= bus_araddr[6:2];
            state <= bus_araddr[6:2] == 5'd16 ? LOOK : SEEN;
          end
        DECIDE: begin
          done <= done + 32'd1;
          left <= 3'd7;
          case (what[31:30])
            2'd0: state <= WRITE;
            2'd1: state <= READ;
            2'd2: state <= STORE;
            default: state <= RESET;
          endcase
          if (what[31:30] != 2'd3) left <= 3'd0;
        end
        WRITE: if (axil_awready & axil_wready) state <= WRITE_ANSWER;
        WRITE_ANSWER: if (axil_bvalid) state <= WRITTEN;
        READ: if (axil_arready) state <= READ_ANSWER;
        READ_ANSWER:
          if (axil_rvalid) begin
            value <= axil_rdata;
            state <= WRITTEN;
          end
        STORE: if (awready) state <= STORE_BEAT;
        STORE_BEAT: if (wready) state <= STORE_ANSWER;
        STORE_ANSWER: if (bvalid) state <= WRITTEN;
        RESET: begin
          left <= left - 3'd1;
          if (left == 3'd1) state <= WRITTEN;
        end
        WRITTEN: if (bus_bready) state <= IDLE;
        LOOK: if (arready) state <= SHOWN;
        SHOWN: state <= SEEN;  // the window's answer is over, and what it showed last stays
        SEEN: state <= FOUND;
        FOUND: if (bus_rready) state <= IDLE;
        default: state <= IDLE;
      endcase
  always @(posedge host_clock)
    if (state == SEEN)
      bus_rdata <= place[4] ? view[32*place[3:0] +: 32] : place[3:0] == 4'd0 ? IDENTITY :
        place[3:0] == 4'd1 ? done : place[3:0] == 4'd2 ? value :
        place[3:0] == 4'd3 ? {16'h4253, status} : 32'd0;

  wire near_valid, near_ready;
  wire [63:0] near_data;
  wire [LOG_ROOM:0] room;
  firesim_window #(.LOG_ROOM(LOG_ROOM)) window (
    .clock(host_clock), .reset(host_reset),
    .awid(16'd0), .awaddr({48'd0, what[15:0]}), .awvalid(state == STORE), .awready(awready),
    .wdata({448'd0, high, low}), .wstrb(64'hff), .wlast(1'b1), .wvalid(state == STORE_BEAT),
    .wready(wready), .bid(), .bresp(), .bvalid(bvalid), .bready(state == STORE_ANSWER),
    .arid(16'd0), .arlen(8'd0), .arvalid(state == LOOK), .arready(arready), .rid(), .rdata(view),
    .rresp(), .rlast(), .rvalid(), .rready(1'b1),
    .down_valid(near_valid), .down_ready(near_ready), .down_data(near_data), .down_room(room),
    .up_valid(up_valid), .up_ready(up_ready), .up_data(up_data));
  firesim_crossing #(.LOG_DEPTH(LOG_ROOM)) down (
    .in_clock(host_clock), .in_reset(host_reset), .in_valid(near_valid), .in_ready(near_ready),
    .in_data(near_data), .room(room),
    .out_clock(host_clock), .out_reset(host_reset), .out_valid(down_valid), .out_ready(down_ready),
    .out_data(down_data));
endmodule
