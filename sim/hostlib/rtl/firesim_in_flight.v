// SPDX-License-Identifier: BSD-3-Clause
// Whether accesses of one kind are on their way: offered, or taken and not answered.
module firesim_in_flight #(parameter LOG_MOST = 8) (
  input wire clock, input wire reset, input wire offered, input wire begins, input wire ends,
  output wire is_any
);
  reg [LOG_MOST-1:0] count;
  initial count = 0;
  always @(posedge clock)
    if (reset) count <= 0;
    else count <= count + {{(LOG_MOST-1){1'b0}}, begins} - {{(LOG_MOST-1){1'b0}}, ends};
  assign is_any = offered | |count;
endmodule
