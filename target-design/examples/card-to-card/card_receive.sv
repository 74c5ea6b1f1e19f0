// SPDX-License-Identifier: BSD-3-Clause
//
// A card's way from the network: UDP datagrams on the 64-bit link become packets of 512-bit words.
//
// A frame is held until it is complete and known to be ours: MAC, IPv4 header with its checksum, UDP,
// one of the two ports, a length that fits. All others are dropped whole. Words then leave at the
// kernel's clock, one in each cycle with `tick`.

module CardReceive #(
  parameter int PACKET_WORDS = 23,
  parameter int DEPTH = 64  // words, a power of two
) (
  input  logic         clock,
  input  logic         reset,
  input  logic         tick,
  input  logic         in_valid,
  input  logic         in_last,
  input  logic [63:0]  in_data,
  input  logic [47:0]  own_mac,
  output logic         out_valid,
  output logic         out_control,
  output logic [511:0] out_word,
  input  logic         out_ready,
  // Who sent the newest frame that was taken.
  output logic [47:0]  peer_mac
);
  localparam logic [15:0] CONTROL_PORT = 5000, DATA_PORT = 5001;

  logic [511:0]           words[DEPTH];
  logic                   controls[DEPTH];
  logic [$clog2(DEPTH):0] head, committed, tail;
  wire  [$clog2(DEPTH):0] held = tail - head;

  assign out_valid = head != committed;
  assign out_word = words[head[$clog2(DEPTH)-1:0]];
  assign out_control = controls[head[$clog2(DEPTH)-1:0]];

  function automatic logic [15:0] swapped(input logic [15:0] value);
    return {value[7:0], value[15:8]};
  endfunction

  // --- the frame that is coming in ---
  logic [7:0]   index;
  logic         good;
  logic [47:0]  sender;
  logic [15:0]  ip_bytes, port;
  logic [19:0]  sum;
  logic [31:0]  carry;
  logic [447:0] assembled;  // seven eighths of a word
  wire  [63:0]  payload = {in_data[31:0], carry};
  wire  [2:0]   lane = 3'(index - 8'd6);
  wire          completes = in_valid && index >= 6 && lane == 7;
  wire          room = !held[$clog2(DEPTH)];
  wire  [15:0]  udp_bytes = swapped(in_data[15:0]);
  wire  [15:0]  quarter = in_data[15:0], second = in_data[31:16];
  wire  [15:0]  third = in_data[47:32], fourth = in_data[63:48];
  wire  [16:0]  folded = {1'b0, sum[15:0]} + {13'b0, sum[19:16]};
  wire          summed = folded[15:0] + {15'b0, folded[16]} == 16'hffff;
  wire  [31:0]  own_ip = {own_mac[47:32], 16'h10ac};
  logic         fits;

  always_comb begin
    case (index)
      8'd0: fits = in_data[63:16] == own_mac;
      8'd1: fits = in_data[63:48] == 16'h0008;
      8'd2: fits = in_data[7:0] == 8'h45 && (swapped(in_data[63:48]) & 16'hbfff) == 16'h0;
      8'd3: fits = in_data[15:8] == 8'h11;
      8'd4: fits = in_data[31:0] == own_ip
                && (swapped(fourth) == CONTROL_PORT || swapped(fourth) == DATA_PORT);
      8'd5: fits = summed && ip_bytes == udp_bytes + 16'd20 && udp_bytes[5:0] == 6'd8
                && udp_bytes[15:6] != '0 && udp_bytes[15:6] <= PACKET_WORDS;
      default: fits = !completes || room;
    endcase
  end
  wire complete = good & fits & completes & in_last
                & ({5'b0, index, 3'b0} == ip_bytes + 16'd12);

  always_ff @(posedge clock) begin
    if (reset) begin
      head <= '0;
      committed <= '0;
      tail <= '0;
      index <= '0;
      good <= 1'b1;
      peer_mac <= '0;
    end else begin
      if (tick && out_valid && out_ready) head <= head + 1'b1;
      if (in_valid) begin
        index <= in_last ? '0 : index == 8'hff ? index : index + 1'b1;
        good <= in_last | (good & fits);
        carry <= in_data[63:32];
        if (index == 1) sender <= in_data[47:0];
        if (index == 2) begin
          ip_bytes <= swapped(second);
          sum <= quarter + second + third + fourth;
        end
        if (index == 3) sum <= sum + quarter + second + third + fourth;
        if (index == 4) begin
          sum <= sum + quarter + second;
          port <= swapped(fourth);
        end
        if (index >= 6) assembled <= {payload, assembled[447:64]};
        if (completes && good && room) begin
          words[tail[$clog2(DEPTH)-1:0]] <= {payload, assembled};
          controls[tail[$clog2(DEPTH)-1:0]] <= port == CONTROL_PORT;
        end
        if (in_last) begin
          tail <= complete ? tail + 1'b1 : committed;
          if (complete) begin
            committed <= tail + 1'b1;
            peer_mac <= sender;
          end
        end else if (completes && good && room) tail <= tail + 1'b1;
      end
      frames_taken: cover (in_valid && complete);
      frames_dropped: cover (in_valid && in_last && !complete);
    end
  end
endmodule
