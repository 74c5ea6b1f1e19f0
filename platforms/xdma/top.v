// SPDX-License-Identifier: BSD-3-Clause
// The host's side of a blade (FIRESIM_HOST) behind PCIe: AMD's XDMA with one stream each way of 64-bit
// words, and registers on its AXI4-Lite, with a count of words up at 0x100. The host clock is made of
// that of PCIe; AMD's converters cross.
module firesim_xdma (
  input wire pcie_refclk_p,
  input wire pcie_refclk_n,
  input wire pcie_perst_n,
  input wire [3:0] pcie_rx_p,
  input wire [3:0] pcie_rx_n,
  output wire [3:0] pcie_tx_p,
  output wire [3:0] pcie_tx_n
);
  wire refclk, perst_n;
  IBUF perst_buffer (.I(pcie_perst_n), .O(perst_n));
`ifdef FIRESIM_GTE4
  wire refclk_gt;
  IBUFDS_GTE4 #(.REFCLK_HROW_CK_SEL(2'b00)) refclk_buffer (
    .I(pcie_refclk_p), .IB(pcie_refclk_n), .CEB(1'b0), .O(refclk_gt), .ODIV2(refclk));
`else
  IBUFDS_GTE2 refclk_buffer (
    .I(pcie_refclk_p), .IB(pcie_refclk_n), .CEB(1'b0), .O(refclk), .ODIV2());
`endif

  // On the clock of PCIe: registers p_*, words from the host h2c_*, words to it c2h_*.
  wire pcie_clock, pcie_reset_n;
  wire [31:0] p_awaddr, p_araddr, p_wdata, p_rdata;
  wire [2:0] p_awprot, p_arprot;
  wire [3:0] p_wstrb;
  wire [1:0] p_bresp, p_rresp;
  wire p_awvalid, p_awready, p_wvalid, p_wready, p_bvalid, p_bready;
  wire p_arvalid, p_arready, p_rvalid, p_rready;
  wire [63:0] h2c_data, near_up_data;
  wire h2c_valid, h2c_ready, c2h_ready, near_up_valid;

  // A packet ends with the last word that is there: a reader gets what there is, and never waits for
  // more. What is offered stays, so it is looked for a further word before.
  reg c2h_holds, c2h_valid, c2h_last;
  reg [63:0] c2h_data;
  always @(posedge pcie_clock)
    if (!pcie_reset_n) begin
      c2h_holds <= 1'b0;
      c2h_valid <= 1'b0;
    end else begin
      if (!c2h_holds & near_up_valid) c2h_data <= near_up_data;
      if (c2h_holds & !c2h_valid) c2h_last <= ~near_up_valid;
      c2h_holds <= c2h_holds ? ~(c2h_valid & c2h_ready) : near_up_valid;
      c2h_valid <= c2h_holds & ~(c2h_valid & c2h_ready);
    end

  firesim_xdma_ip xdma (
`ifdef FIRESIM_GTE4
    .sys_clk_gt(refclk_gt),
`endif
    .sys_clk(refclk), .sys_rst_n(perst_n), .user_lnk_up(),
    .pci_exp_txp(pcie_tx_p), .pci_exp_txn(pcie_tx_n),
    .pci_exp_rxp(pcie_rx_p), .pci_exp_rxn(pcie_rx_n),
    .axi_aclk(pcie_clock), .axi_aresetn(pcie_reset_n),
    .usr_irq_req(1'b0), .usr_irq_ack(),
    .m_axil_awaddr(p_awaddr), .m_axil_awprot(p_awprot), .m_axil_awvalid(p_awvalid),
    .m_axil_awready(p_awready), .m_axil_wdata(p_wdata), .m_axil_wstrb(p_wstrb),
    .m_axil_wvalid(p_wvalid), .m_axil_wready(p_wready), .m_axil_bvalid(p_bvalid),
    .m_axil_bresp(p_bresp), .m_axil_bready(p_bready), .m_axil_araddr(p_araddr),
    .m_axil_arprot(p_arprot), .m_axil_arvalid(p_arvalid), .m_axil_arready(p_arready),
    .m_axil_rdata(p_rdata), .m_axil_rresp(p_rresp), .m_axil_rvalid(p_rvalid),
    .m_axil_rready(p_rready),
    .m_axis_h2c_tdata_0(h2c_data), .m_axis_h2c_tlast_0(), .m_axis_h2c_tvalid_0(h2c_valid),
    .m_axis_h2c_tready_0(h2c_ready), .m_axis_h2c_tkeep_0(),
    .s_axis_c2h_tdata_0(c2h_data), .s_axis_c2h_tlast_0(c2h_last), .s_axis_c2h_tvalid_0(c2h_valid),
    .s_axis_c2h_tready_0(c2h_ready), .s_axis_c2h_tkeep_0(8'hff));

  wire host_clock, locked;
  firesim_clock_ip clocks (
    .clk_in1(pcie_clock), .resetn(pcie_reset_n), .clk_out1(host_clock), .locked(locked));
  reg [3:0] settled = 4'd0;
  always @(posedge host_clock or negedge locked)
    if (!locked) settled <= 4'd0;
    else settled <= {settled[2:0], 1'b1};
  wire host_reset_n = settled[3];

  wire [31:0] awaddr, araddr, wdata, rdata;
  wire [1:0] bresp, rresp;
  wire awvalid, awready, wvalid, wready, bvalid, bready, arvalid, arready, rvalid, rready;
  wire down_valid, down_ready, up_valid, up_ready;
  wire [63:0] down_data, up_data;

  firesim_registers_ip registers (
    .s_axi_aclk(pcie_clock), .s_axi_aresetn(pcie_reset_n),
    .s_axi_awaddr(p_awaddr), .s_axi_awprot(p_awprot), .s_axi_awvalid(p_awvalid),
    .s_axi_awready(p_awready), .s_axi_wdata(p_wdata), .s_axi_wstrb(p_wstrb),
    .s_axi_wvalid(p_wvalid), .s_axi_wready(p_wready), .s_axi_bresp(p_bresp),
    .s_axi_bvalid(p_bvalid), .s_axi_bready(p_bready), .s_axi_araddr(p_araddr),
    .s_axi_arprot(p_arprot), .s_axi_arvalid(p_arvalid), .s_axi_arready(p_arready),
    .s_axi_rdata(p_rdata), .s_axi_rresp(p_rresp), .s_axi_rvalid(p_rvalid),
    .s_axi_rready(p_rready),
    .m_axi_aclk(host_clock), .m_axi_aresetn(host_reset_n),
    .m_axi_awaddr(awaddr), .m_axi_awprot(), .m_axi_awvalid(awvalid), .m_axi_awready(awready),
    .m_axi_wdata(wdata), .m_axi_wstrb(), .m_axi_wvalid(wvalid), .m_axi_wready(wready),
    .m_axi_bresp(bresp), .m_axi_bvalid(bvalid), .m_axi_bready(bready),
    .m_axi_araddr(araddr), .m_axi_arprot(), .m_axi_arvalid(arvalid), .m_axi_arready(arready),
    .m_axi_rdata(rdata), .m_axi_rresp(rresp), .m_axi_rvalid(rvalid), .m_axi_rready(rready));

  firesim_stream_ip down (
    .s_axis_aclk(pcie_clock), .s_axis_aresetn(pcie_reset_n), .s_axis_tvalid(h2c_valid),
    .s_axis_tready(h2c_ready), .s_axis_tdata(h2c_data),
    .m_axis_aclk(host_clock), .m_axis_aresetn(host_reset_n), .m_axis_tvalid(down_valid),
    .m_axis_tready(down_ready), .m_axis_tdata(down_data));
  firesim_stream_ip up (
    .s_axis_aclk(host_clock), .s_axis_aresetn(host_reset_n), .s_axis_tvalid(up_valid),
    .s_axis_tready(up_ready), .s_axis_tdata(up_data),
    .m_axis_aclk(pcie_clock), .m_axis_aresetn(pcie_reset_n), .m_axis_tvalid(near_up_valid),
    .m_axis_tready(~c2h_holds), .m_axis_tdata(near_up_data));

  // A read from 0x100 on says how many words came up, so that a host reads no word that is not there,
  // which would stop AMD's engine by a time limit. One read at a time, for answers in their order.
  wire host_arready, host_rvalid;
  wire [31:0] host_rdata;
  wire [1:0] host_rresp;
  reg reads, counts;
  reg [31:0] words_up, counted;
  assign arready = ~reads & (araddr[8] | host_arready);
  assign rvalid = counts | host_rvalid;
  assign rdata = counts ? counted : host_rdata;
  assign rresp = counts ? 2'b00 : host_rresp;
  always @(posedge host_clock)
    if (!host_reset_n) begin
      reads <= 1'b0;
      counts <= 1'b0;
      words_up <= 32'd0;
    end else begin
      words_up <= words_up + (up_valid & up_ready);
      if (arvalid & arready) counted <= words_up;
      reads <= (reads | arvalid & arready) & ~(rvalid & rready);
      counts <= (counts | arvalid & arready & araddr[8]) & ~(rvalid & rready);
    end

  `FIRESIM_HOST host (
    .host_clock(host_clock), .host_reset(~host_reset_n),
    .axil_awaddr(awaddr[7:0]), .axil_awvalid(awvalid), .axil_awready(awready),
    .axil_wdata(wdata), .axil_wvalid(wvalid), .axil_wready(wready),
    .axil_bresp(bresp), .axil_bvalid(bvalid), .axil_bready(bready),
    .axil_araddr(araddr[7:0]), .axil_arvalid(arvalid & ~reads & ~araddr[8]),
    .axil_arready(host_arready), .axil_rdata(host_rdata), .axil_rresp(host_rresp),
    .axil_rvalid(host_rvalid), .axil_rready(rready & ~counts),
    .down_valid(down_valid), .down_ready(down_ready), .down_data(down_data),
    .up_valid(up_valid), .up_ready(up_ready), .up_data(up_data));
endmodule
