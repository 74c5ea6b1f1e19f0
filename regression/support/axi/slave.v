// SPDX-License-Identifier: BSD-3-Clause
// What an AXI4 slave with 8 bits of length must do, and what its master may: bursts of one write and one
// read at a time are followed, so a slave that takes a second one before it has answered is a fault, too.
// AXI4-Lite is this with a length of 0. An answer must be there within PATIENCE cycles (0: whenever). With
// AT_ONCE it must be there in the cycle after its access was taken, address and data together: this holds in
// every state that is reached, and by it the other rules are proved for any number of cycles.
module axi_slave #(parameter DATA = 32, parameter ID = 1, parameter PATIENCE = 8, parameter AT_ONCE = 0) (
  input wire clock, input wire reset,
  input wire [ID-1:0] awid, input wire [7:0] awlen, input wire [63:0] awaddr, input wire awvalid,
  input wire awready, input wire [DATA-1:0] wdata, input wire [DATA/8-1:0] wstrb, input wire wlast,
  input wire wvalid, input wire wready, input wire [ID-1:0] bid, input wire [1:0] bresp, input wire bvalid,
  input wire bready, input wire [ID-1:0] arid, input wire [7:0] arlen, input wire [63:0] araddr,
  input wire arvalid, input wire arready, input wire [ID-1:0] rid, input wire [DATA-1:0] rdata,
  input wire [1:0] rresp, input wire rlast, input wire rvalid, input wire rready
);
  // Writes: an address that is taken and not answered, and beats still to come of its burst.
  reg addressed, written;
  reg [ID-1:0] write_id;
  reg [7:0] write_length, beats;
  // Reads likewise.
  reg reading;
  reg [ID-1:0] read_id;
  reg [7:0] left, late_write, late_read;
  reg began;
  initial {addressed, written, reading, beats, late_write, late_read, began} = 0;
  always @(posedge clock) begin
    began <= 1'b1;
    if (reset) {addressed, written, reading, beats} <= 0;
    else begin
      if (awvalid & awready) begin
        addressed <= 1'b1;
        write_id <= awid;
        write_length <= awlen;
      end
      if (wvalid & wready) begin
        beats <= beats + 8'd1;
        if (wlast) written <= 1'b1;
      end
      if (bvalid & bready) {addressed, written, beats} <= 0;
      if (arvalid & arready) begin
        reading <= 1'b1;
        read_id <= arid;
        left <= arlen;
      end else if (rvalid & rready) begin
        left <= left - 8'd1;
        if (rlast) reading <= 1'b0;
      end
    end
    late_write <= addressed & written & ~bvalid ? late_write + 8'd1 : 8'd0;
    late_read <= reading & ~rvalid ? late_read + 8'd1 : 8'd0;
  end

  // What stands until it is taken.
  reg [1+64+8+ID-1:0] aw, ar;
  reg [1+DATA+DATA/8-1:0] w;
  reg [ID+1:0] b;
  reg [ID+2+DATA:0] r;
  reg aw_waits, w_waits, ar_waits, b_waits, r_waits;
  initial {aw_waits, w_waits, ar_waits, b_waits, r_waits} = 0;
  always @(posedge clock) begin
    aw <= {awid, awlen, awaddr};
    ar <= {arid, arlen, araddr};
    w <= {wlast, wdata, wstrb};
    b <= {bid, bresp};
    r <= {rid, rresp, rlast, rdata};
    aw_waits <= ~reset & awvalid & ~awready;
    w_waits <= ~reset & wvalid & ~wready;
    ar_waits <= ~reset & arvalid & ~arready;
    b_waits <= ~reset & bvalid & ~bready;
    r_waits <= ~reset & rvalid & ~rready;
  end

  wire [7:0] length = awvalid & awready ? awlen : write_length;
  always @* begin
    assume (reset == ~began);
    // A master offers until it is taken, and its last beat is the last one.
    if (aw_waits) assume (awvalid & aw == {awid, awlen, awaddr});
    if (w_waits) assume (wvalid & w == {wlast, wdata, wstrb});
    if (ar_waits) assume (arvalid & ar == {arid, arlen, araddr});
    if (wvalid & (addressed | awvalid & awready)) assume (wlast == (beats == length));
    if (~reset) begin
      if (b_waits) assert (bvalid & b == {bid, bresp});
      if (r_waits) assert (rvalid & r == {rid, rresp, rlast, rdata});
      if (awvalid & awready) assert (~addressed);
      if (wvalid & wready) assert ((addressed | awvalid & awready) & ~written);
      if (bvalid) assert (addressed & written & bid == write_id);
      if (arvalid & arready) assert (~reading | rvalid & rready & rlast);
      if (rvalid) assert (reading & rid == read_id & rlast == (left == 8'd0));
      if (AT_ONCE != 0) begin
        assert (addressed == bvalid & written == bvalid & beats == {7'd0, bvalid});
        assert (reading == rvalid & (~reading | left == 8'd0 & read_id == rid));
        assert (~addressed | write_length == 8'd0 & write_id == bid);
      end
      if (PATIENCE != 0) assert (late_write < PATIENCE & late_read < PATIENCE);
    end
  end
endmodule
