// SPDX-License-Identifier: BSD-3-Clause
// The ports of AMD's cores and cells that top.v uses, for checks without Vivado: XDMA by PG195, the
// clocking wizard by PG065, the AXI converters by PG059 and PG085, the buffers by UG974 and UG953.
module firesim_xdma_ip (
  input wire sys_clk,
`ifdef FIRESIM_GTE4
  input wire sys_clk_gt,
`endif
  input wire sys_rst_n, output wire user_lnk_up,
  output wire [3:0] pci_exp_txp, output wire [3:0] pci_exp_txn,
  input wire [3:0] pci_exp_rxp, input wire [3:0] pci_exp_rxn,
  output wire axi_aclk, output wire axi_aresetn,
  input wire [0:0] usr_irq_req, output wire [0:0] usr_irq_ack,
  output wire [31:0] m_axil_awaddr, output wire [2:0] m_axil_awprot, output wire m_axil_awvalid,
  input wire m_axil_awready, output wire [31:0] m_axil_wdata, output wire [3:0] m_axil_wstrb,
  output wire m_axil_wvalid, input wire m_axil_wready, input wire m_axil_bvalid,
  input wire [1:0] m_axil_bresp, output wire m_axil_bready, output wire [31:0] m_axil_araddr,
  output wire [2:0] m_axil_arprot, output wire m_axil_arvalid, input wire m_axil_arready,
  input wire [31:0] m_axil_rdata, input wire [1:0] m_axil_rresp, input wire m_axil_rvalid,
  output wire m_axil_rready,
  output wire [63:0] m_axis_h2c_tdata_0, output wire m_axis_h2c_tlast_0,
  output wire m_axis_h2c_tvalid_0, input wire m_axis_h2c_tready_0,
  output wire [7:0] m_axis_h2c_tkeep_0,
  input wire [63:0] s_axis_c2h_tdata_0, input wire s_axis_c2h_tlast_0,
  input wire s_axis_c2h_tvalid_0, output wire s_axis_c2h_tready_0,
  input wire [7:0] s_axis_c2h_tkeep_0);
endmodule

module firesim_clock_ip (
  input wire clk_in1, input wire resetn, output wire clk_out1, output wire locked);
endmodule

module firesim_registers_ip (
  input wire s_axi_aclk, input wire s_axi_aresetn,
  input wire [31:0] s_axi_awaddr, input wire [2:0] s_axi_awprot, input wire s_axi_awvalid,
  output wire s_axi_awready, input wire [31:0] s_axi_wdata, input wire [3:0] s_axi_wstrb,
  input wire s_axi_wvalid, output wire s_axi_wready, output wire [1:0] s_axi_bresp,
  output wire s_axi_bvalid, input wire s_axi_bready, input wire [31:0] s_axi_araddr,
  input wire [2:0] s_axi_arprot, input wire s_axi_arvalid, output wire s_axi_arready,
  output wire [31:0] s_axi_rdata, output wire [1:0] s_axi_rresp, output wire s_axi_rvalid,
  input wire s_axi_rready,
  input wire m_axi_aclk, input wire m_axi_aresetn,
  output wire [31:0] m_axi_awaddr, output wire [2:0] m_axi_awprot, output wire m_axi_awvalid,
  input wire m_axi_awready, output wire [31:0] m_axi_wdata, output wire [3:0] m_axi_wstrb,
  output wire m_axi_wvalid, input wire m_axi_wready, input wire [1:0] m_axi_bresp,
  input wire m_axi_bvalid, output wire m_axi_bready, output wire [31:0] m_axi_araddr,
  output wire [2:0] m_axi_arprot, output wire m_axi_arvalid, input wire m_axi_arready,
  input wire [31:0] m_axi_rdata, input wire [1:0] m_axi_rresp, input wire m_axi_rvalid,
  output wire m_axi_rready);
endmodule

module firesim_stream_ip (
  input wire s_axis_aclk, input wire s_axis_aresetn, input wire s_axis_tvalid,
  output wire s_axis_tready, input wire [63:0] s_axis_tdata,
  input wire m_axis_aclk, input wire m_axis_aresetn, output wire m_axis_tvalid,
  input wire m_axis_tready, output wire [63:0] m_axis_tdata);
endmodule

module IBUF (input wire I, output wire O);
endmodule

module IBUFDS_GTE4 #(parameter [1:0] REFCLK_HROW_CK_SEL = 2'b00) (
  input wire I, input wire IB, input wire CEB, output wire O, output wire ODIV2);
endmodule

module IBUFDS_GTE2 (input wire I, input wire IB, input wire CEB, output wire O, output wire ODIV2);
endmodule
