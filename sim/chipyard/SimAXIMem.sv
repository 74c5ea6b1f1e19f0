// SPDX-License-Identifier: BSD-3-Clause
// SimAXIMem: memory of Rocket Chip's own harness, as our bridge `memory`. A generator writes it
// without parameters, so the widths come as macros, and its addresses may count from 0:
// FIRESIM_AXI_BASE is added to them. Attributes of bursts (lock, cache, prot, qos) change nothing.
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
module SimAXIMem (
    input clock,
    input reset,
    output io_axi4_0_aw_ready,
    input io_axi4_0_aw_valid,
    input [`FIRESIM_AXI_ID_BITS-1:0] io_axi4_0_aw_bits_id,
    input [`FIRESIM_AXI_ADDRESS_BITS-1:0] io_axi4_0_aw_bits_addr,
    input [7:0] io_axi4_0_aw_bits_len,
    input [2:0] io_axi4_0_aw_bits_size,
    input [1:0] io_axi4_0_aw_bits_burst,
    input io_axi4_0_aw_bits_lock,
    input [3:0] io_axi4_0_aw_bits_cache,
    input [2:0] io_axi4_0_aw_bits_prot,
    input [3:0] io_axi4_0_aw_bits_qos,
    output io_axi4_0_w_ready,
    input io_axi4_0_w_valid,
    input [`FIRESIM_AXI_DATA_BITS-1:0] io_axi4_0_w_bits_data,
    input [`FIRESIM_AXI_DATA_BITS/8-1:0] io_axi4_0_w_bits_strb,
    input io_axi4_0_w_bits_last,
    input io_axi4_0_b_ready,
    output io_axi4_0_b_valid,
    output [`FIRESIM_AXI_ID_BITS-1:0] io_axi4_0_b_bits_id,
    output [1:0] io_axi4_0_b_bits_resp,
    output io_axi4_0_ar_ready,
    input io_axi4_0_ar_valid,
    input [`FIRESIM_AXI_ID_BITS-1:0] io_axi4_0_ar_bits_id,
    input [`FIRESIM_AXI_ADDRESS_BITS-1:0] io_axi4_0_ar_bits_addr,
    input [7:0] io_axi4_0_ar_bits_len,
    input [2:0] io_axi4_0_ar_bits_size,
    input [1:0] io_axi4_0_ar_bits_burst,
    input io_axi4_0_ar_bits_lock,
    input [3:0] io_axi4_0_ar_bits_cache,
    input [2:0] io_axi4_0_ar_bits_prot,
    input [3:0] io_axi4_0_ar_bits_qos,
    input io_axi4_0_r_ready,
    output io_axi4_0_r_valid,
    output [`FIRESIM_AXI_ID_BITS-1:0] io_axi4_0_r_bits_id,
    output [`FIRESIM_AXI_DATA_BITS-1:0] io_axi4_0_r_bits_data,
    output [1:0] io_axi4_0_r_bits_resp,
    output io_axi4_0_r_bits_last
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
      .axi_aw_ready(io_axi4_0_aw_ready),
      .axi_aw_valid(io_axi4_0_aw_valid),
      .axi_aw_bits_addr(BASE[BITS-1:0] | BITS'(io_axi4_0_aw_bits_addr)),
      .axi_aw_bits_len(io_axi4_0_aw_bits_len),
      .axi_aw_bits_size(io_axi4_0_aw_bits_size),
      .axi_aw_bits_burst(io_axi4_0_aw_bits_burst),
      .axi_aw_bits_lock(io_axi4_0_aw_bits_lock),
      .axi_aw_bits_cache(io_axi4_0_aw_bits_cache),
      .axi_aw_bits_prot(io_axi4_0_aw_bits_prot),
      .axi_aw_bits_qos(io_axi4_0_aw_bits_qos),
      .axi_aw_bits_id(io_axi4_0_aw_bits_id),
      .axi_w_ready(io_axi4_0_w_ready),
      .axi_w_valid(io_axi4_0_w_valid),
      .axi_w_bits_data(io_axi4_0_w_bits_data),
      .axi_w_bits_last(io_axi4_0_w_bits_last),
      .axi_w_bits_strb(io_axi4_0_w_bits_strb),
      .axi_b_ready(io_axi4_0_b_ready),
      .axi_b_valid(io_axi4_0_b_valid),
      .axi_b_bits_resp(io_axi4_0_b_bits_resp),
      .axi_b_bits_id(io_axi4_0_b_bits_id),
      .axi_ar_ready(io_axi4_0_ar_ready),
      .axi_ar_valid(io_axi4_0_ar_valid),
      .axi_ar_bits_addr(BASE[BITS-1:0] | BITS'(io_axi4_0_ar_bits_addr)),
      .axi_ar_bits_len(io_axi4_0_ar_bits_len),
      .axi_ar_bits_size(io_axi4_0_ar_bits_size),
      .axi_ar_bits_burst(io_axi4_0_ar_bits_burst),
      .axi_ar_bits_lock(io_axi4_0_ar_bits_lock),
      .axi_ar_bits_cache(io_axi4_0_ar_bits_cache),
      .axi_ar_bits_prot(io_axi4_0_ar_bits_prot),
      .axi_ar_bits_qos(io_axi4_0_ar_bits_qos),
      .axi_ar_bits_id(io_axi4_0_ar_bits_id),
      .axi_r_ready(io_axi4_0_r_ready),
      .axi_r_valid(io_axi4_0_r_valid),
      .axi_r_bits_resp(io_axi4_0_r_bits_resp),
      .axi_r_bits_data(io_axi4_0_r_bits_data),
      .axi_r_bits_last(io_axi4_0_r_bits_last),
      .axi_r_bits_id(io_axi4_0_r_bits_id)
  );
endmodule
