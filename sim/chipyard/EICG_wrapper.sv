// SPDX-License-Identifier: BSD-3-Clause
// EICG_wrapper: a clock gate, whose enable is taken while the clock is low.
module EICG_wrapper (
    output out,
    input en,
    input test_en,
    input in
);
  logic enabled;
  always_latch if (!in) enabled = en | test_en;
  assign out = in & enabled;
endmodule
