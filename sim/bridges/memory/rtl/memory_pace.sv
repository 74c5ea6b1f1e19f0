// SPDX-License-Identifier: BSD-3-Clause
// bytes_per_cycle of a data channel: Pace of memory_driver.h. `ahead` is by how many bytes the
// channel is ahead of its rate, from one cycle's worth below 0 on. A rate of 0 is none.
module firesim_memory_pace #(
    parameter int BYTES = 8  // of a beat
) (
    input logic clock,
    input logic reset,
    input logic [10:0] rate,
    input logic step,  // a target cycle is over
    input logic take,  // a beat is taken
    output logic paced  // none may be taken
);
  typedef logic signed [12:0] bytes_t;
  bytes_t ahead, least, later;
  assign least = -bytes_t'({2'b00, rate});
  assign later = ahead + least;
  assign paced = rate != 11'd0 & ahead > 0;
  always_ff @(posedge clock)
    if (reset) ahead <= '0;
    else if (take) ahead <= (ahead > least ? ahead : bytes_t'(0)) + bytes_t'(BYTES);
    else if (step) ahead <= later > least ? later : least;
endmodule
