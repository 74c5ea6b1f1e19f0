// SPDX-License-Identifier: BSD-3-Clause
//
// PicoRV32 with everything it can do (RV32IMC, interrupts, trace) on random instructions.

module OpenPicoRV32 (
    input  logic        clock,
    input  logic        reset,
    input  logic [63:0] entropy,
    input  logic [ 1:0] pause,
    output logic        fetched,
    output logic [31:0] fetch_address,
    output logic        stored,
    output logic [31:0] store_data,
    output logic        valid,
    output logic [31:0] address,
    output logic [ 3:0] strobe,
    output logic        trap,
    output logic [31:0] ended_interrupts,
    output logic        trace_valid,
    output logic [35:0] trace_data
);
  logic [2:0][63:0] words;
  logic core_reset, is_instruction, ready;
  OpenStimulus stimulus (.clock, .reset, .entropy, .pause, .work(fetched), .words, .core_reset);

  // PicoRV32's own instructions for interrupts (opcode custom-0), now and then; the first after a
  // reset takes the mask off all interrupts, and half of the handlers return at once.
  logic [31:0] instruction, interrupts;
  always_comb
    if (address == 32'h0) instruction = 32'h0600_000b;
    else if (address == 32'h10 && words[1][16]) instruction = 32'h0400_000b;
    else if (words[1][4:0] == 0) instruction = {4'b0, words[0][27:25], words[0][24:7], 7'h0b};
    else instruction = rv32_random::instruction(words[0], 1, 0, 1);
  assign interrupts = words[1][13:6] == 0 ? words[2][31:0] : 0;
  assign ready = valid && words[1][15:14] != 0;
  assign fetched = ready && is_instruction;
  assign fetch_address = address;
  assign stored = ready && strobe != 0;

  picorv32 #(
      .COMPRESSED_ISA(1),
      .BARREL_SHIFTER(1),
      .ENABLE_MUL(1),
      .ENABLE_DIV(1),
      .ENABLE_IRQ(1),
      .ENABLE_TRACE(1)
  ) core (
      .clk(clock),
      .resetn(!(core_reset || trap)),  // a trap halts it for good
      .trap,
      .mem_valid(valid),
      .mem_instr(is_instruction),
      .mem_ready(ready),
      .mem_addr(address),
      .mem_wdata(store_data),
      .mem_wstrb(strobe),
      .mem_rdata(is_instruction ? instruction : words[2][63:32]),
      .pcpi_wr(1'b0),
      .pcpi_rd(32'b0),
      .pcpi_wait(1'b0),
      .pcpi_ready(1'b0),
      .irq(interrupts),
      .eoi(ended_interrupts),
      .trace_valid,
      .trace_data
  );
endmodule
