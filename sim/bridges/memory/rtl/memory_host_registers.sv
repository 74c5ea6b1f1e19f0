// SPDX-License-Identifier: BSD-3-Clause
// What the host sets and reads of a memory in RTL, 64 bits by an address; memory_rtl_driver.cc knows
// the addresses. A write to one below 0x40 sets a register of the timing model.
module firesim_memory_host_registers #(
    parameter int MEMORY_BITS = 40
) (
    input logic clock,
    input logic reset,
    input logic [15:0] at,
    input logic write,
    input logic [63:0] value,
    output logic [63:0] found,
    output logic set_valid,
    output logic [63:0] base,
    output logic [63:0] size_bytes,
    output logic [8:0] most_reads,
    output logic [8:0] most_writes,
    output logic [10:0] bytes_per_cycle,
    output logic [3:0] access_log2,
    output logic [47:0] first_cycle,  // outputs of the target mean nothing before
    output logic start,
    output logic [MEMORY_BITS-1:0] access_address,
    output logic [63:0] poked,
    output logic pokes,
    output logic peeks,
    input logic poke_done,
    input logic peek_done,
    input logic [63:0] peeked,
    input logic [47:0] timing_count,
    input logic [4:0][47:0] read_counts,
    input logic [4:0][47:0] write_counts,
    input logic started,
    input logic [2:0] fault,
    input logic [47:0] cycle,
    input logic [63:0] fault_address,
    input logic [15:0] fault_burst,
    input logic [63:0] token_data,
    input logic [63:0] token_flags,
    input logic [63:0] token_ids
);
  assign set_valid = write & at < 16'h40;
  assign start = write & at == 16'h46;
  logic [63:0] kept;
  always_ff @(posedge clock) begin
    if (write)
      case (at)
        16'h40: base <= value;
        16'h41: size_bytes <= value;
        16'h42: {most_writes, most_reads} <= value[17:0];
        16'h43: bytes_per_cycle <= value[10:0];
        16'h44: access_log2 <= value[3:0];
        16'h45: first_cycle <= value[47:0];
        16'h48: access_address <= value[MEMORY_BITS-1:0];
        16'h49: poked <= value;
        default: ;
      endcase
    if (peek_done) kept <= peeked;
    pokes <= (write & at == 16'h49) | (pokes & ~poke_done & ~reset);
    peeks <= (write & at == 16'h4a) | (peeks & ~peek_done & ~reset);
  end

  always_comb
    case (at)
      16'h20: found = {59'd0, fault, pokes | peeks, started};
      16'h21: found = {16'd0, cycle};
      16'h22: found = fault_address;
      16'h23: found = {48'd0, fault_burst};
      16'h24: found = kept;
      16'h28: found = token_data;
      16'h29: found = token_flags;
      16'h2a: found = token_ids;
      default:
      if (at[15:3] == 13'd0) found = {16'd0, timing_count};
      else if (at[15:3] == 13'd2 & at[2:0] < 3'd5) found = {16'd0, read_counts[at[2:0]]};
      else if (at[15:3] == 13'd3 & at[2:0] < 3'd5) found = {16'd0, write_counts[at[2:0]]};
      else found = '0;
    endcase
endmodule
