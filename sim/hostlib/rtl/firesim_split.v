// SPDX-License-Identifier: BSD-3-Clause
// One AXI slave (or AXI4-Lite, whose `last` are 1) in front of COUNT: the handshakes of an access go
// to the one that its address chooses, one write and one read at a time. Data and addresses go to all
// of them; whose answer is given stands in `writes` and `reads`. An access to a place that is not there
// goes to place 0, and `is_there` says for a read whether it is, so that another answer can be given.
module firesim_split #(parameter COUNT = 1) (
  input wire clock, input wire reset,
  input wire [3:0] write_to, input wire [3:0] read_to,
  input wire awvalid, output wire awready, input wire wvalid, input wire wlast, output wire wready,
  output wire bvalid, input wire bready,
  input wire arvalid, output wire arready, output wire rvalid, input wire rlast, input wire rready,
  output wire [COUNT-1:0] far_awvalid, input wire [COUNT-1:0] far_awready,
  output wire [COUNT-1:0] far_wvalid, input wire [COUNT-1:0] far_wready,
  input wire [COUNT-1:0] far_bvalid, output wire [COUNT-1:0] far_bready,
  output wire [COUNT-1:0] far_arvalid, input wire [COUNT-1:0] far_arready,
  input wire [COUNT-1:0] far_rvalid, output wire [COUNT-1:0] far_rready,
  output reg [3:0] writes, output reg [3:0] reads, output reg is_there
);
  reg write_goes, address_left, data_left, read_goes, read_left;
  initial begin
    write_goes = 1'b0; read_goes = 1'b0; writes = 4'd0; reads = 4'd0;
    address_left = 1'b0; data_left = 1'b0; read_left = 1'b0;
    is_there = 1'b0;
  end
  wire [COUNT-1:0] one = 1;
  wire [COUNT-1:0] write_chosen = write_goes ? one << writes : {COUNT{1'b0}};
  wire [COUNT-1:0] read_chosen = read_goes ? one << reads : {COUNT{1'b0}};

  assign far_awvalid = write_chosen & {COUNT{awvalid & address_left}};
  assign far_wvalid = write_chosen & {COUNT{wvalid & data_left}};
  assign far_bready = write_chosen & {COUNT{bready}};
  assign awready = address_left & |(write_chosen & far_awready);
  assign wready = data_left & |(write_chosen & far_wready);
  assign bvalid = |(write_chosen & far_bvalid);
  always @(posedge clock)
    if (reset) write_goes <= 1'b0;
    else if (~write_goes) begin
      write_goes <= awvalid;
      writes <= write_to < COUNT ? write_to : 4'd0;
      address_left <= 1'b1;
      data_left <= 1'b1;
    end else begin
      if (awvalid & awready) address_left <= 1'b0;
      if (wvalid & wready & wlast) data_left <= 1'b0;
      if (bvalid & bready) write_goes <= 1'b0;
    end

  assign far_arvalid = read_chosen & {COUNT{arvalid & read_left}};
  assign far_rready = read_chosen & {COUNT{rready}};
  assign arready = read_left & |(read_chosen & far_arready);
  assign rvalid = |(read_chosen & far_rvalid);
  always @(posedge clock)
    if (reset) read_goes <= 1'b0;
    else if (~read_goes) begin
      read_goes <= arvalid;
      reads <= read_to < COUNT ? read_to : 4'd0;
      is_there <= read_to < COUNT;
      read_left <= 1'b1;
    end else begin
      if (arvalid & arready) read_left <= 1'b0;
      if (rvalid & rready & rlast) read_goes <= 1'b0;
    end
endmodule
