// SPDX-License-Identifier: BSD-3-Clause
//
// The driver's card: it sends a sequence of words to the echo and has it back, for four sizes, first
// with the handshake and then without. Four counters, in cycles of the kernel's clock:
//   latency   from the first word sent to the first word received
//   send      from the first word sent to the last word sent
//   receive   from the first word received to the last word received
//   total     from the first word sent to the last word received
//
// A message is SYNC, which has a header with its length; ACK from the receiver; and the words. Without
// the handshake nobody waits for an ACK and none is sent. FIN ends the echo.

module CardDriver #(
  parameter int PACKET_WORDS = 23
) (
  input  logic         clock,
  input  logic         reset,
  input  logic         tick,
  output logic         send_valid,
  output logic         send_last,
  output logic         send_control,
  output logic [511:0] send_word,
  input  logic         send_ready,
  input  logic         receive_valid,
  input  logic         receive_control,
  input  logic [511:0] receive_word,
  output logic         done,
  output logic [31:0]  errors
);
  localparam logic [7:0] SYNC = 8'h02, ACK = 8'h04, FIN = 8'h10;
  localparam logic [7:0] NO_HANDSHAKE = 8'h01;  // opcode

  typedef enum logic [2:0] {ANNOUNCE, ALLOWED, SEND, ANSWER, ALLOW, RECEIVE, FINISH, ENDED} state_t;
  state_t      state;
  logic [1:0]  size;
  logic        without;  // the handshake
  logic [31:0] sent, received, now;
  logic [31:0] first_sent, last_sent, first_received;
  logic [4:0]  in_packet;

  logic [31:0] length_bytes;
  always_comb begin
    case (size)
      2'd0: length_bytes = 128;
      2'd1: length_bytes = 1024;
      2'd2: length_bytes = 10240;
      2'd3: length_bytes = 102400;
    endcase
  end
  wire [31:0] length_words = {6'b0, length_bytes[31:6]};
  wire [7:0]  opcode = {7'b0, without};

  // Header: type 7:0, opcode 15:8, buffer 23:16, tag 31:24, length 95:32, socket 111:96.
  function automatic logic [511:0] header(input logic [7:0] kind, input logic [7:0] operation,
                                          input logic [7:0] tag, input logic [31:0] bytes);
    return {400'b0, 16'd0, 32'b0, bytes, tag, 8'd0, operation, kind};
  endfunction

  wire       is_data = receive_valid & ~receive_control;
  wire       is_control = receive_valid & receive_control;
  wire [7:0] kind = receive_word[7:0];
  wire       taken = send_valid & send_ready;
  wire       last_word = sent + 1 == length_words;
  wire       wrong = receive_word != {480'b0, received};

  assign send_valid = state == ANNOUNCE || state == SEND || state == ALLOW || state == FINISH;
  assign send_control = state != SEND;
  assign send_last = send_control || last_word || in_packet == PACKET_WORDS - 1;
  assign send_word = state == SEND ? {480'b0, sent}
                   : header(state == ANNOUNCE ? SYNC : state == ALLOW ? ACK : FIN, opcode,
                            {6'b0, size}, state == ANNOUNCE ? length_bytes : 32'b0);
  assign done = state == ENDED;

  always_ff @(posedge clock) begin
    if (reset) begin
      state <= ANNOUNCE;
      size <= '0;
      without <= 1'b0;
      sent <= '0;
      received <= '0;
      now <= '0;
      in_packet <= '0;
      errors <= '0;
    end else if (tick) begin
      now <= now + 1;
      case (state)
        ANNOUNCE: if (taken) state <= without ? SEND : ALLOWED;
        ALLOWED: if (is_control) begin
          state <= SEND;
          if (kind != ACK) errors <= errors + 1;
        end
        SEND: if (taken) begin
          if (sent == 0) first_sent <= now;
          last_sent <= now;
          sent <= sent + 1;
          in_packet <= send_last ? '0 : in_packet + 1'b1;
          if (last_word) state <= ANSWER;
        end
        ANSWER: if (is_control) begin
          state <= without ? RECEIVE : ALLOW;
          if (receive_word != header(SYNC, opcode, {6'b0, size}, length_bytes)) errors <= errors + 1;
        end
        ALLOW: if (taken) state <= RECEIVE;
        RECEIVE: if (is_data) begin
          if (received == 0) first_received <= now;
          received <= received + 1;
          if (wrong) errors <= errors + 1;
          if (received + 1 == length_words) begin
            sent <= '0;
            received <= '0;
            size <= size + 1'b1;
            if (size == 3) without <= 1'b1;
            state <= size == 3 && without ? FINISH : ANNOUNCE;
            $display("c2c handshake=%0d bytes=%0d latency=%0d send=%0d receive=%0d total=%0d errors=%0d",
                     !without, length_bytes, first_received - first_sent, last_sent - first_sent,
                     now - first_received, now - first_sent, errors + 32'(wrong));
          end
        end
        FINISH: if (taken) state <= ENDED;
        default: ;
      endcase
      if (receive_valid && state != ALLOWED && state != ANSWER && state != RECEIVE) errors <= errors + 1;
    end
  end
endmodule
