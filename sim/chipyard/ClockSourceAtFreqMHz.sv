// SPDX-License-Identifier: BSD-3-Clause
// ClockSourceAtFreqMHz: a clock by its period in nanoseconds. Golden Gate takes the fastest one as
// the clock of the simulation, and gives each other one its share of that one's edges.
module ClockSourceAtFreqMHz #(
    parameter real PERIOD = 1.0
) (
    input power,
    input gate,
    output clk
);
  wire ticking;
  FireSimClockSource #(
      .PERIOD_PS(int'(PERIOD * 1000.0))
  ) source (
      .clock(ticking)
  );
  assign clk = ticking & (power & ~gate);
endmodule
