// SPDX-License-Identifier: BSD-3-Clause
//
// PULP's AXI crossbar, two masters and two slaves, with packed structures as ports.
`include "axi/typedef.svh"
package firesim_axi;
  typedef logic [31:0] addr_t;
  typedef logic [63:0] data_t;
  typedef logic [7:0] strb_t;
  typedef logic [2:0] user_t;
  typedef logic [3:0] slv_id_t;
  typedef logic [4:0] mst_id_t;
  `AXI_TYPEDEF_ALL(slv, addr_t, slv_id_t, data_t, strb_t, user_t)
  `AXI_TYPEDEF_ALL(mst, addr_t, mst_id_t, data_t, strb_t, user_t)
  localparam axi_pkg::xbar_cfg_t CFG = '{
      NoSlvPorts: 2,
      NoMstPorts: 2,
      MaxMstTrans: 4,
      MaxSlvTrans: 4,
      FallThrough: 1'b0,
      LatencyMode: axi_pkg::CUT_ALL_AX,
      PipelineStages: 1,
      AxiIdWidthSlvPorts: 4,
      AxiIdUsedSlvPorts: 2,
      UniqueIds: 1'b0,
      AxiAddrWidth: 32,
      AxiDataWidth: 64,
      NoAddrRules: 2
  };
endpackage
module pulp_axi
  import firesim_axi::*;
(
    input  logic            clk_i,
    input  logic            rst_ni,
    input  slv_req_t  [1:0] slv_req_i,
    output slv_resp_t [1:0] slv_resp_o,
    output mst_req_t  [1:0] mst_req_o,
    input  mst_resp_t [1:0] mst_resp_i
);
  axi_xbar #(
      .Cfg          (CFG),
      .slv_aw_chan_t(slv_aw_chan_t),
      .mst_aw_chan_t(mst_aw_chan_t),
      .w_chan_t     (slv_w_chan_t),
      .slv_b_chan_t (slv_b_chan_t),
      .mst_b_chan_t (mst_b_chan_t),
      .slv_ar_chan_t(slv_ar_chan_t),
      .mst_ar_chan_t(mst_ar_chan_t),
      .slv_r_chan_t (slv_r_chan_t),
      .mst_r_chan_t (mst_r_chan_t),
      .slv_req_t    (slv_req_t),
      .slv_resp_t   (slv_resp_t),
      .mst_req_t    (mst_req_t),
      .mst_resp_t   (mst_resp_t),
      .rule_t       (axi_pkg::xbar_rule_32_t)
  ) xbar (
      .clk_i,
      .rst_ni,
      .test_i(1'b0),
      .slv_ports_req_i(slv_req_i),
      .slv_ports_resp_o(slv_resp_o),
      .mst_ports_req_o(mst_req_o),
      .mst_ports_resp_i(mst_resp_i),
      .addr_map_i({
        axi_pkg::xbar_rule_32_t'{idx: 1, start_addr: 32'h80000000, end_addr: 32'hf0000000},
        axi_pkg::xbar_rule_32_t'{idx: 0, start_addr: 32'h00000000, end_addr: 32'h80000000}
      }),
      .en_default_mst_port_i(2'b00),
      .default_mst_port_i('0)
  );
endmodule
