// SPDX-License-Identifier: BSD-3-Clause
// AWS's `sh_ddr` in a simulation: what the custom logic asks for leaves by the pins M_MA, and answers
// come by CLK_DIMM_DP, both as the simulated shell has them (simulator/board/f2_dimm.cc), 64 bits of
// M_MA and CLK_DIMM_DP each. Nothing is kept here. A burst that is not one beat of 64 bytes is told,
// too, so that the shell can refuse it.
module sh_ddr #(parameter DDR_PRESENT = 0) (
  `include "sh_ddr_ports.vh"
);
  wire write_is_beat = cl_sh_ddr_axi_awlen == 8'd0 & cl_sh_ddr_axi_awsize == 3'd6 &
      cl_sh_ddr_axi_awburst == 2'b01 & (cl_sh_ddr_axi_wlast | ~cl_sh_ddr_axi_wvalid);
  wire read_is_beat = cl_sh_ddr_axi_arlen == 8'd0 & cl_sh_ddr_axi_arsize == 3'd6 &
      cl_sh_ddr_axi_arburst == 2'b01;
  wire [63:0] flags = {25'd0, DDR_PRESENT != 0, cl_sh_ddr_axi_awid, cl_sh_ddr_axi_arid, read_is_beat,
      write_is_beat, cl_sh_ddr_axi_rready, cl_sh_ddr_axi_arvalid, cl_sh_ddr_axi_bready,
      cl_sh_ddr_axi_wvalid};
  assign M_MA = {cl_sh_ddr_axi_wdata, cl_sh_ddr_axi_wstrb, cl_sh_ddr_axi_araddr,
      cl_sh_ddr_axi_awaddr, {63'd0, cl_sh_ddr_axi_awvalid}, flags};
  assign {cl_sh_ddr_axi_rid, cl_sh_ddr_axi_bid, sh_cl_ddr_is_ready, cl_sh_ddr_axi_rvalid,
      cl_sh_ddr_axi_arready, cl_sh_ddr_axi_bvalid, cl_sh_ddr_axi_wready,
      cl_sh_ddr_axi_awready} = CLK_DIMM_DP[37:0];
  assign cl_sh_ddr_axi_rdata = CLK_DIMM_DP[575:64];
  assign {cl_sh_ddr_axi_bresp, cl_sh_ddr_axi_rresp} = CLK_DIMM_DP[41:38];
  assign cl_sh_ddr_axi_rlast = 1'b1;
  // The shell of a simulation trains nothing.
  assign {sh_ddr_stat_bus_ack, sh_ddr_stat_bus_rdata, ddr_sh_stat_int} = {1'b1, 40'd0};
endmodule
