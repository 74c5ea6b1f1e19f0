// SPDX-License-Identifier: BSD-3-Clause
//
// The answering side of a bus with requests, grants and responses (OBI, as Ibex and CV32E40P have):
// grants and responses at random, in order, at most two requests open.

module OpenRequestBus (
    input  logic clock,
    input  logic reset,
    input  logic request,
    input  logic may_grant,
    input  logic may_answer,
    output logic grant,
    output logic answer
);
  logic [1:0] waiting;
  assign grant = request && may_grant && waiting != 2;
  assign answer = may_answer && waiting != 0;
  always_ff @(posedge clock)
    if (reset) waiting <= 0;
    else waiting <= waiting + {1'b0, grant} - {1'b0, answer};
endmodule
