// Rocket Chip's hook for simulator command-line options: here every option has its default, so that
// a blade depends on nothing but its tokens.
// SPDX-License-Identifier: BSD-3-Clause

module plusarg_reader #(
    parameter FORMAT = "unused=%d",
    parameter WIDTH = 1,
    parameter [WIDTH-1:0] DEFAULT = 0
) (
    output [WIDTH-1:0] out
);
  assign out = DEFAULT;
endmodule
