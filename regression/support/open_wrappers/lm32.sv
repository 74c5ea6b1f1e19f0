// SPDX-License-Identifier: BSD-3-Clause
//
// LatticeMico32 with caches, multiplier and divider on random instructions.

package lm32_random;
  // Nearly every opcode is an instruction; those that are not become additions.
  function automatic logic [31:0] instruction(logic [63:0] random);
    logic [31:0] word;
    word = random[31:0];
    if (random[40]) {word[25:24], word[20:19], word[15:14]} = 0;
    case (word[31:26])
      6'h2a, 6'h33: word[31:26] = 6'h2d;
      6'h2b: word = random[41] ? 32'hac00_0007 : 32'hac00_0002;  // system call, breakpoint
      6'h24, 6'h34: word[25:24] = 0;  // the few control registers there are
      default: ;
    endcase
    return word;
  endfunction
endpackage

module OpenLM32 (
    input  logic        clock,
    input  logic        reset,
    input  logic [63:0] entropy,
    input  logic [ 1:0] pause,
    output logic        fetched,
    output logic [31:0] fetch_address,
    output logic        stored,
    output logic [31:0] store_data,
    output logic        fetching,
    output logic [ 2:0] fetch_type,
    output logic        data_cycle,
    output logic [31:0] address,
    output logic [ 3:0] strobe,
    output logic [ 2:0] data_type
);
  logic [2:0][63:0] words;
  logic core_reset, write, fetch_strobe, data_strobe;
  OpenStimulus stimulus (.clock, .reset, .entropy, .pause, .work(fetched), .words, .core_reset);
  assign fetched = fetching && fetch_strobe && words[1][1:0] != 0;
  assign stored = data_cycle && data_strobe && write && words[1][3:2] != 0;

  lm32_top core (
      .clk_i(clock),
      .rst_i(core_reset),
      .interrupt(words[1][11:4] == 0 ? words[2][63:32] : 32'b0),
      .I_DAT_I(lm32_random::instruction(words[0])),
      .I_ACK_I(fetched),
      .I_ERR_I(fetched && words[1][19:12] == 0),
      .I_RTY_I(1'b0),
      .D_DAT_I(words[2][31:0]),
      .D_ACK_I(data_cycle && data_strobe && words[1][3:2] != 0),
      .D_ERR_I(words[1][27:20] == 0),
      .D_RTY_I(1'b0),
      .I_DAT_O(),
      .I_ADR_O(fetch_address),
      .I_CYC_O(fetching),
      .I_SEL_O(),
      .I_STB_O(fetch_strobe),
      .I_WE_O(),
      .I_CTI_O(fetch_type),
      .I_LOCK_O(),
      .I_BTE_O(),
      .D_DAT_O(store_data),
      .D_ADR_O(address),
      .D_CYC_O(data_cycle),
      .D_SEL_O(strobe),
      .D_STB_O(data_strobe),
      .D_WE_O(write),
      .D_CTI_O(data_type),
      .D_LOCK_O(),
      .D_BTE_O()
  );
endmodule
