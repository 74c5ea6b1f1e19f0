// SPDX-License-Identifier: BSD-3-Clause
// A queue in block RAM. Its head is there (`head_valid`) one or two host cycles after it is pushed
// or after the one before is popped; `settled` says that there is nothing to wait for.
module firesim_memory_queue #(
    parameter int WIDTH = 32,
    parameter int DEPTH_LOG2 = 4
) (
    input logic clock,
    input logic reset,
    input logic push,
    input logic [WIDTH-1:0] push_data,
    input logic pop,
    output logic [WIDTH-1:0] head,
    output logic head_valid,
    output logic settled,
    output logic empty,
    output logic full
);
  logic [WIDTH-1:0] ram[2**DEPTH_LOG2];
  logic [DEPTH_LOG2:0] write_at, read_at, read_next;
  assign read_next = read_at + (DEPTH_LOG2 + 1)'(pop);
  assign empty = write_at == read_at;
  assign full = write_at == {~read_at[DEPTH_LOG2], read_at[DEPTH_LOG2-1:0]};
  assign settled = empty | head_valid;

  always_ff @(posedge clock) begin
    if (push) ram[write_at[DEPTH_LOG2-1:0]] <= push_data;
    head <= ram[read_next[DEPTH_LOG2-1:0]];
    if (reset) begin
      write_at <= '0;
      read_at <= '0;
      head_valid <= 1'b0;
    end else begin
      write_at <= write_at + (DEPTH_LOG2 + 1)'(push);
      read_at <= read_next;
      head_valid <= read_next != write_at;
    end
  end
endmodule
