// SPDX-License-Identifier: BSD-3-Clause
//
// Plain bodies for the bridges of a blade, so that it runs alone under Verilator with nothing of
// FireSim around it: the other side of the speed experiment. Memory answers after a fixed time and
// keeps one read and one write in flight; the console swallows, the network and the disk are silent.

module FireSimMemoryBridge #(
  parameter ID_BITS = 4, ADDRESS_BITS = 32, DATA_BITS = 64
) (
  input clock, input reset,
  input aw_valid, input [ID_BITS-1:0] aw_id, input [ADDRESS_BITS-1:0] aw_addr, input [7:0] aw_len,
  input [2:0] aw_size, input [1:0] aw_burst,
  input w_valid, input [DATA_BITS-1:0] w_data, input [DATA_BITS/8-1:0] w_strb, input w_last,
  input b_ready,
  input ar_valid, input [ID_BITS-1:0] ar_id, input [ADDRESS_BITS-1:0] ar_addr, input [7:0] ar_len,
  input [2:0] ar_size, input [1:0] ar_burst, input r_ready,
  output aw_ready, output w_ready,
  output b_valid, output [ID_BITS-1:0] b_id, output [1:0] b_resp,
  output ar_ready,
  output r_valid, output [ID_BITS-1:0] r_id, output [DATA_BITS-1:0] r_data, output [1:0] r_resp,
  output r_last
);
  localparam LATENCY_CYCLES = 40;
  localparam WORD_BITS = 21;  // 16 MiB

  reg [63:0] words [0:(1 << WORD_BITS) - 1];
  reg [8*256-1:0] image;
  initial if ($value$plusargs("memory=%s", image)) $readmemh(image, words);

  // Reads: wait, then one beat a cycle.
  reg reading;
  reg [7:0] read_wait, read_left;
  reg [ID_BITS-1:0] read_id;
  reg [2:0] read_size;
  reg [ADDRESS_BITS-1:0] read_address;
  assign ar_ready = !reading;
  assign r_valid = reading && read_wait == 0;
  assign r_id = read_id;
  assign r_data = words[read_address[WORD_BITS+2:3]];
  assign r_resp = 0;
  assign r_last = read_left == 0;

  // Writes: beats as they come, then wait, then the answer.
  reg writing, answering;
  reg [7:0] write_wait;
  reg [ID_BITS-1:0] write_id;
  reg [2:0] write_size;
  reg [ADDRESS_BITS-1:0] write_address;
  assign aw_ready = !writing && !answering;
  assign w_ready = writing;
  assign b_valid = answering && write_wait == 0;
  assign b_id = write_id;
  assign b_resp = 0;

  integer lane;
  always @(posedge clock) begin
    if (reset) begin
      reading <= 0;
      writing <= 0;
      answering <= 0;
    end else begin
      if (ar_valid && ar_ready) begin
        reading <= 1;
        read_wait <= LATENCY_CYCLES - 1;
        read_left <= ar_len;
        read_id <= ar_id;
        read_size <= ar_size;
        read_address <= ar_addr;
        if (ar_burst != 1) $fatal(1, "read burst of another kind than INCR");
      end else if (reading && read_wait != 0) begin
        read_wait <= read_wait - 1;
      end else if (r_valid && r_ready) begin
        reading <= read_left != 0;
        read_left <= read_left - 1;
        read_address <= read_address + (1 << read_size);
      end

      if (aw_valid && aw_ready) begin
        writing <= 1;
        write_id <= aw_id;
        write_size <= aw_size;
        write_address <= aw_addr;
        if (aw_burst != 1) $fatal(1, "write burst of another kind than INCR");
      end
      if (w_valid && w_ready) begin
        for (lane = 0; lane < 8; lane = lane + 1)
          if (w_strb[lane])
            words[write_address[WORD_BITS+2:3]][8*lane +: 8] <= w_data[8*lane +: 8];
        write_address <= write_address + (1 << write_size);
        if (w_last) begin
          writing <= 0;
          answering <= 1;
          write_wait <= LATENCY_CYCLES - 1;
        end
      end
      if (answering && write_wait != 0) write_wait <= write_wait - 1;
      if (b_valid && b_ready) answering <= 0;
    end
  end
endmodule

module FireSimUARTBridge (
  input clock, input reset,
  input out_valid, input [7:0] out_bits, input in_ready,
  output out_ready, output in_valid, output [7:0] in_bits
);
  assign out_ready = 1;
  assign in_valid = 0;
  assign in_bits = 0;
endmodule

module FireSimBlockDeviceBridge (
  input clock, input reset,
  input req_valid, input req_write, input [31:0] req_sector, input [15:0] req_count,
  input [7:0] req_tag, input wdata_valid, input [63:0] wdata_bits, input [7:0] wdata_tag,
  input rdata_ready, input wack_ready,
  output req_ready, output wdata_ready, output rdata_valid, output [63:0] rdata_bits,
  output [7:0] rdata_tag, output wack_valid, output [7:0] wack_tag, output [31:0] info_sectors,
  output [15:0] info_max_request
);
  assign {req_ready, wdata_ready, rdata_valid, rdata_bits, rdata_tag, wack_valid, wack_tag} = 0;
  assign {info_sectors, info_max_request} = 0;
endmodule

module FireSimNICBridge (
  input clock, input reset,
  input out_valid, input [63:0] out_data, input out_last,
  output in_valid, output [63:0] in_data, output in_last, output [47:0] mac_address,
  output [15:0] rate_increment, output [15:0] rate_period
);
  assign {in_valid, in_data, in_last} = 0;
  assign mac_address = 48'h020000_6d1200;
  assign rate_increment = 1;
  assign rate_period = 1;
endmodule

module FireSimTraceRVBridge #(parameter HART = 0, parameter LANE = 0, parameter LANES = 1) (
  input clock, input reset,
  input valid, input [63:0] pc, input [31:0] instruction, input [2:0] privilege, input exception,
  input interrupt, input [63:0] cause, input [63:0] tval
);
endmodule

module FireSimTerminationBridge (
  input clock, input reset, input valid, input [31:0] value
);
  always @(posedge clock) if (!reset && valid) begin
    $display("finished %0d", value);
    $finish;
  end
endmodule
