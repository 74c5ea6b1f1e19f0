// SPDX-License-Identifier: BSD-3-Clause
// The ECP5's block memory as Yosys uses it, by Lattice's FPGA-TN-02204 and the rules that
// share/lattice/brams_16kd.txt states. Yosys has no model of it, only of the cells beside it.
//
// Addresses count in units of one bit of data. A row of 9 bits has its data bits in 7:0 when it is
// accessed by 1, 2 or 4. A port of 36 bits uses the data pins of both. What is read in the cycle in
// which the other port writes the same row is not defined: here it is the inverse of what was
// there, so that who relies on it is found. Both ports have one clock. A setting that is not
// modelled has no module.
module DP16KD #(
  parameter DATA_WIDTH_A = 18, parameter DATA_WIDTH_B = 18,
  parameter REGMODE_A = "NOREG", parameter REGMODE_B = "NOREG",
  parameter RESETMODE = "SYNC", parameter ASYNC_RESET_RELEASE = "SYNC",
  parameter CSDECODE_A = "0b000", parameter CSDECODE_B = "0b000",
  parameter WRITEMODE_A = "NORMAL", parameter WRITEMODE_B = "NORMAL",
  parameter CLKAMUX = "CLKA", parameter CLKBMUX = "CLKB", parameter GSR = "ENABLED",
  parameter [319:0] INITVAL_00 = 0, parameter [319:0] INITVAL_01 = 0, parameter [319:0] INITVAL_02 = 0,
  parameter [319:0] INITVAL_03 = 0, parameter [319:0] INITVAL_04 = 0, parameter [319:0] INITVAL_05 = 0,
  parameter [319:0] INITVAL_06 = 0, parameter [319:0] INITVAL_07 = 0, parameter [319:0] INITVAL_08 = 0,
  parameter [319:0] INITVAL_09 = 0, parameter [319:0] INITVAL_0A = 0, parameter [319:0] INITVAL_0B = 0,
  parameter [319:0] INITVAL_0C = 0, parameter [319:0] INITVAL_0D = 0, parameter [319:0] INITVAL_0E = 0,
  parameter [319:0] INITVAL_0F = 0, parameter [319:0] INITVAL_10 = 0, parameter [319:0] INITVAL_11 = 0,
  parameter [319:0] INITVAL_12 = 0, parameter [319:0] INITVAL_13 = 0, parameter [319:0] INITVAL_14 = 0,
  parameter [319:0] INITVAL_15 = 0, parameter [319:0] INITVAL_16 = 0, parameter [319:0] INITVAL_17 = 0,
  parameter [319:0] INITVAL_18 = 0, parameter [319:0] INITVAL_19 = 0, parameter [319:0] INITVAL_1A = 0,
  parameter [319:0] INITVAL_1B = 0, parameter [319:0] INITVAL_1C = 0, parameter [319:0] INITVAL_1D = 0,
  parameter [319:0] INITVAL_1E = 0, parameter [319:0] INITVAL_1F = 0, parameter [319:0] INITVAL_20 = 0,
  parameter [319:0] INITVAL_21 = 0, parameter [319:0] INITVAL_22 = 0, parameter [319:0] INITVAL_23 = 0,
  parameter [319:0] INITVAL_24 = 0, parameter [319:0] INITVAL_25 = 0, parameter [319:0] INITVAL_26 = 0,
  parameter [319:0] INITVAL_27 = 0, parameter [319:0] INITVAL_28 = 0, parameter [319:0] INITVAL_29 = 0,
  parameter [319:0] INITVAL_2A = 0, parameter [319:0] INITVAL_2B = 0, parameter [319:0] INITVAL_2C = 0,
  parameter [319:0] INITVAL_2D = 0, parameter [319:0] INITVAL_2E = 0, parameter [319:0] INITVAL_2F = 0,
  parameter [319:0] INITVAL_30 = 0, parameter [319:0] INITVAL_31 = 0, parameter [319:0] INITVAL_32 = 0,
  parameter [319:0] INITVAL_33 = 0, parameter [319:0] INITVAL_34 = 0, parameter [319:0] INITVAL_35 = 0,
  parameter [319:0] INITVAL_36 = 0, parameter [319:0] INITVAL_37 = 0, parameter [319:0] INITVAL_38 = 0,
  parameter [319:0] INITVAL_39 = 0, parameter [319:0] INITVAL_3A = 0, parameter [319:0] INITVAL_3B = 0,
  parameter [319:0] INITVAL_3C = 0, parameter [319:0] INITVAL_3D = 0, parameter [319:0] INITVAL_3E = 0,
  parameter [319:0] INITVAL_3F = 0
) (
  input wire DIA17, DIA16, DIA15, DIA14, DIA13, DIA12, DIA11, DIA10, DIA9, DIA8, DIA7, DIA6, DIA5,
    DIA4, DIA3, DIA2, DIA1, DIA0,
  input wire ADA13, ADA12, ADA11, ADA10, ADA9, ADA8, ADA7, ADA6, ADA5, ADA4, ADA3, ADA2, ADA1,
    ADA0,
  input wire CEA, OCEA, CLKA, WEA, RSTA, CSA2, CSA1, CSA0,
  output wire DOA17, DOA16, DOA15, DOA14, DOA13, DOA12, DOA11, DOA10, DOA9, DOA8, DOA7, DOA6,
    DOA5, DOA4, DOA3, DOA2, DOA1, DOA0,
  input wire DIB17, DIB16, DIB15, DIB14, DIB13, DIB12, DIB11, DIB10, DIB9, DIB8, DIB7, DIB6, DIB5,
    DIB4, DIB3, DIB2, DIB1, DIB0,
  input wire ADB13, ADB12, ADB11, ADB10, ADB9, ADB8, ADB7, ADB6, ADB5, ADB4, ADB3, ADB2, ADB1,
    ADB0,
  input wire CEB, OCEB, CLKB, WEB, RSTB, CSB2, CSB1, CSB0,
  output wire DOB17, DOB16, DOB15, DOB14, DOB13, DOB12, DOB11, DOB10, DOB9, DOB8, DOB7, DOB6,
    DOB5, DOB4, DOB3, DOB2, DOB1, DOB0
);
  generate
    if (REGMODE_A != "NOREG" | REGMODE_B != "NOREG" | CLKAMUX != "CLKA"
        | CLKBMUX != "CLKB" | CSDECODE_A != "0b000" | CSDECODE_B != "0b000")
      firesim_has_no_model_of_this_setting_of_DP16KD refused ();
  endgenerate

  wire [17:0] di_a = {DIA17, DIA16, DIA15, DIA14, DIA13, DIA12, DIA11, DIA10, DIA9, DIA8, DIA7,
    DIA6, DIA5, DIA4, DIA3, DIA2, DIA1, DIA0};
  wire [13:0] address_a = {ADA13, ADA12, ADA11, ADA10, ADA9, ADA8, ADA7, ADA6, ADA5, ADA4, ADA3,
    ADA2, ADA1, ADA0};
  wire [2:0] select_a = {CSA2, CSA1, CSA0};
  wire [17:0] di_b = {DIB17, DIB16, DIB15, DIB14, DIB13, DIB12, DIB11, DIB10, DIB9, DIB8, DIB7,
    DIB6, DIB5, DIB4, DIB3, DIB2, DIB1, DIB0};
  wire [13:0] address_b = {ADB13, ADB12, ADB11, ADB10, ADB9, ADB8, ADB7, ADB6, ADB5, ADB4, ADB3,
    ADB2, ADB1, ADB0};
  wire [2:0] select_b = {CSB2, CSB1, CSB0};

  // A row of 36 bits for all widths: each access is a mask and data shifted to their place.
  reg [35:0] rows [0:511];
  localparam [20479:0] INITIAL = {INITVAL_3F, INITVAL_3E, INITVAL_3D, INITVAL_3C, INITVAL_3B,
    INITVAL_3A, INITVAL_39, INITVAL_38, INITVAL_37, INITVAL_36, INITVAL_35, INITVAL_34,
    INITVAL_33, INITVAL_32, INITVAL_31, INITVAL_30, INITVAL_2F, INITVAL_2E, INITVAL_2D,
    INITVAL_2C, INITVAL_2B, INITVAL_2A, INITVAL_29, INITVAL_28, INITVAL_27, INITVAL_26,
    INITVAL_25, INITVAL_24, INITVAL_23, INITVAL_22, INITVAL_21, INITVAL_20, INITVAL_1F,
    INITVAL_1E, INITVAL_1D, INITVAL_1C, INITVAL_1B, INITVAL_1A, INITVAL_19, INITVAL_18,
    INITVAL_17, INITVAL_16, INITVAL_15, INITVAL_14, INITVAL_13, INITVAL_12, INITVAL_11,
    INITVAL_10, INITVAL_0F, INITVAL_0E, INITVAL_0D, INITVAL_0C, INITVAL_0B, INITVAL_0A,
    INITVAL_09, INITVAL_08, INITVAL_07, INITVAL_06, INITVAL_05, INITVAL_04, INITVAL_03,
    INITVAL_02, INITVAL_01, INITVAL_00};
  integer row;
  initial
    for (row = 0; row < 512; row = row + 1)
      rows[row] = {INITIAL[40*row + 20 +: 18], INITIAL[40*row +: 18]};

  // Where data lies in its row of 36 bits: by 9 for each byte, then by the width within it.
  function [5:0] place(input integer width, input [4:0] address);
    case (width)
      1: place = 6'd9 * address[4:3] + address[2:0];
      2: place = 6'd9 * address[4:3] + {address[2:1], 1'b0};
      4: place = 6'd9 * address[4:3] + {address[2], 2'b00};
      9: place = 6'd9 * address[4:3];
      18: place = address[4] ? 6'd18 : 6'd0;
      default: place = 6'd0;
    endcase
  endfunction
  function [35:0] written(input integer width, input [4:0] address);
    case (width)
      18: written = {18'd0, {9{address[1]}}, {9{address[0]}}} << place(18, address);
      36: written = {{9{address[3]}}, {9{address[2]}}, {9{address[1]}}, {9{address[0]}}};
      default: written = ((36'd1 << width) - 36'd1) << place(width, address);
    endcase
  endfunction

  localparam BLOCKS = RESETMODE == "SYNC";  // A reset in step with the clock holds off writes.
  wire enabled_a = CEA & select_a == 3'd0, enabled_b = CEB & select_b == 3'd0;
  wire writes_a = enabled_a & WEA & ~(BLOCKS & RSTA), writes_b = enabled_b & WEB & ~(BLOCKS & RSTB);
  wire [35:0] mask_a = writes_a ? written(DATA_WIDTH_A, address_a[4:0]) : 36'd0;
  wire [35:0] mask_b = writes_b ? written(DATA_WIDTH_B, address_b[4:0]) : 36'd0;
  wire [35:0] data_a = DATA_WIDTH_A == 36 ? {di_b, di_a}
                     : {18'd0, di_a} << place(DATA_WIDTH_A, address_a[4:0]);
  wire [35:0] data_b = {18'd0, di_b} << place(DATA_WIDTH_B, address_b[4:0]);
  wire meet = address_a[13:5] == address_b[13:5];

  wire [35:0] row_a = rows[address_a[13:5]], row_b = rows[address_b[13:5]];
  wire [35:0] new_a = (row_a & ~mask_a) | (data_a & mask_a);
  wire [35:0] new_b = (row_b & ~mask_b) | (data_b & mask_b);
  wire [35:0] other_a = meet ? mask_a : 36'd0, other_b = meet ? mask_b : 36'd0;
  wire [35:0] seen_a = (WRITEMODE_A == "WRITETHROUGH" ? new_a : row_a) ^ other_b;
  wire [35:0] seen_b = (WRITEMODE_B == "WRITETHROUGH" ? new_b : row_b) ^ other_a;

  wire reads_a = enabled_a & ~(writes_a & WRITEMODE_A == "NORMAL");
  wire reads_b = enabled_b & ~(writes_b & WRITEMODE_B == "NORMAL");
  reg [35:0] out_a, out_b;
  initial begin
    out_a = 36'd0; out_b = 36'd0;
  end
  generate
    if (RESETMODE == "SYNC") begin : synchronous
      always @(posedge CLKA)
        if (RSTA) out_a <= 36'd0;
        else if (reads_a) out_a <= seen_a >> place(DATA_WIDTH_A, address_a[4:0]);
      always @(posedge CLKB)
        if (RSTB) out_b <= 36'd0;
        else if (reads_b) out_b <= seen_b >> place(DATA_WIDTH_B, address_b[4:0]);
    end else begin : asynchronous
      always @(posedge CLKA or posedge RSTA)
        if (RSTA) out_a <= 36'd0;
        else if (reads_a) out_a <= seen_a >> place(DATA_WIDTH_A, address_a[4:0]);
      always @(posedge CLKB or posedge RSTB)
        if (RSTB) out_b <= 36'd0;
        else if (reads_b) out_b <= seen_b >> place(DATA_WIDTH_B, address_b[4:0]);
    end
  endgenerate
  always @(posedge CLKA) if (writes_a)
    rows[address_a[13:5]] <= (new_a & ~other_b) | (data_b & other_b);
  always @(posedge CLKB) if (writes_b)
    rows[address_b[13:5]] <= (new_b & ~other_a) | (data_a & other_a);

  assign {DOA17, DOA16, DOA15, DOA14, DOA13, DOA12, DOA11, DOA10, DOA9, DOA8, DOA7, DOA6, DOA5,
    DOA4, DOA3, DOA2, DOA1, DOA0} = DATA_WIDTH_B == 36 ? out_b[17:0] : out_a[17:0];
  assign {DOB17, DOB16, DOB15, DOB14, DOB13, DOB12, DOB11, DOB10, DOB9, DOB8, DOB7, DOB6, DOB5,
    DOB4, DOB3, DOB2, DOB1, DOB0} = DATA_WIDTH_B == 36 ? out_b[35:18] : out_b[17:0];
endmodule
