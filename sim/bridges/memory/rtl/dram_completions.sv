// SPDX-License-Identifier: BSD-3-Clause
// Accesses whose read or write command has issued, until they are done: two queues, in each of
// which the order of issue is the order of completion.
module firesim_dram_completions
  import firesim_memory_pkg::*;
#(
    parameter int TAG_BITS = 12,
    parameter int TIME_BITS = 48,
    parameter int PENDING_LOG2 = 9
) (
    input logic clock,
    input logic reset,
    input dram_settings_t settings,
    input logic push,
    input logic push_write,
    input logic [TIME_BITS-1:0] push_cycle,  // of the command
    input logic [TAG_BITS-1:0] push_tag,
    input logic [TIME_BITS-1:0] later_next,
    output logic quiet_next,  // nothing is done when the target steps
    input logic [TIME_BITS-1:0] later,
    output logic settled,
    output logic done_valid,  // when settled
    input logic done_take,
    output logic [TAG_BITS-1:0] done_tag,
    output logic overflow
);
  localparam logic [TIME_BITS-1:0] Burst = 4;
  logic [TIME_BITS-1:0] read_cycle, write_cycle, read_end, write_end;
  logic [TAG_BITS-1:0] read_tag, write_tag;
  logic read_valid, write_valid, read_settled, write_settled, read_full, write_full;
  logic read_empty, write_empty, read_due, write_due, write_first;

  firesim_memory_queue #(
      .WIDTH(TIME_BITS + TAG_BITS),
      .DEPTH_LOG2(PENDING_LOG2)
  ) reads (
      .clock,
      .reset,
      .push(push & ~push_write & ~read_full),
      .push_data({push_cycle, push_tag}),
      .pop(done_take & ~write_first),
      .head({read_cycle, read_tag}),
      .head_valid(read_valid),
      .settled(read_settled),
      .empty(read_empty),
      .full(read_full)
  );
  firesim_memory_queue #(
      .WIDTH(TIME_BITS + TAG_BITS),
      .DEPTH_LOG2(PENDING_LOG2)
  ) writes (
      .clock,
      .reset,
      .push(push & push_write & ~write_full),
      .push_data({push_cycle, push_tag}),
      .pop(done_take & write_first),
      .head({write_cycle, write_tag}),
      .head_valid(write_valid),
      .settled(write_settled),
      .empty(write_empty),
      .full(write_full)
  );

  assign read_end = read_cycle + settings.cas + Burst;
  assign write_end = write_cycle + settings.cwd + Burst;
  assign settled = read_settled & write_settled;
  assign quiet_next = (read_empty | (read_valid & read_end > later_next)) &
                      (write_empty | (write_valid & write_end > later_next));
  assign read_due = read_valid & read_end <= later;
  assign write_due = write_valid & write_end <= later;
  assign write_first = write_due & (~read_due | write_cycle < read_cycle);
  assign done_valid = read_due | write_due;
  assign done_tag = write_first ? write_tag : read_tag;

  always_ff @(posedge clock)
    if (reset) overflow <= 1'b0;
    else if (push & (push_write ? write_full : read_full)) overflow <= 1'b1;
endmodule
