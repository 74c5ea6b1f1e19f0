// SPDX-License-Identifier: BSD-3-Clause
//
// A VexRiscv with caches and Wishbone buses on random instructions; which one, its file decides.

module OpenVexRiscv (
    input  logic        clock,
    input  logic        reset,
    input  logic [63:0] entropy,
    input  logic [ 1:0] pause,
    output logic        fetched,
    output logic [29:0] fetch_address,
    output logic        stored,
    output logic [31:0] store_data,
    output logic        fetching,
    output logic [ 2:0] fetch_type,
    output logic        data_cycle,
    output logic [29:0] address,
    output logic [ 3:0] strobe,
    output logic [ 2:0] data_type
);
  logic [2:0][63:0] words;
  logic core_reset, write, fetch_strobe, data_strobe;
  OpenStimulus stimulus (.clock, .reset, .entropy, .pause, .work(fetched), .words, .core_reset);
  assign fetched = fetching && fetch_strobe && words[1][1:0] != 0;
  assign stored = data_cycle && data_strobe && write && words[1][3:2] != 0;

  VexRiscv core (
      .clk(clock),
      .reset(core_reset),
      .externalResetVector(32'b0),
      .timerInterrupt(words[1][11:4] == 0),
      .softwareInterrupt(words[1][19:12] == 0),
      .externalInterruptArray(words[1][27:20] == 0 ? words[2][63:32] : 32'b0),
      .iBusWishbone_CYC(fetching),
      .iBusWishbone_STB(fetch_strobe),
      .iBusWishbone_ACK(fetched),
      .iBusWishbone_WE(),
      .iBusWishbone_ADR(fetch_address),
      .iBusWishbone_DAT_MISO(rv32_random::instruction(words[0], 1, 1, 0)),
      .iBusWishbone_DAT_MOSI(),
      .iBusWishbone_SEL(),
      .iBusWishbone_ERR(fetched && words[1][35:28] == 0),
      .iBusWishbone_CTI(fetch_type),
      .iBusWishbone_BTE(),
      .dBusWishbone_CYC(data_cycle),
      .dBusWishbone_STB(data_strobe),
      .dBusWishbone_ACK(data_cycle && data_strobe && words[1][3:2] != 0),
      .dBusWishbone_WE(write),
      .dBusWishbone_ADR(address),
      .dBusWishbone_DAT_MISO(words[2][31:0]),
      .dBusWishbone_DAT_MOSI(store_data),
      .dBusWishbone_SEL(strobe),
      .dBusWishbone_ERR(words[1][43:36] == 0),
      .dBusWishbone_CTI(data_type),
      .dBusWishbone_BTE()
  );
endmodule
