// SPDX-License-Identifier: BSD-3-Clause
// ECPIX-5: the host's side of a blade (FIRESIM_HOST) behind gigabit Ethernet, at 50 MHz.
//
// The module liteeth_core is made by LiteEth (liteeth.yaml): MAC, ARP, IP, UDP and Etherbone. The
// board's IP address is FIRESIM_ADDRESS; the lowest 24 bits of its MAC address are those of it. With
// FIRESIM_GMII the core has the wider pins that a simulated board is moved by, on a clock that is not the
// host's, and all else is as is.
`ifndef FIRESIM_ADDRESS
`define FIRESIM_ADDRESS 32'hc0a80132
`endif
module firesim_ecpix5 (
  input wire clk100, input wire rst_n,
`ifdef FIRESIM_GMII
  input wire gmii_unlocks, input wire gmii_clock, input wire gmii_rx_dv,
  input wire [7:0] gmii_rx_data,
  output wire gmii_tx_en, output wire [7:0] gmii_tx_data
`else
  input wire eth_clocks_rx, output wire eth_clocks_tx,
  output wire eth_rst_n, inout wire eth_mdio, output wire eth_mdc,
  input wire eth_rx_ctl, input wire [3:0] eth_rx_data,
  output wire eth_tx_ctl, output wire [3:0] eth_tx_data
`endif
);
  // 100 MHz / 2 is what the oscillator of 600 MHz is locked to, by way of its twelfth part.
  wire host_clock, locked, unlocks;
`ifdef FIRESIM_GMII
  assign unlocks = gmii_unlocks;
`else
  assign unlocks = 1'b0;
`endif
  EHXPLLL #(
    .CLKI_DIV(2), .CLKFB_DIV(1), .CLKOP_ENABLE("ENABLED"), .CLKOP_DIV(12), .CLKOP_CPHASE(5),
    .FEEDBK_PATH("CLKOP")
  ) pll (
    .CLKI(clk100), .CLKFB(host_clock), .CLKOP(host_clock), .LOCK(locked),
    .RST(1'b0), .STDBY(unlocks), .PHASESEL0(1'b0), .PHASESEL1(1'b0), .PHASEDIR(1'b0),
    .PHASESTEP(1'b0), .PHASELOADREG(1'b0), .PLLWAKESYNC(1'b0), .ENCLKOP(1'b0));
  reg [3:0] settled = 4'd0;
  always @(posedge host_clock) settled <= {settled[2:0], locked & rst_n};
  wire reset = ~&settled;
  // A reset clears neither: after it the host still learns that its clock was not what it seemed.
  (* ASYNC_REG = "TRUE" *) reg [1:0] lock = 2'd0;
  reg was_locked = 1'b0, lost = 1'b0;
  always @(posedge host_clock) begin
    lock <= {lock[0], locked};
    was_locked <= was_locked | lock[1];
    lost <= lost | (was_locked & ~lock[1]);
  end

  wire host_reset;
  wire [31:0] bus_awaddr, bus_wdata, bus_araddr, bus_rdata;
  wire bus_awvalid, bus_awready, bus_wvalid, bus_wready, bus_bvalid, bus_bready;
  wire bus_arvalid, bus_arready, bus_rvalid, bus_rready;
  localparam [31:0] ADDRESS = `FIRESIM_ADDRESS;
`ifdef FIRESIM_GMII
  wire mdio;
`endif
  liteeth_core core (
    .sys_clock(host_clock), .sys_reset(reset),
    .ip_address(ADDRESS), .mac_address({24'h024653, ADDRESS[23:0]}),
`ifdef FIRESIM_GMII
    .gmii_clocks_rx(gmii_clock), .gmii_clocks_tx(gmii_clock), .gmii_clocks_gtx(),
    .gmii_rst_n(), .gmii_int_n(1'b1), .gmii_mdio(mdio), .gmii_mdc(), .gmii_col(1'b0),
    .gmii_crs(1'b0), .gmii_rx_er(1'b0), .gmii_rx_dv(gmii_rx_dv), .gmii_rx_data(gmii_rx_data),
    .gmii_tx_er(), .gmii_tx_en(gmii_tx_en), .gmii_tx_data(gmii_tx_data),
`else
    .rgmii_clocks_rx(eth_clocks_rx), .rgmii_clocks_tx(eth_clocks_tx), .rgmii_rst_n(eth_rst_n),
    .rgmii_int_n(1'b1), .rgmii_mdio(eth_mdio), .rgmii_mdc(eth_mdc), .rgmii_rx_ctl(eth_rx_ctl),
    .rgmii_rx_data(eth_rx_data), .rgmii_tx_ctl(eth_tx_ctl), .rgmii_tx_data(eth_tx_data),
`endif
    .mmap_awaddr(bus_awaddr), .mmap_awprot(), .mmap_awvalid(bus_awvalid),
    .mmap_awready(bus_awready), .mmap_wdata(bus_wdata), .mmap_wstrb(), .mmap_wvalid(bus_wvalid),
    .mmap_wready(bus_wready), .mmap_bresp(2'b00), .mmap_bvalid(bus_bvalid),
    .mmap_bready(bus_bready), .mmap_araddr(bus_araddr), .mmap_arprot(),
    .mmap_arvalid(bus_arvalid), .mmap_arready(bus_arready), .mmap_rdata(bus_rdata),
    .mmap_rresp(2'b00), .mmap_rvalid(bus_rvalid), .mmap_rready(bus_rready));

  wire [7:0] awaddr, araddr;
  wire [31:0] wdata, rdata;
  wire awvalid, awready, wvalid, wready, bvalid, bready, arvalid, arready, rvalid, rready;
  wire down_valid, down_ready, up_valid, up_ready;
  wire [63:0] down_data, up_data;
  firesim_etherbone_link link (
    .host_clock(host_clock), .reset(reset), .host_reset(host_reset),
    .status({9'd0, lost, 4'd0, ~reset, lock[1]}),
    .bus_awaddr(bus_awaddr), .bus_awvalid(bus_awvalid), .bus_awready(bus_awready),
    .bus_wdata(bus_wdata), .bus_wvalid(bus_wvalid), .bus_wready(bus_wready),
    .bus_bvalid(bus_bvalid), .bus_bready(bus_bready),
    .bus_araddr(bus_araddr), .bus_arvalid(bus_arvalid), .bus_arready(bus_arready),
    .bus_rdata(bus_rdata), .bus_rvalid(bus_rvalid), .bus_rready(bus_rready),
    .axil_awaddr(awaddr), .axil_awvalid(awvalid), .axil_awready(awready),
    .axil_wdata(wdata), .axil_wvalid(wvalid), .axil_wready(wready),
    .axil_bvalid(bvalid), .axil_bready(bready),
    .axil_araddr(araddr), .axil_arvalid(arvalid), .axil_arready(arready),
    .axil_rdata(rdata), .axil_rvalid(rvalid), .axil_rready(rready),
    .down_valid(down_valid), .down_ready(down_ready), .down_data(down_data),
    .up_valid(up_valid), .up_ready(up_ready), .up_data(up_data));

  `FIRESIM_HOST host (
    .host_clock(host_clock), .host_reset(host_reset),
    .axil_awaddr(awaddr), .axil_awvalid(awvalid), .axil_awready(awready),
    .axil_wdata(wdata), .axil_wvalid(wvalid), .axil_wready(wready),
    .axil_bresp(), .axil_bvalid(bvalid), .axil_bready(bready),
    .axil_araddr(araddr), .axil_arvalid(arvalid), .axil_arready(arready),
    .axil_rdata(rdata), .axil_rresp(), .axil_rvalid(rvalid), .axil_rready(rready),
    .down_valid(down_valid), .down_ready(down_ready), .down_data(down_data),
    .up_valid(up_valid), .up_ready(up_ready), .up_data(up_data));
endmodule
