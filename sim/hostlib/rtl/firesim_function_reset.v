// SPDX-License-Identifier: BSD-3-Clause
// Answers a function-level reset of a board's shell, which resets nothing of ours by itself. First what
// is on its way ends: while `closes`, words down are to be dropped and no memory is to be asked, so that
// nothing waits for the target. Once nothing has been on its way for some cycles, `restarts` resets the
// host's side and its clock, and `done` says that they are back. What the bitstream began with is not.
//
// The shell gives an access up after 8 us. One that has not ended after twice that never will, and
// the reset goes on without it. A memory is waited for as long as it takes: it is not reset, and its
// answer would be taken for another one.
module firesim_function_reset #(parameter LOG_QUIET = 5, parameter LOG_PATIENCE = 12) (
  input wire clock, input wire reset, input wire asked,
  input wire shell_waits, input wire memory_waits, input wire is_up,
  output wire closes, output wire restarts, output wire done
);
  localparam [2:0] OPEN = 0, CLOSE = 1, RESTART = 2, RETURN = 3, DONE = 4;
  reg [2:0] state;
  reg [LOG_QUIET-1:0] quiet;  // cycles in which nothing was on its way, or of the restart
  reg [LOG_PATIENCE-1:0] waited;
  reg shell, memory;
  initial begin state = OPEN; quiet = 0; waited = 0; shell = 1'b1; memory = 1'b1; end

  assign closes = state == CLOSE | state == RESTART;
  assign restarts = state == RESTART;
  assign done = state == DONE;
  wire waits = memory | (shell & ~&waited);
  always @(posedge clock) begin
    shell <= shell_waits;
    memory <= memory_waits;
    waited <= state != CLOSE ? 0 : waited + ~&waited;
    quiet <= (state == CLOSE & ~waits) | state == RESTART ? quiet + 1'b1 : 0;
    case (state)
      OPEN: if (asked) state <= CLOSE;
      CLOSE: if (&quiet) state <= RESTART;
      RESTART: if (&quiet) state <= RETURN;
      RETURN: if (is_up) state <= DONE;
      default: if (~asked) state <= OPEN;
    endcase
    if (reset) state <= OPEN;
  end
endmodule
