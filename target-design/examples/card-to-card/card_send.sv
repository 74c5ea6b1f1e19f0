// SPDX-License-Identifier: BSD-3-Clause
//
// A card's way to the network: packets of 512-bit words become UDP datagrams on the 64-bit link.
//
// Words come at the kernel's clock, which is the cycles with `tick`. A packet is held until it is
// complete, as a sender must that says a frame's length at its front; it then leaves a flit a cycle.
// Frames start as far apart as their bytes take at 8 bytes a cycle, with the 66 bytes that Ethernet
// (preamble, addresses, type, FCS, gap), IPv4 and UDP add to each. Fractions of a cycle are kept.

module CardSend #(
  parameter int PACKET_WORDS = 23,
  parameter int DEPTH = 64  // words, a power of two
) (
  input  logic         clock,
  input  logic         reset,
  input  logic         tick,
  // A word of a packet; `last` ends it. A packet is all control or all data.
  input  logic         in_valid,
  input  logic         in_last,
  input  logic         in_control,
  input  logic [511:0] in_word,
  output logic         in_ready,
  // Byte 0 of an address in bits 7:0.
  input  logic [47:0]  own_mac,
  input  logic [47:0]  peer_mac,
  output logic         idle,  // all packets have left
  output logic         out_valid,
  output logic         out_last,
  output logic [63:0]  out_data
);
  localparam int FRAMING_BYTES = 66;
  localparam int PACKETS = 8;
  localparam logic [15:0] CONTROL_PORT = 5000, DATA_PORT = 5001;

  logic [511:0]             words[DEPTH];
  logic [$clog2(DEPTH):0]   head, tail;
  logic [5:0]               lengths[PACKETS];  // words, and in bit 5 whether it is control
  logic [$clog2(PACKETS):0] first, next;
  logic [4:0]               earlier;  // words of the unfinished packet
  wire  [$clog2(DEPTH):0]   held = tail - head;
  wire  [$clog2(PACKETS):0] packets = next - first;
  wire                      accept = tick & in_valid & in_ready;

  assign in_ready = !held[$clog2(DEPTH)] && !packets[$clog2(PACKETS)];

  // --- the frame that is going out ---
  logic         busy;
  logic [7:0]   index;  // of the flit in the frame
  logic [15:0]  owed;   // bytes of wire that the frames so far still take
  logic [31:0]  carry;
  logic [15:0]  identification;
  wire  [5:0]   packet = lengths[first[$clog2(PACKETS)-1:0]];
  wire  [15:0]  payload_bytes = {5'b0, packet[4:0], 6'b0};
  wire          starts = !busy && packets != '0 && owed < 8;
  wire          sends = busy | starts;
  wire          ends = sends && index == 8'd5 + {packet[4:0], 3'b0};
  wire  [2:0]   lane = 3'(index - 8'd5);
  wire  [511:0] front = words[head[$clog2(DEPTH)-1:0]];
  wire  [63:0]  payload = front[lane*64+:64];
  wire          in_payload = index >= 5 && !ends;

  function automatic logic [15:0] swapped(input logic [15:0] value);
    return {value[7:0], value[15:8]};
  endfunction

  // A card's address is 172.16.x.y, where x and y are the last bytes of its MAC.
  wire [31:0] own_ip = {own_mac[47:32], 16'h10ac};
  wire [31:0] peer_ip = {peer_mac[47:32], 16'h10ac};
  wire [15:0] ip_bytes = payload_bytes + 16'd28;
  wire [15:0] udp_bytes = payload_bytes + 16'd8;
  wire [15:0] port = packet[5] ? CONTROL_PORT : DATA_PORT;

  // The sum of 16-bit words is the same, byte-swapped, in either order of bytes.
  wire [19:0] sum = 20'h0045 + swapped(ip_bytes) + swapped(identification) + 20'h0040 + 20'h1140
                  + own_ip[15:0] + own_ip[31:16] + peer_ip[15:0] + peer_ip[31:16];
  wire [16:0] folded = {1'b0, sum[15:0]} + {13'b0, sum[19:16]};
  wire [15:0] checksum = ~(folded[15:0] + {15'b0, folded[16]});

  always_comb begin
    case (index)
      8'd0: out_data = {peer_mac, 16'h0};
      8'd1: out_data = {16'h0008, own_mac};
      8'd2: out_data = {16'h0040, swapped(identification), swapped(ip_bytes), 16'h0045};
      8'd3: out_data = {own_ip, checksum, 16'h1140};
      8'd4: out_data = {swapped(port), swapped(port), peer_ip};
      default: out_data = {ends ? 32'b0 : payload[31:0], carry};
    endcase
  end
  assign idle = packets == '0 && earlier == '0;
  assign out_valid = sends;
  assign out_last = ends;

  always_ff @(posedge clock) begin
    if (reset) begin
      head <= '0;
      tail <= '0;
      first <= '0;
      next <= '0;
      earlier <= '0;
      busy <= 1'b0;
      index <= '0;
      owed <= '0;
      carry <= '0;
      identification <= '0;
    end else begin
      if (accept) begin
        words[tail[$clog2(DEPTH)-1:0]] <= in_word;
        tail <= tail + 1'b1;
        earlier <= in_last ? '0 : earlier + 1'b1;
        if (in_last) begin
          lengths[next[$clog2(PACKETS)-1:0]] <= {in_control, earlier + 5'd1};
          next <= next + 1'b1;
        end
        not_too_long: assert (earlier < PACKET_WORDS) else $error("a packet has too many words");
      end
      owed <= starts ? owed + payload_bytes + FRAMING_BYTES - 16'd8 : owed < 8 ? '0 : owed - 16'd8;
      if (sends) begin
        busy <= !ends;
        index <= ends ? '0 : index + 1'b1;
        if (index == 4) carry <= {16'b0, swapped(udp_bytes)};
        if (in_payload) carry <= payload[63:32];
        if (in_payload && lane == 7) head <= head + 1'b1;
        if (ends) begin
          first <= first + 1'b1;
          identification <= identification + 1'b1;
        end
      end
    end
  end
endmodule
