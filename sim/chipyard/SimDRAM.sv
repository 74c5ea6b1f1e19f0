// SPDX-License-Identifier: BSD-3-Clause
// SimDRAM: main memory behind AXI4, as our bridge `memory`, which stands on the simulation's clock.
// Its size and base are settings of the node. Attributes of bursts (lock, cache, prot, qos) change
// nothing in it.
module SimDRAM #(
    parameter ADDR_BITS = 32,
    parameter DATA_BITS = 64,
    parameter ID_BITS = 5,
    parameter MEM_SIZE = 1000000000,
    parameter LINE_SIZE = 64,
    parameter WORD_SIZE = DATA_BITS / 8,
    parameter CLOCK_HZ = 100000,
    parameter STRB_BITS = DATA_BITS / 8,
    parameter MEM_BASE = 0,
    parameter CHIP_ID = 0
) (
    input clock,
    input reset,
    output axi_aw_ready,
    input axi_aw_valid,
    input [ADDR_BITS-1:0] axi_aw_bits_addr,
    input [7:0] axi_aw_bits_len,
    input [2:0] axi_aw_bits_size,
    input [1:0] axi_aw_bits_burst,
    input axi_aw_bits_lock,
    input [3:0] axi_aw_bits_cache,
    input [2:0] axi_aw_bits_prot,
    input [3:0] axi_aw_bits_qos,
    input [ID_BITS-1:0] axi_aw_bits_id,
    output axi_w_ready,
    input axi_w_valid,
    input [DATA_BITS-1:0] axi_w_bits_data,
    input axi_w_bits_last,
    input [STRB_BITS-1:0] axi_w_bits_strb,
    input axi_b_ready,
    output axi_b_valid,
    output [1:0] axi_b_bits_resp,
    output [ID_BITS-1:0] axi_b_bits_id,
    output axi_ar_ready,
    input axi_ar_valid,
    input [ADDR_BITS-1:0] axi_ar_bits_addr,
    input [7:0] axi_ar_bits_len,
    input [2:0] axi_ar_bits_size,
    input [1:0] axi_ar_bits_burst,
    input axi_ar_bits_lock,
    input [3:0] axi_ar_bits_cache,
    input [2:0] axi_ar_bits_prot,
    input [3:0] axi_ar_bits_qos,
    input [ID_BITS-1:0] axi_ar_bits_id,
    input axi_r_ready,
    output axi_r_valid,
    output [1:0] axi_r_bits_resp,
    output [DATA_BITS-1:0] axi_r_bits_data,
    output axi_r_bits_last,
    output [ID_BITS-1:0] axi_r_bits_id
);
  wire r_valid, b_valid, aw_ready, w_ready, ar_ready;
  // In reset nothing may be taken: the target's master may not be in reset at the same time.
  assign axi_aw_ready = aw_ready && !reset;
  assign axi_w_ready = w_ready && !reset;
  assign axi_ar_ready = ar_ready && !reset;
  assign axi_b_valid = b_valid && !reset;
  assign axi_r_valid = r_valid && !reset;
  FireSimMemoryBridge #(
      .ID_BITS(ID_BITS),
      .ADDRESS_BITS(ADDR_BITS),
      .DATA_BITS(DATA_BITS)
  ) bridge (
      .clock,
      .reset,
      .aw_valid(axi_aw_valid && !reset),
      .aw_ready,
      .aw_id(axi_aw_bits_id),
      .aw_addr(axi_aw_bits_addr),
      .aw_len(axi_aw_bits_len),
      .aw_size(axi_aw_bits_size),
      .aw_burst(axi_aw_bits_burst),
      .w_valid(axi_w_valid && !reset),
      .w_ready,
      .w_data(axi_w_bits_data),
      .w_strb(axi_w_bits_strb),
      .w_last(axi_w_bits_last),
      .b_valid,
      .b_ready(axi_b_ready && !reset),
      .b_id(axi_b_bits_id),
      .b_resp(axi_b_bits_resp),
      .ar_valid(axi_ar_valid && !reset),
      .ar_ready,
      .ar_id(axi_ar_bits_id),
      .ar_addr(axi_ar_bits_addr),
      .ar_len(axi_ar_bits_len),
      .ar_size(axi_ar_bits_size),
      .ar_burst(axi_ar_bits_burst),
      .r_valid,
      .r_ready(axi_r_ready && !reset),
      .r_id(axi_r_bits_id),
      .r_data(axi_r_bits_data),
      .r_resp(axi_r_bits_resp),
      .r_last(axi_r_bits_last)
  );
endmodule
