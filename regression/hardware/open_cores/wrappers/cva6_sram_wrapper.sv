// SPDX-License-Identifier: BSD-3-Clause
//
// The memory of CVA6's caches where its configuration wants no cut of a technology ("TechnoCut"):
// that file, too, hides its content from synthesis. It is the other one's (cva6_sram.sv).
module tc_sram_wrapper #(
    parameter int unsigned NumWords = 1024,
    parameter int unsigned DataWidth = 128,
    parameter int unsigned ByteWidth = 8,
    parameter int unsigned NumPorts = 1,
    parameter int unsigned Latency = 1,
    parameter SimInit = "none",
    parameter bit PrintSimCfg = 0,
    parameter int unsigned AddrWidth = NumWords > 1 ? $clog2(NumWords) : 1,
    parameter int unsigned BeWidth = (DataWidth + ByteWidth - 1) / ByteWidth,
    parameter type addr_t = logic [AddrWidth-1:0],
    parameter type data_t = logic [DataWidth-1:0],
    parameter type be_t = logic [BeWidth-1:0]
) (
    input  logic                 clk_i,
    input  logic                 rst_ni,
    input  logic  [NumPorts-1:0] req_i,
    input  logic  [NumPorts-1:0] we_i,
    input  addr_t [NumPorts-1:0] addr_i,
    input  data_t [NumPorts-1:0] wdata_i,
    input  be_t   [NumPorts-1:0] be_i,
    output data_t [NumPorts-1:0] rdata_o
);
  tc_sram_wrapper_cache_techno #(
      .NumWords(NumWords),
      .DataWidth(DataWidth),
      .ByteWidth(ByteWidth),
      .NumPorts(NumPorts),
      .Latency(Latency)
  ) memory (
      .clk_i,
      .rst_ni,
      .req_i,
      .we_i,
      .addr_i,
      .wdata_i,
      .be_i,
      .rdata_o
  );
endmodule
