// SPDX-License-Identifier: BSD-3-Clause
// The host's sides of FIRESIM_BLADES blades (firesim_blades.v) behind PCIe: AMD's XDMA with a stream each
// way of 64-bit words for each of them, and registers on its AXI4-Lite, 4 KiB apart, with a count of
// words up at 0x100. The host clock is made of that of PCIe; AMD's converters cross. FIRESIM_BLADE_1
// to FIRESIM_BLADE_3 say which blades there are beside the first. FIRESIM_CLKREQ is for a board that
// must ask for the clock of PCIe, FIRESIM_CATTRIP for one that is switched off when its HBM says, on a
// pin of the device, that it is too hot.
`ifndef FIRESIM_BLADES
`define FIRESIM_BLADES 1
`endif
`define FIRESIM_CHANNEL(n) \
    .m_axis_h2c_tdata_``n(h2c_data[64*n +: 64]), .m_axis_h2c_tlast_``n(), \
    .m_axis_h2c_tvalid_``n(h2c_valid[n]), .m_axis_h2c_tready_``n(h2c_ready[n]), \
    .m_axis_h2c_tkeep_``n(), .s_axis_c2h_tdata_``n(c2h_data[64*n +: 64]), \
    .s_axis_c2h_tlast_``n(c2h_last[n]), .s_axis_c2h_tvalid_``n(c2h_valid[n]), \
    .s_axis_c2h_tready_``n(c2h_ready[n]), .s_axis_c2h_tkeep_``n(8'hff)
module firesim_xdma (
`ifdef FIRESIM_CLKREQ
  output wire pcie_clkreq_n,
`endif
`ifdef FIRESIM_CATTRIP
  output wire hbm_cattrip,
`endif
  input wire pcie_refclk_p,
  input wire pcie_refclk_n,
  input wire pcie_perst_n,
  input wire [3:0] pcie_rx_p,
  input wire [3:0] pcie_rx_n,
  output wire [3:0] pcie_tx_p,
  output wire [3:0] pcie_tx_n
);
`ifdef FIRESIM_CLKREQ
  assign pcie_clkreq_n = 1'b0;
`endif
`ifdef FIRESIM_CATTRIP
  assign hbm_cattrip = 1'b0;  // HBM is not used.
`endif

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
  localparam BLADES = `FIRESIM_BLADES;
  wire [64*BLADES-1:0] h2c_data, c2h_data;
  wire [BLADES-1:0] h2c_valid, h2c_ready, c2h_valid, c2h_ready, c2h_last;

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
`ifdef FIRESIM_BLADE_1
    `FIRESIM_CHANNEL(1),
`endif
`ifdef FIRESIM_BLADE_2
    `FIRESIM_CHANNEL(2),
`endif
`ifdef FIRESIM_BLADE_3
    `FIRESIM_CHANNEL(3),
`endif
    `FIRESIM_CHANNEL(0));

  wire host_clock, locked;
  firesim_clock_ip clocks (
    .clk_in1(pcie_clock), .resetn(pcie_reset_n), .clk_out1(host_clock), .locked(locked));
  (* ASYNC_REG = "TRUE" *) reg [3:0] settled = 4'd0;
  always @(posedge host_clock or negedge locked)
    if (!locked) settled <= 4'd0;
    else settled <= {settled[2:0], 1'b1};
  wire host_reset_n = settled[3];

  wire [31:0] awaddr, araddr, wdata, rdata;
  wire [1:0] bresp, rresp;
  wire awvalid, awready, wvalid, wready, bvalid, bready, arvalid, arready, rvalid, rready;
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

  // Accesses go to the blade that their address chooses, one write and one read at a time.
  wire [BLADES-1:0] far_awvalid, far_awready, far_wvalid, far_wready, far_bvalid, far_bready;
  wire [BLADES-1:0] far_arvalid, far_arready, far_rvalid, far_rready;
  wire [32*BLADES-1:0] far_rdata;
  wire [2*BLADES-1:0] far_bresp, far_rresp;
  wire [3:0] writes, reads;
  wire is_there;
  firesim_split #(.COUNT(BLADES)) registers_of (
    .clock(host_clock), .reset(~host_reset_n), .write_to(awaddr[15:12]), .read_to(araddr[15:12]),
    .awvalid(awvalid), .awready(awready), .wvalid(wvalid), .wlast(1'b1), .wready(wready),
    .bvalid(bvalid), .bready(bready), .arvalid(arvalid), .arready(arready), .rvalid(rvalid),
    .rlast(1'b1), .rready(rready), .far_awvalid(far_awvalid), .far_awready(far_awready),
    .far_wvalid(far_wvalid), .far_wready(far_wready), .far_bvalid(far_bvalid),
    .far_bready(far_bready), .far_arvalid(far_arvalid), .far_arready(far_arready),
    .far_rvalid(far_rvalid), .far_rready(far_rready), .writes(writes), .reads(reads),
    .is_there(is_there));
  assign bresp = far_bresp[2*writes +: 2];
  // A blade that is not there has no identity, and is refused for it.
  assign rdata = is_there ? far_rdata[32*reads +: 32] : 32'd0;
  assign rresp = far_rresp[2*reads +: 2];

  wire [BLADES-1:0] down_valid, down_ready, up_valid, up_ready;
  wire [64*BLADES-1:0] down_data, up_data;
  wire [BLADES-1:0] host_arvalid, host_arready, host_rvalid, host_rready;
  wire [32*BLADES-1:0] host_rdata;
  wire [2*BLADES-1:0] host_rresp;
  firesim_blades #(.COUNT(BLADES)) blades (
    .host_clock(host_clock), .host_reset(~host_reset_n),
    .awaddr({BLADES{awaddr[7:0]}}), .awvalid(far_awvalid), .awready(far_awready),
    .wdata({BLADES{wdata}}), .wvalid(far_wvalid), .wready(far_wready), .bresp(far_bresp),
    .bvalid(far_bvalid), .bready(far_bready), .araddr({BLADES{araddr[7:0]}}),
    .arvalid(host_arvalid), .arready(host_arready), .rdata(host_rdata), .rresp(host_rresp),
    .rvalid(host_rvalid), .rready(host_rready),
    .down_valid(down_valid), .down_ready(down_ready), .down_data(down_data),
    .up_valid(up_valid), .up_ready(up_ready), .up_data(up_data));

  genvar index;
  generate for (index = 0; index < BLADES; index = index + 1) begin : blade
    wire near_up_valid;
    wire [63:0] near_up_data;

    // A packet ends with the last word that is there: a reader gets what there is, and never waits for
    // more. What is offered stays, so it is looked for a further word before.
    reg holds, offers, is_last;
    reg [63:0] held;
    assign c2h_data[64*index +: 64] = held;
    assign c2h_valid[index] = offers;
    assign c2h_last[index] = is_last;
    wire goes = offers & c2h_ready[index];
    always @(posedge pcie_clock)
      if (!pcie_reset_n) begin
        holds <= 1'b0;
        offers <= 1'b0;
      end else begin
        if (!holds & near_up_valid) held <= near_up_data;
        if (holds & !offers) is_last <= ~near_up_valid;
        holds <= holds ? ~goes : near_up_valid;
        offers <= holds & ~goes;
      end

    firesim_stream_ip down (
      .s_axis_aclk(pcie_clock), .s_axis_aresetn(pcie_reset_n), .s_axis_tvalid(h2c_valid[index]),
      .s_axis_tready(h2c_ready[index]), .s_axis_tdata(h2c_data[64*index +: 64]),
      .m_axis_aclk(host_clock), .m_axis_aresetn(host_reset_n), .m_axis_tvalid(down_valid[index]),
      .m_axis_tready(down_ready[index]), .m_axis_tdata(down_data[64*index +: 64]));
    firesim_stream_ip up (
      .s_axis_aclk(host_clock), .s_axis_aresetn(host_reset_n), .s_axis_tvalid(up_valid[index]),
      .s_axis_tready(up_ready[index]), .s_axis_tdata(up_data[64*index +: 64]),
      .m_axis_aclk(pcie_clock), .m_axis_aresetn(pcie_reset_n), .m_axis_tvalid(near_up_valid),
      .m_axis_tready(~holds), .m_axis_tdata(near_up_data));

    // A read from 0x100 on says how many words came up, so that a host reads no word that is not
    // there, which would stop AMD's engine by a time limit.
    reg counts;
    reg [31:0] words_up, counted;
    wire asks = far_arvalid[index] & araddr[8];
    assign host_arvalid[index] = far_arvalid[index] & ~araddr[8];
    assign host_rready[index] = far_rready[index] & ~counts;
    assign far_arready[index] = araddr[8] | host_arready[index];
    assign far_rvalid[index] = counts | host_rvalid[index];
    assign far_rdata[32*index +: 32] = counts ? counted : host_rdata[32*index +: 32];
    assign far_rresp[2*index +: 2] = counts ? 2'b00 : host_rresp[2*index +: 2];
    always @(posedge host_clock)
      if (!host_reset_n) begin
        counts <= 1'b0;
        words_up <= 32'd0;
      end else begin
        words_up <= words_up + (up_valid[index] & up_ready[index]);
        if (asks) counted <= words_up;
        counts <= asks | counts & ~far_rready[index];
      end
  end endgenerate
endmodule
