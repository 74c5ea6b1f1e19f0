// SPDX-License-Identifier: BSD-3-Clause
//
// The memory of CVA6's caches. CVA6's own file of this module hides its content from synthesis
// ("translate_off"), so that each technology gives its own; this one is of logic.
module tc_sram_wrapper_cache_techno #(
    parameter int unsigned NumWords = 1024,
    parameter int unsigned DataWidth = 128,
    parameter int unsigned ByteWidth = 8,
    parameter int unsigned NumPorts = 1,
    parameter int unsigned Latency = 1,
    parameter SimInit = "none",
    parameter BYTE_ACCESS = 1,
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
  if (NumPorts != 1 || Latency != 1) $error("expected one port and one cycle");
  logic [DataWidth-1:0] rows[NumWords];
  always_ff @(posedge clk_i) begin
    if (req_i[0] && !we_i[0]) rdata_o[0] <= rows[addr_i[0]];
    if (req_i[0] && we_i[0]) begin
      for (int bit_at = 0; bit_at < DataWidth; bit_at++) begin
        if (be_i[0][bit_at/ByteWidth]) rows[addr_i[0]][bit_at] <= wdata_i[0][bit_at];
      end
    end
  end
endmodule
