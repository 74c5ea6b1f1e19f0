// SPDX-License-Identifier: BSD-3-Clause
// Write data, which may come before its address, and the writes that wait for theirs: early_ and
// awaiting_data_ of memory_driver.h. A beat of the oldest write, which `burst` is, is at `data`,
// `strobe` and `last` while `valid`.
module firesim_memory_write_beats
  import firesim_burst_pkg::*;
#(
    parameter int SLOTS_LOG2 = 5,
    parameter int DATA_BITS = 64
) (
    input logic clock,
    input logic reset,
    input logic push_data,
    input logic [DATA_BITS-1:0] pushed_data,
    input logic [DATA_BITS/8-1:0] pushed_strobe,
    input logic pushed_last,
    output logic full,
    input logic push_write,
    input logic [SLOTS_LOG2-1:0] pushed_slot,
    output logic [SLOTS_LOG2-1:0] slot,
    input burst_t burst,
    output logic valid,
    output logic [7:0] index,
    output logic [DATA_BITS-1:0] data,
    output logic [DATA_BITS/8-1:0] strobe,
    output logic last,
    output logic is_last,  // of its burst
    input logic take
);
  logic [DATA_BITS+DATA_BITS/8:0] early[64];
  logic [6:0] early_in, early_out;
  logic [SLOTS_LOG2-1:0] awaiting[2**SLOTS_LOG2];
  logic [SLOTS_LOG2:0] awaiting_in, awaiting_out;
  assign full = early_in == {~early_out[6], early_out[5:0]};
  assign {last, strobe, data} = early[early_out[5:0]];
  assign slot = awaiting[awaiting_out[SLOTS_LOG2-1:0]];
  assign valid = early_in != early_out & awaiting_in != awaiting_out;
  assign is_last = index == burst.len;
  always_ff @(posedge clock) begin
    if (push_data) early[early_in[5:0]] <= {pushed_last, pushed_strobe, pushed_data};
    if (push_write) awaiting[awaiting_in[SLOTS_LOG2-1:0]] <= pushed_slot;
    if (reset) begin
      {early_in, early_out, awaiting_in, awaiting_out, index} <= '0;
    end else begin
      if (push_data) early_in <= early_in + 7'd1;
      if (push_write) awaiting_in <= awaiting_in + 1'b1;
      if (take) begin
        early_out <= early_out + 7'd1;
        index <= is_last ? 8'd0 : index + 8'd1;
        if (is_last) awaiting_out <= awaiting_out + 1'b1;
      end
    end
  end
endmodule
