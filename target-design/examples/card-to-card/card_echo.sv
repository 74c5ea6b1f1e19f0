// SPDX-License-Identifier: BSD-3-Clause
//
// The echo's card: it stores a whole message, checks that word i is i, and sends it back as a message
// of its own. What a message is: card_driver.sv.

module CardEcho #(
  parameter int PACKET_WORDS = 23,
  parameter int MOST_WORDS = 2048  // of a message, a power of two
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

  typedef enum logic [2:0] {WAIT, ALLOW, RECEIVE, ANNOUNCE, ALLOWED, SEND, ENDED} state_t;
  state_t       state;
  logic [511:0] memory[MOST_WORDS];
  logic [111:0] header;  // of the message that came
  logic [31:0]  count;   // words stored or sent
  logic [4:0]   in_packet;

  wire [31:0] length_words = {6'b0, header[63:38]};
  wire        without = header[8];
  wire [7:0]  kind = receive_word[7:0];
  wire        is_control = receive_valid & receive_control;
  wire        is_data = receive_valid & ~receive_control;
  wire        taken = send_valid & send_ready;
  wire        last_word = count + 1 == length_words;

  assign send_valid = state == ALLOW || state == ANNOUNCE || state == SEND;
  assign send_control = state != SEND;
  assign send_last = send_control || last_word || in_packet == PACKET_WORDS - 1;
  assign send_word = state == SEND ? memory[count[$clog2(MOST_WORDS)-1:0]]
                   : {400'b0, header[111:8], state == ALLOW ? ACK : SYNC};
  assign done = state == ENDED;

  always_ff @(posedge clock) begin
    if (reset) begin
      state <= WAIT;
      count <= '0;
      in_packet <= '0;
      errors <= '0;
    end else if (tick) begin
      case (state)
        WAIT: if (is_control) begin
          header <= receive_word[111:0];
          state <= kind == FIN ? ENDED : receive_word[8] ? RECEIVE : ALLOW;
          if (kind != SYNC && kind != FIN) errors <= errors + 1;
          it_fits: assert (receive_word[95:38] <= MOST_WORDS) else $error("a message is too long");
        end
        ALLOW: if (taken) state <= RECEIVE;
        RECEIVE: if (is_data) begin
          memory[count[$clog2(MOST_WORDS)-1:0]] <= receive_word;
          if (receive_word != {480'b0, count}) errors <= errors + 1;
          count <= last_word ? '0 : count + 1;
          if (last_word) state <= ANNOUNCE;
        end
        ANNOUNCE: if (taken) state <= without ? SEND : ALLOWED;
        ALLOWED: if (is_control) begin
          state <= SEND;
          if (kind != ACK) errors <= errors + 1;
        end
        SEND: if (taken) begin
          in_packet <= send_last ? '0 : in_packet + 1'b1;
          count <= last_word ? '0 : count + 1;
          if (last_word) state <= WAIT;
        end
        default: ;
      endcase
      if (receive_valid && (state == ALLOW || state == ANNOUNCE || state == SEND)) errors <= errors + 1;
    end
  end
endmodule
