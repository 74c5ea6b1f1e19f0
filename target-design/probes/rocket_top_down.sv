// SPDX-License-Identifier: BSD-3-Clause
// Says for each cycle of a Rocket core why it retires no instruction: the events of the top-down
// method (A. Yasin, ISPASS 2014), as deploy/firesim/metrics/stock.py uses them. Rocket issues one
// instruction a cycle, so that a slot is a cycle. A slot that is lost where instructions are
// decoded, or killed behind that, goes down the pipeline as a bubble, with its cause, and is counted
// where it would have been retired. So a cycle is counted once, for whatever was first in its slot.

`default_nettype none  // A wire of the core that has another name is an error, not a new wire.

module RocketTopDown (
    input wire logic clock,
    input wire logic reset,
    input wire logic fetched,         // an instruction is there to be decoded
    input wire logic issued,          // it goes on to be executed
    input wire logic waits,           // the core waits in wfi
    input wire logic data_access,     // the data cache works on an access
    input wire logic redirect_mem,    // another way than predicted, seen in the memory stage
    input wire logic redirect_wb,     // a replay, an exception or a flush, seen in the last stage
    input wire logic replay_wb,       // of these, a replay
    input wire logic replay_ex,       // an instruction is to come again: what it needs is busy
    input wire logic divides_ex,      // and that is the divider
    input wire logic killed_ex,
    input wire logic killed_mem,
    input wire logic data_cache_mem,  // killed, because the data cache had no time for it
    input wire logic retired
);
  typedef enum logic [2:0] {
    INSTRUCTION,
    SPECULATION,
    FRONT_END,
    MEMORY,
    CORE,
    IDLE
  } slot_t;

  slot_t slot_id, slot_ex, slot_mem, slot_wb, after_redirect;
  logic  refills;

  wire slot_t stalled = waits ? IDLE : data_access ? MEMORY : CORE;
  // Until the first instruction of the right path is there, slots are lost for the same cause.
  wire slot_t redirected = redirect_wb && replay_wb ? (data_access ? MEMORY : CORE) : SPECULATION;
  wire logic redirect = redirect_wb || redirect_mem;

  always_comb begin
    if (issued) slot_id = INSTRUCTION;
    else if (redirect) slot_id = redirected;
    else if (!fetched) slot_id = waits ? IDLE : refills ? after_redirect : FRONT_END;
    else slot_id = stalled;
  end

  always_ff @(posedge clock) begin
    slot_ex <= slot_id;
    slot_mem <= slot_ex;
    slot_wb <= slot_mem;
    if (slot_ex == INSTRUCTION && killed_ex)
      slot_mem <= redirect ? redirected : replay_ex && divides_ex ? CORE : MEMORY;
    if (slot_mem == INSTRUCTION && killed_mem)
      slot_wb <= redirect_wb ? redirected : data_cache_mem ? MEMORY : SPECULATION;
    if (redirect) after_redirect <= redirected;
    refills <= redirect || (refills && !fetched);
    if (reset) begin
      {slot_ex, slot_mem, slot_wb} <= {FRONT_END, FRONT_END, FRONT_END};
      refills <= 0;
    end
  end

  wire logic lost_wb = slot_wb == INSTRUCTION && !retired;
  wire logic bad_speculation = slot_wb == SPECULATION || (lost_wb && redirected == SPECULATION);
  wire logic front_end = slot_wb == FRONT_END;
  wire logic memory = slot_wb == MEMORY || (lost_wb && redirected == MEMORY);
  wire logic idle = slot_wb == IDLE;
endmodule

bind Rocket_Rocket RocketTopDown top_down (
    .clock,
    .reset,
    .fetched(_ibuf_io_inst_0_valid),
    .issued(!ctrl_killd),
    .waits(_csr_io_csr_stall),
    .data_access(!io_dmem_ordered),
    .redirect_mem(take_pc_mem),
    .redirect_wb(take_pc_wb),
    .replay_wb,
    .replay_ex,
    .divides_ex(ex_ctrl_div),
    .killed_ex(ctrl_killx),
    .killed_mem(ctrl_killm),
    .data_cache_mem(dcache_kill_mem || fpu_kill_mem),
    .retired(wb_valid)
);

`default_nettype wire
