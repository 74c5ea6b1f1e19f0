// SPDX-License-Identifier: BSD-3-Clause
//
// CV32E40P with its PULP instructions (hardware loops, vectors of bytes) on random instructions.

module OpenCV32E40P (
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
    output logic        asleep,
    output logic        interrupted,
    output logic [ 4:0] interrupt_number,
    output logic [ 2:0] debug_state
);
  logic [2:0][63:0] words;
  logic core_reset, fetching, fetch_answer, data_request, data_grant, data_answer, write;
  OpenStimulus stimulus (.clock, .reset, .entropy, .pause, .work(fetched), .words, .core_reset);
  OpenRequestBus fetch_bus (
      .clock, .reset(core_reset), .request(fetching), .may_grant(words[1][1:0] != 0),
      .may_answer(words[1][3:2] != 0), .grant(fetched), .answer(fetch_answer)
  );
  OpenRequestBus data_bus (
      .clock, .reset(core_reset), .request(data_request), .may_grant(words[1][5:4] != 0),
      .may_answer(words[1][7:6] != 0), .grant(data_grant), .answer(data_answer)
  );
  assign stored = data_grant && write;

  // The PULP instructions: custom opcodes 0 to 3, most encodings of which are taken.
  logic [31:0] instruction;
  assign instruction = words[1][10:8] == 0 ? {words[0][31:7], words[0][33:32], 5'b01011}
                                           : rv32_random::instruction(words[0], 1, 0, 1);

  cv32e40p_top #(
      .COREV_PULP(1),
      .NUM_MHPMCOUNTERS(2)
  ) core (
      .clk_i(clock),
      .rst_ni(!core_reset),
      .pulp_clock_en_i(1'b0),
      .scan_cg_en_i(1'b0),
      .boot_addr_i(32'b0),
      .mtvec_addr_i(32'b0),
      .dm_halt_addr_i(32'h1a11_0800),
      .hart_id_i(32'b0),
      .dm_exception_addr_i(32'h1a11_0808),
      .instr_req_o(fetching),
      .instr_gnt_i(fetched),
      .instr_rvalid_i(fetch_answer),
      .instr_addr_o(fetch_address),
      .instr_rdata_i(instruction),
      .data_req_o(data_request),
      .data_gnt_i(data_grant),
      .data_rvalid_i(data_answer),
      .data_we_o(write),
      .data_be_o(strobe),
      .data_addr_o(address),
      .data_wdata_o(store_data),
      .data_rdata_i(words[2][31:0]),
      .irq_i(words[1][18:11] == 0 ? words[2][63:32] : 32'b0),
      .irq_ack_o(interrupted),
      .irq_id_o(interrupt_number),
      .debug_req_i(words[1][28:19] == 0),
      .debug_havereset_o(debug_state[0]),
      .debug_running_o(debug_state[1]),
      .debug_halted_o(debug_state[2]),
      .fetch_enable_i(1'b1),
      .core_sleep_o(asleep)
  );
endmodule
