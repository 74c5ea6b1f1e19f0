// SPDX-License-Identifier: BSD-3-Clause
//
// A card of the card-to-card benchmark, as a blade without a processor: driver or echo, with UDP and
// MAC, and the link. It starts by itself at reset and ends by itself. How to use it, and what its
// numbers mean: docs/how-to/card-to-card.md.
//
// The link's clock is the design's: with 64 bits a cycle, 1.5625 GHz is 100 Gb/s. The kernel's clock
// is 300 MHz, 24 of 125 cycles of it.

module CardToCard #(
  parameter bit         ECHO = 0,  // 0: the driver
  parameter logic [7:0] PEER = 3   // last byte of the echo's MAC address, which the driver sends to
) (
  input logic clock,
  input logic reset
);
  localparam int KERNEL_CYCLES = 24, LINK_CYCLES = 125;
  localparam int PACKET_WORDS = 23;  // 1,472 bytes

  logic [6:0] phase;
  wire        tick = phase < KERNEL_CYCLES;
  always_ff @(posedge clock) begin
    if (reset) phase <= '0;
    else phase <= tick ? phase + 7'(LINK_CYCLES - KERNEL_CYCLES) : phase - 7'(KERNEL_CYCLES);
  end

  logic        net_in_valid, net_in_last, net_out_valid, net_out_last;
  logic [63:0] net_in_data, net_out_data;
  logic [47:0] own_mac, asker_mac;
  logic [15:0] rate_increment, rate_period;

  FireSimNICBridge nic (
    .clock, .reset, .out_valid(net_out_valid), .out_data(net_out_data), .out_last(net_out_last),
    .in_valid(net_in_valid), .in_data(net_in_data), .in_last(net_in_last), .mac_address(own_mac),
    .rate_increment, .rate_period
  );

  logic         send_valid, send_last, send_control, send_ready;
  logic         receive_valid, receive_control;
  logic         idle;
  logic [511:0] send_word, receive_word;
  wire  [47:0]  peer_mac = ECHO ? asker_mac : {PEER, 40'h00006d1200};

  CardSend #(.PACKET_WORDS(PACKET_WORDS)) sender (
    .clock, .reset, .tick, .in_valid(send_valid), .in_last(send_last), .in_control(send_control),
    .in_word(send_word), .in_ready(send_ready), .own_mac, .peer_mac, .idle,
    .out_valid(net_out_valid), .out_last(net_out_last), .out_data(net_out_data)
  );
  CardReceive #(.PACKET_WORDS(PACKET_WORDS)) receiver (
    .clock, .reset, .tick, .in_valid(net_in_valid), .in_last(net_in_last), .in_data(net_in_data),
    .own_mac, .out_valid(receive_valid), .out_control(receive_control), .out_word(receive_word),
    .out_ready(1'b1), .peer_mac(asker_mac)
  );

  logic        done;
  logic [31:0] errors;
  if (ECHO) begin : g_echo
    CardEcho #(.PACKET_WORDS(PACKET_WORDS)) kernel (
      .clock, .reset, .tick, .send_valid, .send_last, .send_control, .send_word, .send_ready,
      .receive_valid, .receive_control, .receive_word, .done, .errors
    );
  end else begin : g_driver
    CardDriver #(.PACKET_WORDS(PACKET_WORDS)) kernel (
      .clock, .reset, .tick, .send_valid, .send_last, .send_control, .send_word, .send_ready,
      .receive_valid, .receive_control, .receive_word, .done, .errors
    );
  end

  // Frames of ours must have left before a node ends.
  FireSimTerminationBridge termination (
    .clock, .reset, .valid(done & idle),
    .value(errors == 0 ? 32'h5555 : 32'h1_3333)
  );
endmodule
