// SPDX-License-Identifier: BSD-3-Clause
// The host's side of a FAME-1 form (`goldengate.host_top`) over a serial line.
//
// The host sends commands; each is answered by a letter when it is done, in order:
//   W address value[4]  write a control register   w
//   R address           read a control register    r value[4]
//   D word[8]           a word down the stream     d
//   S                   what the board says of itself, as firesim_board_status.v does  s value[4]
// Anything else is answered by ?. A word that comes up is sent as U word[8], between answers. Bytes
// of a number come lowest first. E says that a byte came without its stop bit: the host must begin
// anew. At most BYTES bytes may wait for their answers. A break resets everything.
module firesim_uart_link #(parameter DIVISOR = 25, parameter LOG_BYTES = 6) (
  input wire host_clock, input wire rx, output wire tx, input wire [15:0] status,
  output wire host_reset,
  output wire [7:0] axil_awaddr, output wire axil_awvalid, input wire axil_awready,
  output wire [31:0] axil_wdata, output wire axil_wvalid, input wire axil_wready,
  input wire [1:0] axil_bresp, input wire axil_bvalid, output wire axil_bready,
  output wire [7:0] axil_araddr, output wire axil_arvalid, input wire axil_arready,
  input wire [31:0] axil_rdata, input wire [1:0] axil_rresp, input wire axil_rvalid,
  output wire axil_rready,
  output wire down_valid, input wire down_ready, output wire [63:0] down_data,
  input wire up_valid, output wire up_ready, input wire [63:0] up_data
);
  wire came, wrong;
  wire [7:0] byte_in;
  firesim_uart_receiver #(.DIVISOR(DIVISOR)) receiver (
    .host_clock(host_clock), .rx(rx), .valid(came), .data(byte_in), .wrong(wrong),
    .is_break(host_reset));

  // Bytes that came.
  reg [7:0] bytes [0:(1<<LOG_BYTES)-1];
  reg [LOG_BYTES:0] head, tail;
  initial begin head = 0; tail = 0; end
  wire [7:0] next_byte = bytes[head[LOG_BYTES-1:0]];
  wire take;
  always @(posedge host_clock) begin
    if (came) bytes[tail[LOG_BYTES-1:0]] <= byte_in;
    if (host_reset) begin
      head <= 0;
      tail <= 0;
    end else begin
      head <= head + take;
      tail <= tail + came;
    end
  end

  localparam [2:0] COMMAND = 0, COLLECT = 1, WRITE = 2, READ = 3, VALUE = 4, DOWN = 5, ANSWER = 6;
  reg [2:0] state;
  reg [7:0] command;
  reg [3:0] left;
  reg [63:0] body;  // the bytes of the command, the last one highest
  reg failed;       // an E is still to be sent
  initial begin state = COMMAND; failed = 1'b0; left = 4'd0; end
  assign take = head != tail & (state == COMMAND | state == COLLECT);

  assign axil_awaddr = body[31:24];
  assign axil_wdata = body[63:32];
  assign axil_awvalid = state == WRITE;
  assign axil_wvalid = state == WRITE;
  assign axil_bready = 1'b1;
  assign axil_araddr = body[63:56];
  assign axil_arvalid = state == READ;
  assign axil_rready = state == VALUE;
  assign down_valid = state == DOWN;
  assign down_data = body;

  // Bytes to be sent, the lowest one first.
  reg [71:0] out;
  reg [3:0] out_left;
  reg [31:0] value;
  reg [7:0] answer;
  initial out_left = 4'd0;
  wire sender_ready;
  wire free = out_left == 4'd0;
  wire send_answer = free & ~failed & state == ANSWER;
  assign up_ready = free & ~failed & state != ANSWER;
  firesim_uart_sender #(.DIVISOR(DIVISOR)) sender (
    .host_clock(host_clock), .host_reset(host_reset), .valid(~free), .ready(sender_ready),
    .data(out[7:0]), .tx(tx));

  always @(posedge host_clock) begin
    if (host_reset) begin
      out_left <= 4'd0;
      failed <= 1'b0;
    end else begin
      if (wrong) failed <= 1'b1;
      else if (free) failed <= 1'b0;
      if (~free) begin
        if (sender_ready) out_left <= out_left - 4'd1;
      end else if (failed) out_left <= 4'd1;
      else if (send_answer) out_left <= answer == "r" | answer == "s" ? 4'd5 : 4'd1;
      else if (up_valid) out_left <= 4'd9;
    end
    if (~free) begin
      if (sender_ready) out <= {8'd0, out[71:8]};
    end else if (failed) out <= {64'd0, "E"};
    else if (send_answer) out <= {32'd0, value, answer};
    else out <= {up_data, "U"};
  end

  always @(posedge host_clock)
    if (host_reset) state <= COMMAND;
    else
      case (state)
        COMMAND:
          if (take) begin
            command <= next_byte;
            answer <= next_byte | 8'h20;
            left <= next_byte == "W" ? 4'd5 : next_byte == "R" ? 4'd1 : 4'd8;
            state <= COLLECT;
            if (next_byte == "S") begin
              value <= {16'h4253, status};
              state <= ANSWER;
            end else if (next_byte != "W" & next_byte != "R" & next_byte != "D") begin
              answer <= "?";
              state <= ANSWER;
            end
          end
        COLLECT:
          if (take) begin
            body <= {next_byte, body[63:8]};
            left <= left - 4'd1;
            if (left == 4'd1) state <= command == "W" ? WRITE : command == "R" ? READ : DOWN;
          end
        WRITE: if (axil_awready & axil_wready) state <= ANSWER;
        READ: if (axil_arready) state <= VALUE;
        VALUE:
          if (axil_rvalid) begin
            value <= axil_rdata;
            state <= ANSWER;
          end
        DOWN: if (down_ready) state <= ANSWER;
        ANSWER: if (send_answer) state <= COMMAND;
        default: state <= COMMAND;
      endcase
endmodule
