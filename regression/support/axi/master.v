// SPDX-License-Identifier: BSD-3-Clause
// What an AXI4 master whose bursts have one beat must do: what it offers stands until it is taken, a
// burst lies in one row, there is one beat of data for each address, and it takes no more answers than it
// asked for, which its slave may not send either.
module axi_master #(parameter DATA = 512, parameter ID = 16, parameter ADDRESS = 36) (
  input wire clock, input wire reset,
  input wire [ID-1:0] awid, input wire [63:0] awaddr, input wire awvalid, input wire awready,
  input wire [DATA-1:0] wdata, input wire [DATA/8-1:0] wstrb, input wire wvalid, input wire wready,
  input wire [ID-1:0] bid, input wire bvalid, input wire bready,
  input wire [ID-1:0] arid, input wire [63:0] araddr, input wire arvalid, input wire arready,
  input wire [ID-1:0] rid, input wire rvalid, input wire rready
);
  reg began;
  reg [3:0] addresses, beats, writes, reads;  // Taken, and not answered yet.
  reg [64+ID-1:0] aw, ar;
  reg [DATA+DATA/8-1:0] w;
  reg aw_waits, w_waits, ar_waits;
  initial {began, addresses, beats, writes, reads, aw_waits, w_waits, ar_waits} = 0;
  always @(posedge clock) begin
    began <= 1'b1;
    aw <= {awid, awaddr};
    ar <= {arid, araddr};
    w <= {wdata, wstrb};
    aw_waits <= ~reset & awvalid & ~awready;
    w_waits <= ~reset & wvalid & ~wready;
    ar_waits <= ~reset & arvalid & ~arready;
    if (reset) {addresses, beats, reads} <= 0;
    else begin
      addresses <= addresses + (awvalid & awready) - (bvalid & bready);
      beats <= beats + (wvalid & wready) - (bvalid & bready);
      reads <= reads + (arvalid & arready) - (rvalid & rready);
    end
  end
  always @* begin
    assume (reset == ~began);
    if (bvalid) assume (addresses != 0 & beats != 0);
    if (rvalid) assume (reads != 0);
    if (~reset) begin
      if (aw_waits) assert (awvalid & aw == {awid, awaddr});
      if (w_waits) assert (wvalid & w == {wdata, wstrb});
      if (ar_waits) assert (arvalid & ar == {arid, araddr});
      if (awvalid) assert (awaddr[5:0] == 0 & awaddr[63:ADDRESS] == 0);
      if (arvalid) assert (araddr[5:0] == 0 & araddr[63:ADDRESS] == 0);
      // An address and its data are offered together, so that neither is more than one ahead.
      assert (addresses + awvalid == beats + wvalid);
    end
  end
endmodule
