// SPDX-License-Identifier: BSD-3-Clause
//
// Ibex with instruction cache, bit manipulation, memory protection and branch prediction on random
// instructions; and the modules it expects from a technology.

module prim_clock_gating (
    input  logic clk_i,
    input  logic en_i,
    input  logic test_en_i,
    output logic clk_o
);
  prim_generic_clock_gating generic (.clk_i, .en_i, .test_en_i, .clk_o);
endmodule

module prim_buf #(
    parameter int Width = 1
) (
    input  logic [Width-1:0] in_i,
    output logic [Width-1:0] out_o
);
  prim_generic_buf #(.Width(Width)) generic (.in_i, .out_o);
endmodule

module prim_flop #(
    parameter int Width = 1,
    parameter logic [Width-1:0] ResetValue = 0
) (
    input  logic             clk_i,
    input  logic             rst_ni,
    input  logic [Width-1:0] d_i,
    output logic [Width-1:0] q_o
);
  prim_generic_flop #(.Width(Width), .ResetValue(ResetValue)) generic (.clk_i, .rst_ni, .d_i, .q_o);
endmodule

module prim_ram_1p #(
    parameter int Width = 32,
    parameter int Depth = 128,
    parameter int DataBitsPerMask = 1,
    parameter MemInitFile = ""
) (
    input  logic                           clk_i,
    input  logic                           req_i,
    input  logic                           write_i,
    input  logic [      $clog2(Depth)-1:0] addr_i,
    input  logic [              Width-1:0] wdata_i,
    input  logic [              Width-1:0] wmask_i,
    output logic [              Width-1:0] rdata_o,
    input  prim_ram_1p_pkg::ram_1p_cfg_t cfg_i
);
  // The generic one asks the simulator's command line what to load.
  logic [Width-1:0] rows[Depth];
  always_ff @(posedge clk_i)
    if (req_i && write_i) begin
      for (int low = 0; low < Width; low += DataBitsPerMask)
        if (wmask_i[low]) rows[addr_i][low+:DataBitsPerMask] <= wdata_i[low+:DataBitsPerMask];
    end else if (req_i) rdata_o <= rows[addr_i];
endmodule

module OpenIbex (
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
    output logic [ 2:0] alerts,
    output logic        double_fault,
    output logic        key_request,
    output ibex_pkg::crash_dump_t state
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

  ibex_top #(
      .PMPEnable(1),
      .MHPMCounterNum(2),
      .RV32B(ibex_pkg::RV32BFull),
      .RV32M(ibex_pkg::RV32MSingleCycle),
      .BranchTargetALU(1),
      .WritebackStage(1),
      .ICache(1),
      .ICacheScramble(1),
      .BranchPredictor(1)
  ) core (
      .clk_i(clock),
      .rst_ni(!core_reset),
      .test_en_i(1'b0),
      .ram_cfg_i('0),
      .hart_id_i(32'b0),
      .boot_addr_i(32'b0),
      .instr_req_o(fetching),
      .instr_gnt_i(fetched),
      .instr_rvalid_i(fetch_answer),
      .instr_addr_o(fetch_address),
      .instr_rdata_i(rv32_random::instruction(words[0], 1, 0, 1)),
      .instr_rdata_intg_i(7'b0),
      .instr_err_i(words[1][15:8] == 0),
      .data_req_o(data_request),
      .data_gnt_i(data_grant),
      .data_rvalid_i(data_answer),
      .data_we_o(write),
      .data_be_o(strobe),
      .data_addr_o(address),
      .data_wdata_o(store_data),
      .data_wdata_intg_o(),
      .data_rdata_i(words[2][31:0]),
      .data_rdata_intg_i(7'b0),
      .data_err_i(words[1][23:16] == 0),
      .irq_software_i(words[1][31:24] == 0),
      .irq_timer_i(words[1][39:32] == 0),
      .irq_external_i(words[1][47:40] == 0),
      .irq_fast_i(words[1][55:48] == 0 ? words[2][46:32] : 15'b0),
      .irq_nm_i(words[2][63:54] == 0),
      .scramble_key_valid_i(words[1][57:56] == 0),
      .scramble_key_i({words[2], words[0]}),
      .scramble_nonce_i(words[1]),
      .scramble_req_o(key_request),
      .debug_req_i(words[2][53:44] == 0),
      .crash_dump_o(state),
      .double_fault_seen_o(double_fault),
      .fetch_enable_i(ibex_pkg::IbexMuBiOn),
      .alert_minor_o(alerts[0]),
      .alert_major_internal_o(alerts[1]),
      .alert_major_bus_o(alerts[2]),
      .core_sleep_o(asleep),
      .scan_rst_ni(1'b1)
  );
endmodule
