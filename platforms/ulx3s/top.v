// SPDX-License-Identifier: BSD-3-Clause
// ULX3S: the host's side of a blade (FIRESIM_HOST) behind the USB serial line, 1 Mbit/s at 25 MHz.
module firesim_ulx3s #(parameter BIT_CYCLES = 25) (
  input wire clk_25mhz,
  input wire ftdi_txd,    // from the host
  output wire ftdi_rxd,   // to the host
  output wire [7:0] led,
  output wire wifi_gpio0  // high, so that the board's second processor leaves the FPGA alone
);
  wire host_reset;
  wire [7:0] awaddr, araddr;
  wire [31:0] wdata, rdata;
  wire [1:0] bresp, rresp;
  wire awvalid, awready, wvalid, wready, bvalid, bready, arvalid, arready, rvalid, rready;
  wire down_valid, down_ready, up_valid, up_ready;
  wire [63:0] down_data, up_data;

  firesim_uart_link #(.DIVISOR(BIT_CYCLES)) link (
    .host_clock(clk_25mhz), .rx(ftdi_txd), .tx(ftdi_rxd), .host_reset(host_reset),
    .status(16'h0023),  // up, of the board's own clock, without a DRAM
    .axil_awaddr(awaddr), .axil_awvalid(awvalid), .axil_awready(awready),
    .axil_wdata(wdata), .axil_wvalid(wvalid), .axil_wready(wready),
    .axil_bresp(bresp), .axil_bvalid(bvalid), .axil_bready(bready),
    .axil_araddr(araddr), .axil_arvalid(arvalid), .axil_arready(arready),
    .axil_rdata(rdata), .axil_rresp(rresp), .axil_rvalid(rvalid), .axil_rready(rready),
    .down_valid(down_valid), .down_ready(down_ready), .down_data(down_data),
    .up_valid(up_valid), .up_ready(up_ready), .up_data(up_data));

  `FIRESIM_HOST host (
    .host_clock(clk_25mhz), .host_reset(host_reset),
    .axil_awaddr(awaddr), .axil_awvalid(awvalid), .axil_awready(awready),
    .axil_wdata(wdata), .axil_wvalid(wvalid), .axil_wready(wready),
    .axil_bresp(bresp), .axil_bvalid(bvalid), .axil_bready(bready),
    .axil_araddr(araddr), .axil_arvalid(arvalid), .axil_arready(arready),
    .axil_rdata(rdata), .axil_rresp(rresp), .axil_rvalid(rvalid), .axil_rready(rready),
    .down_valid(down_valid), .down_ready(down_ready), .down_data(down_data),
    .up_valid(up_valid), .up_ready(up_ready), .up_data(up_data));

  // The lamps: configured, held in reset, waiting for the serial line.
  assign led = {5'd0, up_valid & ~up_ready, host_reset, 1'b1};
  assign wifi_gpio0 = 1'b1;
endmodule
