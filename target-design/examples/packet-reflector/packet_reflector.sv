// SPDX-License-Identifier: BSD-3-Clause
//
// A blade without a processor, in plain SystemVerilog: it sends every packet it receives back to its
// sender, echoes what is typed on its console, and ends with exit code 0 once the console has
// received 'q' or the network a goodbye. A ping of the bare-metal programs becomes its answer on the
// way (messages: sw/firesim-software/lib/net.h).
//
// A frame on the wire is two pad bytes, destination MAC, source MAC, type, payload; so the first
// flit holds the destination and the second begins with the source (docs/reference/interfaces.md).

module PacketReflector #(
  parameter int DEPTH = 2048  // flits: the largest frame twice, being a power of two
) (
  input logic clock,
  input logic reset
);
  typedef struct packed {
    logic        last;
    logic [63:0] data;
  } flit_t;

  // --- network: hold one flit back, so that the two addresses can be exchanged ---
  logic        in_valid, in_last, out_valid, out_last;
  logic [63:0] in_data, out_data;
  logic [47:0] mac_address;
  logic [15:0] rate_increment, rate_period;

  FireSimNICBridge nic (
    .clock, .reset, .out_valid, .out_data, .out_last, .in_valid, .in_data, .in_last,
    .mac_address, .rate_increment, .rate_period
  );

  flit_t                     queue[DEPTH];
  logic [$clog2(DEPTH):0]    head, tail;
  logic [$clog2(DEPTH):0]    complete;  // whole packets in the queue
  logic                      first;     // the next flit sent begins a packet
  logic                      second;    // ... or is the second of one
  logic                      third;     // ... or the third, which says of what kind a message is
  logic                      message;   // ... of a packet whose type says that it is a message
  wire  [$clog2(DEPTH):0]    filled = tail - head;
  wire                       accept = in_valid & ~reset;
  wire                       send = complete != '0;
  flit_t                     front, following;

  assign front = queue[head[$clog2(DEPTH)-1:0]];
  assign following = queue[head[$clog2(DEPTH)-1:0] + 1'b1];

  // First flit: pad, then as destination the sender, whom the next flit names; then ourselves.
  wire [47:0] original_sender = following.data[47:0];
  assign out_valid = send;
  assign out_last = front.last;
  localparam logic [15:0] MESSAGE_TYPE = 16'hb588;  // 0x88b5, first byte on the wire lowest
  localparam logic [63:0] PING = 1, PONG = 2, BYE = 7;
  wire names_kind = third & message;
  assign out_data = first ? {original_sender, front.data[15:0]}
                  : second ? {front.data[63:48], mac_address}
                  : names_kind && front.data == PING ? PONG : front.data;
  wire goodbye = send && names_kind && front.data == BYE;

  always_ff @(posedge clock) begin
    if (accept) queue[tail[$clog2(DEPTH)-1:0]] <= '{last: in_last, data: in_data};
    if (reset) begin
      head <= '0;
      tail <= '0;
      complete <= '0;
      first <= 1'b1;
      second <= 1'b0;
      third <= 1'b0;
      message <= 1'b0;
    end else begin
      if (accept) tail <= tail + 1'b1;
      if (send) begin
        head <= head + 1'b1;
        first <= front.last;
        second <= first & ~front.last;
        third <= second & ~front.last;
        if (second) message <= front.data[63:48] == MESSAGE_TYPE;
      end
      complete <= complete + ($bits(complete))'(accept & in_last)
                           - ($bits(complete))'(send & front.last);
      no_overflow: assert (!(accept && filled == DEPTH)) else $error("the packet queue overflowed");
      reflected: cover (send && front.last);
    end
  end

  // --- console: echo one character at a time ---
  logic       console_full, quit;
  logic [7:0] character;
  logic       uart_in_valid, uart_out_ready;
  logic [7:0] uart_in_bits;

  FireSimUARTBridge uart (
    .clock, .reset, .out_valid(console_full), .out_bits(character), .in_ready(~console_full),
    .out_ready(uart_out_ready), .in_valid(uart_in_valid), .in_bits(uart_in_bits)
  );

  FireSimTerminationBridge termination (.clock, .reset, .valid(quit), .value(32'h5555));

  always_ff @(posedge clock) begin
    if (reset) begin
      console_full <= 1'b0;
      quit <= 1'b0;
    end else begin
      if (console_full) begin
        if (uart_out_ready) console_full <= 1'b0;
      end else if (uart_in_valid) begin
        console_full <= 1'b1;
        character <= uart_in_bits;
        typed: cover (1'b1);
      end
      if (goodbye || (~console_full && uart_in_valid && uart_in_bits == "q")) quit <= 1'b1;
    end
  end
endmodule
