// SPDX-License-Identifier: BSD-3-Clause
// Control registers (AXI4-Lite of firesim_control) in another clock: one access at a time.
module firesim_far_registers (
  input wire clock, input wire reset,
  input wire [7:0] awaddr, input wire awvalid, output wire awready,
  input wire [31:0] wdata, input wire wvalid, output wire wready,
  output wire [1:0] bresp, output reg bvalid, input wire bready,
  input wire [7:0] araddr, input wire arvalid, output wire arready,
  output reg [31:0] rdata, output wire [1:0] rresp, output reg rvalid, input wire rready,

  input wire host_clock, input wire host_reset,
  output wire [7:0] host_awaddr, output wire host_awvalid, input wire host_awready,
  output wire [31:0] host_wdata, output wire host_wvalid, input wire host_wready,
  input wire host_bvalid, output wire host_bready,
  output wire [7:0] host_araddr, output wire host_arvalid, input wire host_arready,
  input wire [31:0] host_rdata, input wire host_rvalid, output wire host_rready
);
  // In the near clock: an access goes over, its answer comes back.
  reg waits, is_write;
  initial begin waits = 1'b0; bvalid = 1'b0; rvalid = 1'b0; end
  wire room_there, answered;
  wire [31:0] answer;
  wire free = ~waits & ~bvalid & ~rvalid & room_there;
  wire write = free & awvalid & wvalid;
  wire read = free & arvalid & ~write;
  assign awready = write;
  assign wready = write;
  assign arready = read;
  assign bresp = 2'b00;
  assign rresp = 2'b00;
  always @(posedge clock)
    if (reset) begin
      waits <= 1'b0;
      bvalid <= 1'b0;
      rvalid <= 1'b0;
    end else begin
      if (write | read) begin
        waits <= 1'b1;
        is_write <= write;
      end
      if (waits & answered) begin
        waits <= 1'b0;
        rdata <= answer;
        bvalid <= is_write;
        rvalid <= ~is_write;
      end
      if (bvalid & bready) bvalid <= 1'b0;
      if (rvalid & rready) rvalid <= 1'b0;
    end

  wire asked, taken;
  wire [40:0] access;
  firesim_crossing #(.WIDTH(41), .LOG_DEPTH(1)) there (
    .in_clock(clock), .in_reset(reset), .in_valid(write | read), .in_ready(room_there),
    .in_data({write, write ? awaddr : araddr, wdata}), .room(),
    .out_clock(host_clock), .out_reset(host_reset), .out_valid(asked), .out_ready(taken),
    .out_data(access));

  // In the registers' clock: the access is done, and then forgotten.
  reg started;
  initial started = 1'b0;
  wire room_back;
  wire writes = access[40];
  assign host_awaddr = access[39:32];
  assign host_wdata = access[31:0];
  assign host_araddr = access[39:32];
  assign host_awvalid = asked & writes & ~started;
  assign host_wvalid = host_awvalid;
  assign host_arvalid = asked & ~writes & ~started;
  assign host_bready = started & room_back;
  assign host_rready = started & room_back;
  assign taken = started & room_back & (writes ? host_bvalid : host_rvalid);
  wire starts = writes ? host_awvalid & host_awready & host_wready : host_arvalid & host_arready;
  always @(posedge host_clock)
    if (host_reset) started <= 1'b0;
    else started <= (started | starts) & ~taken;

  firesim_crossing #(.WIDTH(32), .LOG_DEPTH(1)) back (
    .in_clock(host_clock), .in_reset(host_reset), .in_valid(taken), .in_ready(room_back),
    .in_data(host_rdata), .room(),
    .out_clock(clock), .out_reset(reset), .out_valid(answered), .out_ready(waits),
    .out_data(answer));
endmodule
