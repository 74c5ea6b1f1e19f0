// SPDX-License-Identifier: BSD-3-Clause
// SimAXIMem: memory of Rocket Chip's own harness, as our bridge `memory`. A generator writes it
// without parameters, so the widths come as macros, and its addresses may count from 0:
// FIRESIM_AXI_BASE is added to them. Attributes of bursts (lock, cache, prot, qos) change nothing.
// Newer generators call the channel _0, which FIRESIM_AXI_OF_RECORD says.
`ifndef FIRESIM_AXI_ADDRESS_BITS
`define FIRESIM_AXI_ADDRESS_BITS 32
`endif
`ifndef FIRESIM_AXI_DATA_BITS
`define FIRESIM_AXI_DATA_BITS 64
`endif
`ifndef FIRESIM_AXI_ID_BITS
`define FIRESIM_AXI_ID_BITS 4
`endif
`ifndef FIRESIM_AXI_BASE
`define FIRESIM_AXI_BASE 0
`endif
`ifdef FIRESIM_AXI_OF_RECORD
`define FIRESIM_AXI(name) io_axi4__0_``name
`else
`define FIRESIM_AXI(name) io_axi4_0_``name
`endif
module SimAXIMem (
    input clock,
    input reset,
    output `FIRESIM_AXI(aw_ready),
    input `FIRESIM_AXI(aw_valid),
    input [`FIRESIM_AXI_ID_BITS-1:0] `FIRESIM_AXI(aw_bits_id),
    input [`FIRESIM_AXI_ADDRESS_BITS-1:0] `FIRESIM_AXI(aw_bits_addr),
    input [7:0] `FIRESIM_AXI(aw_bits_len),
    input [2:0] `FIRESIM_AXI(aw_bits_size),
    input [1:0] `FIRESIM_AXI(aw_bits_burst),
    input `FIRESIM_AXI(aw_bits_lock),
    input [3:0] `FIRESIM_AXI(aw_bits_cache),
    input [2:0] `FIRESIM_AXI(aw_bits_prot),
    input [3:0] `FIRESIM_AXI(aw_bits_qos),
    output `FIRESIM_AXI(w_ready),
    input `FIRESIM_AXI(w_valid),
    input [`FIRESIM_AXI_DATA_BITS-1:0] `FIRESIM_AXI(w_bits_data),
    input [`FIRESIM_AXI_DATA_BITS/8-1:0] `FIRESIM_AXI(w_bits_strb),
    input `FIRESIM_AXI(w_bits_last),
    input `FIRESIM_AXI(b_ready),
    output `FIRESIM_AXI(b_valid),
    output [`FIRESIM_AXI_ID_BITS-1:0] `FIRESIM_AXI(b_bits_id),
    output [1:0] `FIRESIM_AXI(b_bits_resp),
    output `FIRESIM_AXI(ar_ready),
    input `FIRESIM_AXI(ar_valid),
    input [`FIRESIM_AXI_ID_BITS-1:0] `FIRESIM_AXI(ar_bits_id),
    input [`FIRESIM_AXI_ADDRESS_BITS-1:0] `FIRESIM_AXI(ar_bits_addr),
    input [7:0] `FIRESIM_AXI(ar_bits_len),
    input [2:0] `FIRESIM_AXI(ar_bits_size),
    input [1:0] `FIRESIM_AXI(ar_bits_burst),
    input `FIRESIM_AXI(ar_bits_lock),
    input [3:0] `FIRESIM_AXI(ar_bits_cache),
    input [2:0] `FIRESIM_AXI(ar_bits_prot),
    input [3:0] `FIRESIM_AXI(ar_bits_qos),
    input `FIRESIM_AXI(r_ready),
    output `FIRESIM_AXI(r_valid),
    output [`FIRESIM_AXI_ID_BITS-1:0] `FIRESIM_AXI(r_bits_id),
    output [`FIRESIM_AXI_DATA_BITS-1:0] `FIRESIM_AXI(r_bits_data),
    output [1:0] `FIRESIM_AXI(r_bits_resp),
    output `FIRESIM_AXI(r_bits_last)
);
  // One bit more than what the addresses reach, so that base and address can stand in it.
  localparam int BITS = $clog2(`FIRESIM_AXI_BASE + 1) > `FIRESIM_AXI_ADDRESS_BITS
      ? $clog2(`FIRESIM_AXI_BASE + 1) : `FIRESIM_AXI_ADDRESS_BITS;
  localparam logic [63:0] BASE = `FIRESIM_AXI_BASE;
  SimDRAM #(
      .ADDR_BITS(BITS),
      .DATA_BITS(`FIRESIM_AXI_DATA_BITS),
      .ID_BITS(`FIRESIM_AXI_ID_BITS)
  ) memory (
      .clock,
      .reset,
      .axi_aw_ready(`FIRESIM_AXI(aw_ready)),
      .axi_aw_valid(`FIRESIM_AXI(aw_valid)),
      .axi_aw_bits_addr(BASE[BITS-1:0] | BITS'(`FIRESIM_AXI(aw_bits_addr))),
      .axi_aw_bits_len(`FIRESIM_AXI(aw_bits_len)),
      .axi_aw_bits_size(`FIRESIM_AXI(aw_bits_size)),
      .axi_aw_bits_burst(`FIRESIM_AXI(aw_bits_burst)),
      .axi_aw_bits_lock(`FIRESIM_AXI(aw_bits_lock)),
      .axi_aw_bits_cache(`FIRESIM_AXI(aw_bits_cache)),
      .axi_aw_bits_prot(`FIRESIM_AXI(aw_bits_prot)),
      .axi_aw_bits_qos(`FIRESIM_AXI(aw_bits_qos)),
      .axi_aw_bits_id(`FIRESIM_AXI(aw_bits_id)),
      .axi_w_ready(`FIRESIM_AXI(w_ready)),
      .axi_w_valid(`FIRESIM_AXI(w_valid)),
      .axi_w_bits_data(`FIRESIM_AXI(w_bits_data)),
      .axi_w_bits_last(`FIRESIM_AXI(w_bits_last)),
      .axi_w_bits_strb(`FIRESIM_AXI(w_bits_strb)),
      .axi_b_ready(`FIRESIM_AXI(b_ready)),
      .axi_b_valid(`FIRESIM_AXI(b_valid)),
      .axi_b_bits_resp(`FIRESIM_AXI(b_bits_resp)),
      .axi_b_bits_id(`FIRESIM_AXI(b_bits_id)),
      .axi_ar_ready(`FIRESIM_AXI(ar_ready)),
      .axi_ar_valid(`FIRESIM_AXI(ar_valid)),
      .axi_ar_bits_addr(BASE[BITS-1:0] | BITS'(`FIRESIM_AXI(ar_bits_addr))),
      .axi_ar_bits_len(`FIRESIM_AXI(ar_bits_len)),
      .axi_ar_bits_size(`FIRESIM_AXI(ar_bits_size)),
      .axi_ar_bits_burst(`FIRESIM_AXI(ar_bits_burst)),
      .axi_ar_bits_lock(`FIRESIM_AXI(ar_bits_lock)),
      .axi_ar_bits_cache(`FIRESIM_AXI(ar_bits_cache)),
      .axi_ar_bits_prot(`FIRESIM_AXI(ar_bits_prot)),
      .axi_ar_bits_qos(`FIRESIM_AXI(ar_bits_qos)),
      .axi_ar_bits_id(`FIRESIM_AXI(ar_bits_id)),
      .axi_r_ready(`FIRESIM_AXI(r_ready)),
      .axi_r_valid(`FIRESIM_AXI(r_valid)),
      .axi_r_bits_resp(`FIRESIM_AXI(r_bits_resp)),
      .axi_r_bits_data(`FIRESIM_AXI(r_bits_data)),
      .axi_r_bits_last(`FIRESIM_AXI(r_bits_last)),
      .axi_r_bits_id(`FIRESIM_AXI(r_bits_id))
  );
endmodule
`undef FIRESIM_AXI
