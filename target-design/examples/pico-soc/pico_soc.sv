// SPDX-License-Identifier: BSD-3-Clause
//
// A small computer around somebody else's processor: PicoRV32 (picorv32.v, which is not part of
// FireSim) with memory, a console, a network port and a way to end, each by a bridge.
//
//   0x0000_0000  memory, MEMORY_WORDS words, filled from the file PROGRAM; execution starts at 0
//   0x1000_0000  console: write = send a character; read: bit 0 = the next one can be sent
//   0x2000_0000  network, by flits of 8 bytes:
//                +0x00 read: bit 0 = a flit has arrived, bit 1 = it is the last of its packet
//                +0x04 its low half, +0x08 its high half; writing +0x0c takes it away
//                +0x10 low half to send; writing the high half sends: +0x14, or +0x18 the last flit
//                +0x20 own address, low half, +0x24 high half
//   0x3000_0000  write = the end: 0x5555 passed, code << 16 | 0x3333 failed

module PicoSoc #(
    parameter int MEMORY_WORDS = 4096,
    parameter PROGRAM = "pico_soc.hex"
) (
    input logic clock,
    input logic reset
);
  // --- processor: asks for a word until it is ready, one cycle later ---
  logic valid, ready;
  logic [31:0] address, write_data, read_data;
  logic [3:0] strobe;
  picorv32 #(
      .ENABLE_COUNTERS(0)
  ) core (
      .clk(clock),
      .resetn(~reset),
      .mem_valid(valid),
      .mem_ready(ready),
      .mem_addr(address),
      .mem_wdata(write_data),
      .mem_wstrb(strobe),
      .mem_rdata(read_data),
      .pcpi_wr(1'b0),
      .pcpi_rd(32'b0),
      .pcpi_wait(1'b0),
      .pcpi_ready(1'b0),
      .irq(32'b0)
  );
  wire starts = valid && !ready;
  wire is_write = starts && strobe != 0;
  wire [3:0] device = address[31:28];
  wire [7:0] offset = address[7:0];

  // --- memory ---
  logic [31:0] memory[MEMORY_WORDS];
  initial $readmemh(PROGRAM, memory);
  wire [$clog2(MEMORY_WORDS)-1:0] row = address[$clog2(MEMORY_WORDS)+1:2];
  logic [31:0] memory_data;
  always_ff @(posedge clock) begin
    memory_data <= memory[row];
    for (int lane = 0; lane < 4; lane++)
      if (is_write && device == 0 && strobe[lane])
        memory[row][lane*8+:8] <= write_data[lane*8+:8];
  end

  // --- console ---
  logic character_waits, character_taken;
  logic [7:0] character;
  FireSimUARTBridge uart (
      .clock, .reset,
      .out_valid(character_waits), .out_bits(character), .out_ready(character_taken),
      .in_ready(1'b0), .in_valid(), .in_bits()
  );
  always_ff @(posedge clock) begin
    if (reset) character_waits <= 0;
    else if (is_write && device == 1) begin
      character_waits <= 1;
      character <= write_data[7:0];
    end else if (character_taken) character_waits <= 0;
  end

  // --- network: what arrives waits in a queue ---
  localparam int DEPTH = 1024;
  typedef struct packed {
    logic last;
    logic [63:0] data;
  } flit_t;
  logic arrives, arrives_last, sends, sends_last;
  logic [63:0] arrives_data, sends_data;
  logic [47:0] mac_address;
  FireSimNICBridge nic (
      .clock, .reset,
      .out_valid(sends), .out_data(sends_data), .out_last(sends_last),
      .in_valid(arrives), .in_data(arrives_data), .in_last(arrives_last),
      .mac_address, .rate_increment(), .rate_period()
  );
  flit_t queue[DEPTH];
  logic [$clog2(DEPTH):0] head, tail;
  wire flit_t front = queue[head[$clog2(DEPTH)-1:0]];
  logic [31:0] send_low;
  wire takes = is_write && device == 2 && offset == 8'h0c;
  wire sends_now = is_write && device == 2 && (offset == 8'h14 || offset == 8'h18);
  always_ff @(posedge clock) begin
    if (arrives) queue[tail[$clog2(DEPTH)-1:0]] <= '{last: arrives_last, data: arrives_data};
    sends <= sends_now && !reset;
    sends_last <= offset == 8'h18;
    sends_data <= {write_data, send_low};
    if (is_write && device == 2 && offset == 8'h10) send_low <= write_data;
    if (reset) begin
      head <= 0;
      tail <= 0;
    end else begin
      if (arrives) tail <= tail + 1;
      if (takes) head <= head + 1;
      queue_holds : assert (!arrives || tail - head != DEPTH) else $error("the queue overflowed");
      packet_sent : cover (sends && sends_last);
    end
  end

  // --- end ---
  logic ends;
  logic [31:0] exit_code;
  FireSimTerminationBridge termination (.clock, .reset, .valid(ends), .value(exit_code));
  always_ff @(posedge clock) begin
    ends <= is_write && device == 3 && !reset;
    exit_code <= write_data;
  end

  // --- answers, one cycle after the question ---
  logic [31:0] device_data;
  always_ff @(posedge clock) begin
    ready <= starts && !reset;
    case (device)
      4'h1: device_data <= 32'(!character_waits);
      4'h2:
      case (offset)
        8'h00: device_data <= {30'b0, front.last, head != tail};
        8'h04: device_data <= front.data[31:0];
        8'h08: device_data <= front.data[63:32];
        8'h20: device_data <= mac_address[31:0];
        default: device_data <= {16'b0, mac_address[47:32]};
      endcase
      default: device_data <= 0;
    endcase
  end
  wire from_memory = device == 0;
  assign read_data = from_memory ? memory_data : device_data;
endmodule
