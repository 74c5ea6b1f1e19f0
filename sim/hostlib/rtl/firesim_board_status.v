// SPDX-License-Identifier: BSD-3-Clause
// What a board's top knows of itself, in the way of AXI4-Lite's reads to the registers of its blades: a
// read with `is_chosen` is answered here, in the clock of the bus, so that the host learns why nothing
// else answers. Others pass, one at a time.
//
// Bits of the answer (sim/hostlib/board_status.h): 31:16 MARK, 0 the host's clock is locked, 1 its reset
// is over, 2 there is a DRAM, 3 it is calibrated, 4 it answered an access with an error. Boards that are
// not on PCIe have 5 nothing makes the host's clock that could be locked, 6 its lock was lost since the
// bitstream was loaded.
module firesim_board_status (
  input wire clock, input wire reset, input wire is_chosen,
  input wire locked, input wire is_up,
  input wire has_dram, input wire dram_is_up, input wire dram_is_wrong,
  input wire arvalid, output wire arready, output wire [31:0] rdata, output wire [1:0] rresp,
  output wire rvalid, input wire rready,
  output wire far_arvalid, input wire far_arready, input wire [31:0] far_rdata,
  input wire [1:0] far_rresp, input wire far_rvalid, output wire far_rready
);
  localparam [15:0] MARK = 16'h4253;
  // The flags are of other clocks.
  (* ASYNC_REG = "TRUE" *) reg [3:0] flags_1, flags_2;
  initial begin flags_1 = 4'd0; flags_2 = 4'd0; end
  always @(posedge clock) begin
    flags_1 <= {dram_is_wrong, dram_is_up, is_up, locked};
    flags_2 <= flags_1;
  end

  reg answers, passes;  // a read that is to be answered here; one that is not over behind
  initial begin answers = 1'b0; passes = 1'b0; end
  wire free = ~answers & ~passes;
  assign far_arvalid = arvalid & ~is_chosen & free;
  assign arready = free & (is_chosen | far_arready);
  assign rvalid = answers | far_rvalid;
  assign far_rready = rready & ~answers;
  assign rdata = answers ? {MARK, 11'd0, flags_2[3:2], has_dram, flags_2[1:0]} : far_rdata;
  assign rresp = answers ? 2'b00 : far_rresp;
  always @(posedge clock)
    if (reset) begin
      answers <= 1'b0;
      passes <= 1'b0;
    end else begin
      answers <= (arvalid & arready & is_chosen) | (answers & ~rready);
      passes <= (far_arvalid & far_arready) | (passes & ~(far_rvalid & rready));
    end
endmodule
