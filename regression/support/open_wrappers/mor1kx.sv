// SPDX-License-Identifier: BSD-3-Clause
//
// mor1kx (OpenRISC 1000), its pipeline "cappuccino" with caches, address translation and
// floating point, on random instructions.

package or1k_random;
  // Special registers that change what the core does.
  function automatic logic [15:0] special(logic [3:0] choice);
    case (choice)
      0, 1: return 16'h0011;  // supervision register
      2: return 16'h0020;  // exception program counter
      3: return 16'h0030;  // exception address
      4: return 16'h0040;  // exception supervision register
      5: return 16'h0014;  // floating-point control
      6: return 16'h0a00;  // data translation, match
      7: return 16'h0a80;  // data translation, translate
      8: return 16'h1200;  // instruction translation, match
      9: return 16'h1280;  // instruction translation, translate
      10: return 16'h1803;  // invalidate in the data cache
      11: return 16'h2002;  // invalidate in the instruction cache
      12: return 16'h4800;  // interrupt mask
      13: return 16'h4802;  // interrupt status
      14: return 16'h5000;  // timer mode
      15: return 16'h5001;  // timer count
    endcase
  endfunction

  // Register-register operations: the low bits, and bits 9 and 8 that go with them.
  function automatic logic [31:0] arithmetic(logic [31:0] word);
    case (word[3:0])
      6, 9, 10, 11: word[9:8] = 3;
      7, 13: {word[9:8], word[3:0]} = 0;
      15: word[9:8] = {1'b0, word[8]};
      default: word[9:8] = 0;
    endcase
    if (word[3:0] == 8) word[7] = word[7] & ~word[6];
    return word;
  endfunction

  function automatic logic [31:0] instruction(logic [63:0] random);
    logic [31:0] word;
    logic [15:0] number;
    word = random[31:0];
    number = special(random[45:42]);
    if (random[40]) {word[25:24], word[20:19], word[15:14]} = 0;
    if (word[25:21] == 0) word[21] = 1;
    case (random[36:32])
      0: word[31:26] = random[41] ? 6'h00 : 6'h01;
      1: word[31:26] = random[41] ? 6'h03 : 6'h04;
      2: word[31:26] = random[41] ? 6'h11 : 6'h12;
      3: word[31:26] = 6'h06;
      4: word = random[48:46] == 0 ? 32'h2000_0000 : random[48:46] < 4 ? 32'h2400_0000 : word;
      5: word = {6'h2d, word[25:21], 5'b0, number};
      6: word = {6'h30, number[15:11], 5'b0, word[15:11], number[10:0]};
      7, 8, 9: begin  // loads
        word[31:26] = random[46] ? 6'h21 : random[41] ? 6'h23 + {5'b0, word[26]} : 6'h25 + {5'b0, word[26]};
        if (random[47]) {word[20:16], word[1:0]} = 0;
      end
      10, 11, 12: begin  // stores
        word[31:26] = 6'h35 + {4'b0, word[27], word[26] & ~word[27]};
        if (random[47]) {word[20:16], word[1:0]} = 0;
      end
      13, 14, 15, 16: word[31:26] = 6'h27 + {3'b0, word[28:26]} - {5'b0, &word[28:26]};
      17: {word[31:26], word[7]} = {6'h2e, word[7] & ~word[6]};
      18: word[31:26] = 6'h2f;
      19, 20: word[31:26] = 6'h39;
      21: {word[31:26], word[7:5]} = {6'h32, 3'b0};
      22: word[31:26] = random[41] ? 6'h1b : 6'h33;
      23: word = 32'h1500_0000;
      default: word = arithmetic({6'h38, word[25:0]});
    endcase
    return word;
  endfunction
endpackage

module OpenMor1kx (
    input  logic        clock,
    input  logic        reset,
    input  logic [63:0] entropy,
    input  logic [ 1:0] pause,
    output logic        fetched,
    output logic [31:0] fetch_address,
    output logic        stored,
    output logic [31:0] store_data,
    output logic        data_cycle,
    output logic [31:0] address,
    output logic [ 3:0] strobe,
    output logic        executed,
    output logic [31:0] executed_pc,
    output logic [31:0] executed_instruction,
    output logic [31:0] written_back,
    output logic [ 4:0] written_register
);
  logic [2:0][63:0] words;
  logic core_reset, write, fetching, fetch_strobe, data_strobe;
  OpenStimulus stimulus (.clock, .reset, .entropy, .pause, .work(fetched), .words, .core_reset);
  assign fetched = fetching && fetch_strobe && words[1][1:0] != 0;
  assign stored = data_cycle && data_strobe && write && words[1][3:2] != 0;

  mor1kx #(
      .FEATURE_DATACACHE("ENABLED"),
      .OPTION_DCACHE_SET_WIDTH(5),
      .FEATURE_DMMU("ENABLED"),
      .FEATURE_INSTRUCTIONCACHE("ENABLED"),
      .OPTION_ICACHE_SET_WIDTH(5),
      .FEATURE_IMMU("ENABLED"),
      .FEATURE_FPU("ENABLED"),
      .FEATURE_ROR("ENABLED"),
      .FEATURE_EXT("ENABLED"),
      .FEATURE_PERFCOUNTERS("ENABLED"),
      .OPTION_PERFCOUNTERS_NUM(3),
      .FEATURE_TRACEPORT_EXEC("ENABLED"),
      .FEATURE_BRANCH_PREDICTOR("GSHARE"),
      .OPTION_RF_NUM_SHADOW_GPR(1),
      .FEATURE_FASTCONTEXTS("ENABLED")
  ) core (
      .clk(clock),
      .rst(core_reset),
      .iwbm_adr_o(fetch_address),
      .iwbm_stb_o(fetch_strobe),
      .iwbm_cyc_o(fetching),
      .iwbm_err_i(fetched && words[1][19:12] == 0),
      .iwbm_ack_i(fetched),
      .iwbm_dat_i(or1k_random::instruction(words[0])),
      .iwbm_rty_i(1'b0),
      .dwbm_adr_o(address),
      .dwbm_stb_o(data_strobe),
      .dwbm_cyc_o(data_cycle),
      .dwbm_sel_o(strobe),
      .dwbm_we_o(write),
      .dwbm_dat_o(store_data),
      .dwbm_err_i(words[1][27:20] == 0),
      .dwbm_ack_i(data_cycle && data_strobe && words[1][3:2] != 0),
      .dwbm_dat_i(words[2][31:0]),
      .dwbm_rty_i(1'b0),
      .irq_i(words[1][11:4] == 0 ? words[2][63:32] : 32'b0),
      .du_addr_i(16'b0),
      .du_stb_i(1'b0),
      .du_dat_i(32'b0),
      .du_we_i(1'b0),
      .du_stall_i(1'b0),
      .traceport_exec_valid_o(executed),
      .traceport_exec_pc_o(executed_pc),
      .traceport_exec_insn_o(executed_instruction),
      .traceport_exec_wbdata_o(written_back),
      .traceport_exec_wbreg_o(written_register),
      .multicore_coreid_i(32'b0),
      .multicore_numcores_i(32'b1),
      .snoop_adr_i(32'b0),
      .snoop_en_i(1'b0)
  );
endmodule
