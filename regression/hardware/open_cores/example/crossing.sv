// SPDX-License-Identifier: BSD-3-Clause
//
// A small design of ours for the harness of open-cores: an active-low asynchronous reset that is
// low from the first cycle on, a memory, and units that need each other in one order or the other.
module crossing #(parameter WIDTH = 8) (
    input  wire             clk,
    input  wire             rst_n,
    input  wire             swap,
    input  wire [WIDTH-1:0] in,
    input  wire       [3:0] row,
    output wire [WIDTH-1:0] first,
    output wire [WIDTH-1:0] second,
    output reg  [WIDTH-1:0] total,
    output wire [WIDTH-1:0] kept
);
  reg [WIDTH-1:0] rows[0:15];
  assign first  = swap ? second + 1 : in ^ total;
  assign second = swap ? in : first ^ {WIDTH{1'b1}};
  assign kept   = rows[row];
  always @(posedge clk) if (rst_n) rows[row] <= first;
  always @(posedge clk or negedge rst_n)
    if (!rst_n) total <= 5;
    else total <= total + second;
endmodule
