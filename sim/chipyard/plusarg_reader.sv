// SPDX-License-Identifier: BSD-3-Clause
// plusarg_reader: a simulator's option, which always has its default here.
module plusarg_reader #(
    parameter FORMAT = "none=%d",
    parameter WIDTH = 1,
    parameter [WIDTH-1:0] DEFAULT = 0
) (
    output [WIDTH-1:0] out
);
  assign out = DEFAULT;
endmodule
