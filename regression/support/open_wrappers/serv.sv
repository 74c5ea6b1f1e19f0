// SPDX-License-Identifier: BSD-3-Clause
//
// SERV, a bit-serial RV32I core, with its compressed decoder, on random instructions.

module OpenSERV (
    input  logic        clock,
    input  logic        reset,
    input  logic [63:0] entropy,
    input  logic [ 1:0] pause,
    output logic        fetched,
    output logic [31:0] fetch_address,
    output logic        stored,
    output logic [31:0] store_data,
    output logic [31:0] address,
    output logic [ 3:0] strobe,
    output logic        data_cycle,
    output logic [31:0] rs1,
    output logic [31:0] rs2
);
  logic [2:0][63:0] words;
  logic core_reset, fetching, write;
  OpenStimulus stimulus (.clock, .reset, .entropy, .pause, .work(fetched), .words, .core_reset);
  assign fetched = fetching && words[1][1:0] != 0;
  assign stored = data_cycle && write && words[1][3:2] != 0;

  serv_rf_top #(
      .COMPRESSED(1)
  ) core (
      .clk(clock),
      .i_rst(core_reset),
      .i_timer_irq(words[1][11:4] == 0),
      .o_ibus_adr(fetch_address),
      .o_ibus_cyc(fetching),
      .i_ibus_rdt(rv32_random::instruction(words[0], 0, 0, 1)),
      .i_ibus_ack(fetched),
      .o_dbus_adr(address),
      .o_dbus_dat(store_data),
      .o_dbus_sel(strobe),
      .o_dbus_we(write),
      .o_dbus_cyc(data_cycle),
      .i_dbus_rdt(words[2][31:0]),
      .i_dbus_ack(data_cycle && words[1][3:2] != 0),
      .o_ext_rs1(rs1),
      .o_ext_rs2(rs2),
      .o_ext_funct3(),
      .i_ext_rd(32'b0),
      .i_ext_ready(1'b0),
      .o_mdu_valid()
  );
endmodule
