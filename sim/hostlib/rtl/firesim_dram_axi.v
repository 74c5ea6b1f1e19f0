// SPDX-License-Identifier: BSD-3-Clause
// COUNT ports to one memory (firesim_dram_port.v), as one AXI4 master of 512 bits with bursts of one
// beat. Each port has 4 GiB of the memory for itself, by its number; so none reaches another's. The
// number is the id, too. Ports take turns. After an answer with an error nothing is asked any more, so
// that no target goes on with a word that may be wrong.
module firesim_dram_axi #(parameter COUNT = 1) (
  input wire clock, input wire reset, input wire is_up,
  input wire [COUNT-1:0] write_valid, output wire [COUNT-1:0] write_ready,
  input wire [34*COUNT-1:0] write_row, input wire [512*COUNT-1:0] write_data,
  input wire [64*COUNT-1:0] write_strobe, output wire [COUNT-1:0] write_done,
  input wire [COUNT-1:0] read_valid, output wire [COUNT-1:0] read_ready,
  input wire [34*COUNT-1:0] read_row, output wire [COUNT-1:0] row_valid,
  input wire [COUNT-1:0] row_ready, output wire [511:0] row_data,
  output wire [15:0] awid, output wire [63:0] awaddr, output reg awvalid, input wire awready,
  output reg [511:0] wdata, output reg [63:0] wstrb, output reg wvalid, input wire wready,
  input wire [15:0] bid, input wire [1:0] bresp, input wire bvalid, output wire bready,
  output wire [15:0] arid, output wire [63:0] araddr, output reg arvalid, input wire arready,
  input wire [15:0] rid, input wire [511:0] rdata, input wire [1:0] rresp, input wire rvalid,
  output wire rready,
  output reg wrong  // an answer with an error came since the reset
);
  localparam ROW_BITS = 26;  // of 4 GiB
  reg [3:0] write_turn, read_turn, write_of, read_of;
  reg [ROW_BITS-1:0] write_at, read_at;
  initial begin
    awvalid = 1'b0; wvalid = 1'b0; arvalid = 1'b0; write_turn = 4'd0; read_turn = 4'd0;
    wrong = 1'b0;
  end
  wire [COUNT-1:0] one = 1;
  wire goes = is_up & ~wrong;
  wire write_free = goes & ~awvalid & ~wvalid, read_free = goes & ~arvalid;
  assign write_ready = write_free ? one << write_turn : {COUNT{1'b0}};
  assign read_ready = read_free ? one << read_turn : {COUNT{1'b0}};
  wire writes = |(write_ready & write_valid), reads = |(read_ready & read_valid);

  assign awid = {12'd0, write_of};
  assign arid = {12'd0, read_of};
  assign awaddr = {28'd0, write_of, write_at, 6'd0};
  assign araddr = {28'd0, read_of, read_at, 6'd0};
  assign bready = 1'b1;
  assign write_done = bvalid & bresp == 2'b00 ? one << bid[3:0] : {COUNT{1'b0}};
  assign row_valid = rvalid & rresp == 2'b00 ? one << rid[3:0] : {COUNT{1'b0}};
  assign row_data = rdata;
  assign rready = |(row_valid & row_ready) | (rvalid & rresp != 2'b00);

  always @(posedge clock) begin
    // Who has its turn keeps it only for a request that is there.
    if (write_free) write_turn <= write_turn == COUNT - 1 ? 4'd0 : write_turn + 4'd1;
    if (read_free) read_turn <= read_turn == COUNT - 1 ? 4'd0 : read_turn + 4'd1;
    if (writes) begin
      write_of <= write_turn;
      write_at <= write_row[34*write_turn +: ROW_BITS];
      wdata <= write_data[512*write_turn +: 512];
      wstrb <= write_strobe[64*write_turn +: 64];
    end
    if (reads) begin
      read_of <= read_turn;
      read_at <= read_row[34*read_turn +: ROW_BITS];
    end
    awvalid <= ~reset & (writes | (awvalid & ~awready));
    wvalid <= ~reset & (writes | (wvalid & ~wready));
    arvalid <= ~reset & (reads | (arvalid & ~arready));
    wrong <= ~reset & (wrong | (bvalid & bresp != 2'b00) | (rvalid & rresp != 2'b00));
  end
endmodule
