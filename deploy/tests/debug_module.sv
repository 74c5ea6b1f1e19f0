// SPDX-License-Identifier: BSD-3-Clause
// A debug module in place of SerialLink.sv of the small SoC in Chipyard's form: what its host needs
// of RISC-V External Debug Support 0.13.2, slower than it has to be. The core behind it is halted
// and resumed in a few cycles; it begins when it is resumed with `dpc` at its list.
module DebugModule (
    input clock,
    input reset,
    input debug_req_valid,
    output debug_req_ready,
    input [6:0] debug_req_bits_addr,
    input [1:0] debug_req_bits_op,
    input [31:0] debug_req_bits_data,
    output logic debug_resp_valid,
    input debug_resp_ready,
    output [1:0] debug_resp_bits_resp,
    output logic [31:0] debug_resp_bits_data,
    output logic asks,
    output logic writes,
    output logic [31:0] address,
    output logic [63:0] data,
    output logic [7:0] strobe,
    input done,
    input [63:0] answer,
    output logic awake
);
  localparam logic [31:0] LIST = 32'h8000_0000;
  logic active, halting, halted, resumed, reads_on_address, is_wide, error;
  logic [3:0] until_halted;
  logic [63:0] abstract_data, s0, dpc, result;
  logic [31:0] program_word, program_end, high;
  wire accept = debug_req_valid && debug_req_ready;
  wire write = accept && debug_req_bits_op == 2'd2;
  wire [6:0] register = debug_req_bits_addr;
  wire [31:0] value = debug_req_bits_data;
  // The half of memory's word that an access of 32 bits is.
  wire upper = address[2];

  assign debug_req_ready = !reset && !debug_resp_valid;
  assign debug_resp_bits_resp = 2'd0;
  always_ff @(posedge clock) begin
    if (reset) begin
      {active, halting, halted, resumed, awake, asks, error, debug_resp_valid} <= 8'd0;
      until_halted <= 4'd9;
    end else begin
      if (accept) debug_resp_valid <= 1'b1;
      else if (debug_resp_ready) debug_resp_valid <= 1'b0;
      if (halting && until_halted != 4'd0) until_halted <= until_halted - 4'd1;
      if (halting && until_halted == 4'd0) halted <= 1'b1;
      if (accept)
        case (register)
          7'h10: debug_resp_bits_data <= {31'd0, active};
          7'h11: debug_resp_bits_data <= {14'd0, resumed, resumed, 6'd0, halted, halted, 8'h82};
          7'h16: debug_resp_bits_data <= 32'h0200_0002;
          7'h38: debug_resp_bits_data <= {10'h080, asks, 6'd0, error, 14'h040c};
          7'h3c: debug_resp_bits_data <= !is_wide && upper ? result[63:32] : result[31:0];
          7'h3d: debug_resp_bits_data <= result[63:32];
          default: debug_resp_bits_data <= 32'd0;
        endcase
      if (write)
        case (register)
          7'h04: abstract_data[31:0] <= value;
          7'h05: abstract_data[63:32] <= value;
          7'h10: begin
            active  <= value[0];
            halting <= value[31];
            if (value[30] && halted) begin
              {halted, resumed} <= 2'b01;
              awake <= dpc == {32'd0, LIST};
            end
          end
          7'h17:
          if (halted && value == 32'h0037_1008) begin
            s0 <= abstract_data;
            if (program_word == 32'h7b14_1073 && program_end == 32'h0010_0073) dpc <= abstract_data;
          end
          7'h20: program_word <= value;
          7'h21: program_end <= value;
          7'h38: begin
            reads_on_address <= value[20];
            is_wide <= value[19:17] == 3'd3;
            if (value[12]) error <= 1'b0;
          end
          7'h39: begin
            address <= value;
            {asks, writes} <= {reads_on_address && value[31], 1'b0};
            if (!value[31]) error <= 1'b1;
          end
          7'h3d: high <= value;
          7'h3c: begin
            {asks, writes} <= 2'b11;
            data <= is_wide ? {high, value} : {value, value};
            strobe <= is_wide ? 8'hff : upper ? 8'hf0 : 8'h0f;
          end
          default: ;
        endcase
      if (asks && done) begin
        asks   <= 1'b0;
        result <= answer;
      end
    end
  end
endmodule
