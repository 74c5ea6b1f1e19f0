// SPDX-License-Identifier: BSD-3-Clause
//
// What drives a core that has no program: random words, which go on while the inputs stand still,
// and a watchdog that resets a core that has stopped.

// `words` changes in every cycle but those with `pause` 0, so that now and then everything rests.
// A core that did no `work` for 256 cycles (it sleeps, or a trap handler that is in its cache traps again) is reset.
module OpenStimulus (
    input  logic              clock,
    input  logic              reset,
    input  logic [63:0]       entropy,
    input  logic [ 1:0]       pause,
    input  logic              work,
    output logic [ 2:0][63:0] words,
    output logic              core_reset
);
  function automatic logic [63:0] xorshift(logic [63:0] value);
    value ^= value << 13;
    value ^= value >> 7;
    value ^= value << 17;
    return value;
  endfunction

  initial words = {64'h9e3779b97f4a7c15, 64'hbf58476d1ce4e5b9, 64'h94d049bb133111eb};
  always_ff @(posedge clock)
    if (pause != 0) begin
      words[0] <= xorshift(words[0] ^ entropy);
      words[1] <= xorshift(words[1] + entropy);
      words[2] <= xorshift(words[2] ^ {entropy[31:0], words[0][63:32]});
    end

  logic [8:0] idle_cycles;
  always_ff @(posedge clock)
    if (reset || work || (core_reset && idle_cycles[2:0] == 7)) idle_cycles <= 0;
    else if (pause != 0) idle_cycles <= idle_cycles + 1;
  assign core_reset = reset || idle_cycles[8];
endmodule
