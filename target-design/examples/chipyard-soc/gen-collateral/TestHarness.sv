// SPDX-License-Identifier: BSD-3-Clause
// A small SoC in the form in which Chipyard writes its own: a harness with the host, main memory and
// clocks outside the chip, by the names and ports that Chipyard gives them. The chip has no
// processor. Its core, once woken, plays a list of words to the host (ListCore.sv).
module TestHarness (
    input clock,
    input reset,
    output io_success
);
  wire chip_clock, serial_clock;
  wire tsi_in_valid, tsi_in_ready, tsi_out_valid, tsi_out_ready;
  wire [31:0] tsi_in_bits, tsi_out_bits, exit, most_words;
  wire aw_valid, aw_ready, w_valid, w_ready, b_valid, b_ready;
  wire ar_valid, ar_ready, r_valid, r_ready;
  wire [31:0] aw_addr, ar_addr;
  wire [63:0] w_data, r_data;
  wire [ 7:0] w_strb;
  wire [ 1:0] b_resp, r_resp;

  ClockSourceAtFreqMHz #(
      .PERIOD(2.000000e+00)
  ) chip_source (
      .power(1'h1),
      .gate(1'h0),
      .clk(chip_clock)
  );
  ClockSourceAtFreqMHz #(
      .PERIOD(1.000000e+01)
  ) serial_source (
      .power(1'h1),
      .gate(1'h0),
      .clk(serial_clock)
  );
  plusarg_reader #(
      .FORMAT("most_words=%d"),
      .DEFAULT(4096),
      .WIDTH(32)
  ) plusarg_reader (
      .out(most_words)
  );
  SimTSI #(
      .CHIPID(0)
  ) simtsi (
      .clock(serial_clock),
      .reset,
      .tsi_out_valid,
      .tsi_out_ready,
      .tsi_out_bits,
      .tsi_in_valid,
      .tsi_in_ready,
      .tsi_in_bits,
      .exit
  );
  SimDRAM #(
      .ADDR_BITS(32),
      .DATA_BITS(64),
      .ID_BITS(4),
      .LINE_SIZE(64),
      .MEM_BASE(40'd2147483648),
      .MEM_SIZE(16777216)
  ) simdram (
      .clock(chip_clock),
      .reset,
      .axi_aw_ready(aw_ready),
      .axi_aw_valid(aw_valid),
      .axi_aw_bits_addr(aw_addr),
      .axi_aw_bits_len(8'h0),
      .axi_aw_bits_size(3'h3),
      .axi_aw_bits_burst(2'h1),
      .axi_aw_bits_lock(1'h0),
      .axi_aw_bits_cache(4'h0),
      .axi_aw_bits_prot(3'h0),
      .axi_aw_bits_qos(4'h0),
      .axi_aw_bits_id(4'h0),
      .axi_w_ready(w_ready),
      .axi_w_valid(w_valid),
      .axi_w_bits_data(w_data),
      .axi_w_bits_last(1'h1),
      .axi_w_bits_strb(w_strb),
      .axi_b_ready(b_ready),
      .axi_b_valid(b_valid),
      .axi_b_bits_resp(b_resp),
      .axi_b_bits_id(),
      .axi_ar_ready(ar_ready),
      .axi_ar_valid(ar_valid),
      .axi_ar_bits_addr(ar_addr),
      .axi_ar_bits_len(8'h0),
      .axi_ar_bits_size(3'h3),
      .axi_ar_bits_burst(2'h1),
      .axi_ar_bits_lock(1'h0),
      .axi_ar_bits_cache(4'h0),
      .axi_ar_bits_prot(3'h0),
      .axi_ar_bits_qos(4'h0),
      .axi_ar_bits_id(4'h0),
      .axi_r_ready(r_ready),
      .axi_r_valid(r_valid),
      .axi_r_bits_resp(r_resp),
      .axi_r_bits_data(r_data),
      .axi_r_bits_last(),
      .axi_r_bits_id()
  );
  ChipTop chiptop (
      .clock(chip_clock),
      .*
  );
  assign io_success = exit == 32'h1;
endmodule
