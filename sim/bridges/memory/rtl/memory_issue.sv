// SPDX-License-Identifier: BSD-3-Clause
// The accesses that go to the timing model, those of one burst after those of another: issuing_ of
// memory_driver.h. While `enable`, accesses of the first burst, which `burst` is, are given; `over`
// says that no more are to be given in this target cycle.
module firesim_memory_issue
  import firesim_burst_pkg::*;
#(
    parameter int SLOTS_LOG2 = 5
) (
    input logic clock,
    input logic reset,
    input logic [3:0] access_log2,
    input logic push,
    input logic [SLOTS_LOG2:0] push_burst,  // whether it is a write, its slot
    output logic empty,
    output logic is_write,
    output logic [SLOTS_LOG2-1:0] slot,
    input burst_t burst,
    input logic enable,
    input logic ready,
    input logic room,
    output logic over,
    output logic valid,
    output logic [63:0] address,
    output logic [12:0] bytes,
    output logic [SLOTS_LOG2+6:0] tag
);
  logic [SLOTS_LOG2:0] waiting[2**(SLOTS_LOG2+1)];
  logic [SLOTS_LOG2+1:0] write_at, read_at;
  logic [6:0] given, accesses;
  logic [7:0] sum;
  logic [5:0] place;
  logic blocked, taken, last;
  assign empty = write_at == read_at;
  assign {is_write, slot} = waiting[read_at[SLOTS_LOG2:0]];
  // The access with the first beat goes first, and those below it last.
  assign accesses = burst_accesses(burst, access_log2);
  assign sum = 8'(burst_place(burst, 8'd0, access_log2)) + 8'(given);
  assign place = 6'(sum >= 8'(accesses) ? sum - 8'(accesses) : sum);
  assign address = burst_access(burst, place, access_log2);
  assign bytes = 13'(burst_access_end(burst, place, access_log2) - address);
  assign tag = {is_write, place, slot};
  assign valid = enable & ~empty & ~blocked;
  assign over = empty | blocked;
  assign taken = valid & ready & room;
  assign last = given + 7'd1 == accesses;
  always_ff @(posedge clock) begin
    if (push) waiting[write_at[SLOTS_LOG2:0]] <= push_burst;
    if (reset) begin
      {write_at, read_at, given, blocked} <= '0;
    end else begin
      if (push) write_at <= write_at + 1'b1;
      if (taken) given <= last ? 7'd0 : given + 7'd1;
      if (taken & last) read_at <= read_at + 1'b1;
      blocked <= enable & (blocked | (valid & ready & ~room));
    end
  end
endmodule
