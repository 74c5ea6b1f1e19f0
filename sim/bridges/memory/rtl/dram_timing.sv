// SPDX-License-Identifier: BSD-3-Clause
// dram.h in RTL: DDR3 with banks, ranks, rows, refresh, FCFS or FR-FCFS; the same cycle for the same
// access, the refreshes of idle stretches worked out afterwards as there. docs/explanation/
// memory-timing.md. The next command is found by a walk over the queue and, when a refresh may be
// due, over the banks; the target waits meanwhile. The port is that of fixed_timing.sv, but that
// settings must stand before `start`, after which it is ready.
module firesim_dram_timing
  import firesim_memory_pkg::*;
#(
    parameter int ADDRESS_BITS = 36,
    parameter int TAG_BITS = 12,
    parameter int TIME_BITS = 48,  // DRAM cycles a run can have
    parameter int RANKS_LOG2 = 1,  // most ranks
    parameter int BANKS_LOG2 = 3,  // most banks of a rank
    parameter int QUEUE = 8,  // largest queue_depth
    parameter int PENDING_LOG2 = 9  // most reads, and most writes, between command and end
) (
    input logic clock,
    input logic reset,
    input logic start,
    input dram_settings_t settings,
    output logic ready,
    output logic room,
    input logic request_valid,
    input logic request_write,
    input logic request_silent,
    input logic [ADDRESS_BITS-1:0] request_address,
    input logic [TAG_BITS-1:0] request_tag,
    input logic step,
    output logic done_valid,
    input logic done_ready,
    output logic [TAG_BITS-1:0] done_tag,
    output logic overflow,  // more were pending than PENDING_LOG2 allows: the results are void
    output logic [47:0] row_hits,
    output logic [47:0] row_misses,
    output logic [47:0] row_conflicts,
    output logic [47:0] refreshes
);
  localparam int Ranks = 2 ** RANKS_LOG2;
  localparam int Entries = 2 ** (RANKS_LOG2 + BANKS_LOG2);
  localparam int RankBits = RANKS_LOG2 == 0 ? 1 : RANKS_LOG2;
  localparam int BankBits = BANKS_LOG2 == 0 ? 1 : BANKS_LOG2;
  localparam int RowBits = ADDRESS_BITS - 6;
  localparam int IndexBits = QUEUE == 1 ? 1 : $clog2(QUEUE);
  localparam int CountBits = $clog2(QUEUE + 1);
  localparam int EntryBits = RANKS_LOG2 + BANKS_LOG2 == 0 ? 1 : RANKS_LOG2 + BANKS_LOG2;
  localparam logic [TIME_BITS-1:0] Burst = 4;
  typedef logic [TIME_BITS-1:0] when_t;
  typedef struct packed {
    logic open;
    logic [RowBits-1:0] row;
    when_t next_activate, next_precharge, next_column;
  } bank_t;
  typedef struct packed {
    logic [TAG_BITS-1:0] tag;
    logic silent, write;
    logic [RankBits-1:0] rank;
    logic [BankBits-1:0] bank;
    logic [RowBits-1:0] row;
    logic activated, precharged;  // a row was opened, another closed for it
    logic [19:0] overtaken;
  } access_t;
  typedef enum logic [1:0] {
    Refresh,
    Column,
    Row
  } kind_t;  // in order of priority
  typedef enum logic [4:0] {
    Off,
    Clear,
    Idle,
    Decode,
    CatchUp,
    Skip,
    Push,
    Advance,
    Walk,
    RankLook,
    RankWalk,
    RankDone,
    IssueRead,
    Issue,
    Limit,
    Close,
    RefreshRead,
    RefreshWrite,
    Complete
  } state_t;

  function automatic when_t later_of(when_t a, when_t b);
    return a > b ? a : b;
  endfunction

  state_t state;
  when_t now, now_next, later, later_next;
  logic [EntryBits-1:0] read_at, write_at, clear_at;
  logic write_bank;
  bank_t read_bank, written_bank;
  bank_t banks[Entries];

  // Ranks.
  when_t rank_activate[Ranks], rank_read[Ranks], rank_write[Ranks], rank_due[Ranks];
  when_t rank_window[Ranks][4];  // earliest ends of tFAW, a ring
  logic [1:0] rank_place[Ranks];

  // Accesses, the oldest first.
  access_t queue[QUEUE];
  access_t coming, chosen;
  logic [CountBits-1:0] count, limit;

  when_t floor_cycle;  // no command before
  when_t refresh_sum;

  // The command chosen.
  logic best_valid, best_opens;
  kind_t best_kind;
  when_t best_cycle;
  logic [IndexBits-1:0] best_index;
  logic [RankBits-1:0] best_rank;
  logic stale;  // to be chosen anew

  logic [RankBits-1:0] rank;
  logic [BankBits-1:0] bank;
  logic last_bank, catching;
  logic [1:0] catch_phase;
  when_t step_cycle, latest_precharge, latest_activate;
  logic any_open;

  function automatic logic [EntryBits-1:0] entry_of(logic [RankBits-1:0] r, logic [BankBits-1:0] b);
    return EntryBits'((BANKS_LOG2 == 0 ? '0 : b) | (RANKS_LOG2 == 0 ? 0 : r << BANKS_LOG2));
  endfunction
  function automatic logic is_last_rank(logic [RankBits-1:0] r);
    return RankBits'(r + 1'b1) == RankBits'(8'd1 << settings.ranks_log2) || RANKS_LOG2 == 0;
  endfunction
  assign last_bank = BANKS_LOG2 == 0 || BankBits'(bank + 1'b1) == BankBits'(8'd1 << settings.banks_log2);

  // window(): how many of the oldest are looked at.
  always_comb begin
    limit = settings.window < 9'(count) ? CountBits'(settings.window) : count;
    if (count != 0 && queue[0].overtaken >= settings.reorder_limit) limit = 1;
  end

  firesim_dram_clock #(
      .TIME_BITS(TIME_BITS)
  ) dram_clock (
      .clock,
      .start,
      .step,
      .settings,
      .now,
      .now_next,
      .later,
      .later_next
  );

  logic completion_push, completions_settled, completion_valid, quiet_next;
  assign completion_push = state == Close & ~chosen.silent;
  firesim_dram_completions #(
      .TAG_BITS(TAG_BITS),
      .TIME_BITS(TIME_BITS),
      .PENDING_LOG2(PENDING_LOG2)
  ) completions (
      .clock,
      .reset,
      .settings,
      .push(completion_push),
      .push_write(chosen.write),
      .push_cycle(best_cycle),
      .push_tag(chosen.tag),
      .later_next,
      .quiet_next,
      .later,
      .settled(completions_settled),
      .done_valid(completion_valid),
      .done_take(done_valid & done_ready),
      .done_tag,
      .overflow
  );
  assign done_valid = state == Complete & completions_settled & completion_valid;
  assign ready = state == Idle;
  assign room = 9'(count) < settings.queue_depth;

  // The walk over the queue: entry 0 is read, its bank comes (1), its limits are compared in
  // pairs (2), then with the best so far (3).
  logic [IndexBits-1:0] index_0, index_1, index_2, index_3;
  logic walking_0, valid_1, valid_2, valid_3, last_1, last_2, last_3;
  access_t walk_0, walk_1;
  assign walk_0 = queue[index_0];
  assign walk_1 = queue[index_1];
  logic hit_1, wanted_1;
  logic blocked_2, blocked_3, opens_2, opens_3;
  kind_t kind_2, kind_3;
  when_t a_2, b_2, c_2, due_2, first_3, second_3, due_3, cycle_3;
  logic better_3, certain_3;
  assign hit_1 = read_bank.open && read_bank.row == walk_1.row;
  always_comb begin
    wanted_1 = 1'b0;  // an access that is looked at hits the open row
    for (int i = 0; i < QUEUE; ++i)
      if (CountBits'(i) < limit && queue[i].rank == walk_1.rank && queue[i].bank == walk_1.bank &&
          queue[i].row == read_bank.row)
        wanted_1 = 1'b1;
  end
  assign cycle_3 = later_of(first_3, second_3);
  assign better_3 = valid_3 & ~blocked_3 & cycle_3 < due_3 &
      (~best_valid | cycle_3 < best_cycle | (cycle_3 == best_cycle & kind_3 < best_kind));
  assign certain_3 = better_3 & kind_3 == Column & cycle_3 == floor_cycle;
  always_ff @(posedge clock) begin
    if (state == Advance) begin
      index_0 <= '0;
      walking_0 <= 1'b1;
      valid_1 <= 1'b0;
      valid_2 <= 1'b0;
      valid_3 <= 1'b0;
    end else if (state == Walk) begin
      index_0 <= index_0 + 1'b1;
      index_1 <= index_0;
      index_2 <= index_1;
      index_3 <= index_2;
      if (CountBits'(index_0) + 1'b1 >= limit) walking_0 <= 1'b0;
      valid_1 <= walking_0;
      last_1 <= CountBits'(index_0) + 1'b1 >= limit;
      valid_2 <= valid_1;
      last_2 <= last_1;
      valid_3 <= valid_2;
      last_3 <= last_2;
    end
    kind_2 <= hit_1 ? Column : Row;
    opens_2 <= ~read_bank.open;
    blocked_2 <= read_bank.open & ~hit_1 & wanted_1;
    a_2 <= hit_1 ? read_bank.next_column :
        read_bank.open ? read_bank.next_precharge : read_bank.next_activate;
    b_2 <= hit_1 ? (walk_1.write ? rank_write[walk_1.rank] : rank_read[walk_1.rank]) :
        read_bank.open ? '0 : rank_activate[walk_1.rank];
    c_2 <= read_bank.open ? '0 : rank_window[walk_1.rank][rank_place[walk_1.rank]];
    due_2 <= rank_due[walk_1.rank];
    kind_3 <= kind_2;
    opens_3 <= opens_2;
    blocked_3 <= blocked_2;
    first_3 <= later_of(a_2, b_2);
    second_3 <= later_of(c_2, floor_cycle);
    due_3 <= due_2;
  end

  // A refresh: all banks of a rank.
  when_t lower, refresh_cycle;
  assign lower = later_of(floor_cycle, rank_due[rank]);
  assign refresh_cycle = later_of(lower, any_open ? latest_precharge : latest_activate);

  // What a column command changes.
  when_t data_start, data_end, free, after_read, after_write, precharge_after, closing;
  logic wanted_after;
  assign data_start = best_cycle + (chosen.write ? settings.cwd : settings.cas);
  assign data_end = data_start + Burst;
  assign free = data_end + settings.rtrs;
  always_comb begin
    if (rank != chosen.rank) begin
      after_read = free > when_t'(settings.cas) ? free - settings.cas : '0;
      after_write = free > when_t'(settings.cwd) ? free - settings.cwd : '0;
    end else if (chosen.write) begin
      after_read = data_end + settings.wtr;
      after_write = best_cycle + settings.ccd;
    end else begin
      after_read = best_cycle + settings.ccd;
      after_write = best_cycle + settings.cas + settings.ccd + 2'd2 - settings.cwd;
    end
  end
  assign precharge_after = later_of(read_bank.next_precharge,
      chosen.write ? data_end + settings.wr : best_cycle + settings.rtp);
  assign closing = precharge_after + settings.rp;
  always_comb begin
    wanted_after = 1'b0;
    for (int i = 0; i < QUEUE; ++i)
      if (CountBits'(i) < limit && queue[i].rank == chosen.rank && queue[i].bank == chosen.bank &&
          queue[i].row == chosen.row)
        wanted_after = 1'b1;
  end

  // The banks' memory: one read, one write.
  always_comb begin
    read_at = entry_of(walk_0.rank, walk_0.bank);
    if (state == RankWalk || state == RefreshRead) read_at = entry_of(rank, bank);
    if (state == IssueRead || state == Issue || state == Limit)
      read_at = entry_of(chosen.rank, chosen.bank);
    write_at = entry_of(chosen.rank, chosen.bank);
    write_bank = 1'b0;
    written_bank = read_bank;
    case (state)
      Clear: begin
        write_bank = 1'b1;
        write_at = clear_at;
        written_bank = '0;
      end
      Issue: begin
        write_bank = best_kind == Row;
        written_bank.open = best_opens;
        if (best_opens) begin
          written_bank.row = chosen.row;
          written_bank.next_column = best_cycle + settings.rcd;
          written_bank.next_precharge = later_of(read_bank.next_precharge,
                                                 best_cycle + settings.ras);
          written_bank.next_activate = best_cycle + settings.rc;
        end else
          written_bank.next_activate = later_of(read_bank.next_activate, best_cycle + settings.rp);
      end
      Close: begin
        write_bank = 1'b1;
        written_bank.next_precharge = precharge_after;
        if (~settings.open_page & ~wanted_after) begin
          written_bank.open = 1'b0;
          written_bank.next_activate = later_of(read_bank.next_activate, closing);
        end
      end
      RefreshWrite: begin
        write_at = entry_of(rank, bank);
        write_bank = ~any_open | read_bank.open;
        written_bank.open = 1'b0;
        written_bank.next_activate = any_open ?
            later_of(read_bank.next_activate, step_cycle + settings.rp) : step_cycle + settings.rfc;
      end
      default: ;
    endcase
  end
  always_ff @(posedge clock) begin
    if (write_bank) banks[write_at] <= written_bank;
    read_bank <= banks[read_at];
  end

  // Where an address lies, from the top: row, rank, bank, column.
  logic [ADDRESS_BITS-1:0] coming_address;
  logic [RowBits-1:0] page, above_bank;
  assign page = RowBits'(coming_address >> settings.row_log2);
  assign above_bank = page >> settings.banks_log2;

  logic scanned;  // the bank read in the last cycle counts
  always_ff @(posedge clock) begin
    scanned <= state == RankWalk;
    if (scanned) begin
      latest_activate <= later_of(latest_activate, read_bank.next_activate);
      if (read_bank.open) begin
        any_open <= 1'b1;
        latest_precharge <= later_of(latest_precharge, read_bank.next_precharge);
      end
    end
    if (reset) state <= Off;
    else
      case (state)
        Off:
        if (start) begin
          state <= Clear;
          clear_at <= '0;
          rank <= '0;
          refresh_sum <= '0;
          count <= '0;
          floor_cycle <= '0;
          best_valid <= 1'b0;
          stale <= 1'b0;
          row_hits <= '0;
          row_misses <= '0;
          row_conflicts <= '0;
          refreshes <= '0;
          for (int r = 0; r < Ranks; ++r) begin
            rank_activate[r] <= '0;
            rank_read[r] <= '0;
            rank_write[r] <= '0;
            rank_place[r] <= '0;
            rank_due[r] <= '1;
            for (int i = 0; i < 4; ++i) rank_window[r][i] <= '0;
          end
        end
        Clear: begin
          clear_at <= clear_at + 1'b1;
          // Ranks take turns, so that they are not all away at once.
          if (int'(clear_at) < Ranks) begin
            rank_due[RankBits'(clear_at)] <= settings.refi + (refresh_sum >> settings.ranks_log2);
            refresh_sum <= refresh_sum + settings.refi;
          end
          if (int'(clear_at) == Entries - 1) state <= Idle;
        end
        Idle:
        if (request_valid) begin
          coming_address <= request_address;
          coming.tag <= request_tag;
          coming.silent <= request_silent;
          coming.write <= request_write;
          state <= Decode;
        end else if (step) begin
          if (stale | (best_valid & best_cycle <= now_next) | ~quiet_next) state <= Advance;
        end
        Decode: begin
          coming.bank <= BankBits'(page & RowBits'((64'd1 << settings.banks_log2) - 1));
          coming.rank <= RankBits'(above_bank & RowBits'((64'd1 << settings.ranks_log2) - 1));
          coming.row <= above_bank >> settings.ranks_log2;
          coming.activated <= 1'b0;
          coming.precharged <= 1'b0;
          coming.overtaken <= '0;
          rank <= '0;
          catch_phase <= '0;
          catching <= 1'b1;
          state <= count == 0 ? CatchUp : Push;
        end
        // Refreshes missed while idle: of them only the first can find open banks, and only the
        // last can still be under way.
        CatchUp:
        if (rank_due[rank] > now || catch_phase == 2'd3) begin
          rank <= rank + 1'b1;
          catch_phase <= '0;
          if (is_last_rank(rank)) state <= Push;
        end else if (catch_phase == 2'd2) state <= Skip;
        else state <= RankLook;
        Skip:
        if (rank_due[rank] + settings.refi <= now) begin
          rank_due[rank] <= rank_due[rank] + settings.refi;
          refreshes <= refreshes + 1'b1;
        end else state <= RankLook;
        Push: begin
          for (int i = 0; i < QUEUE; ++i) if (CountBits'(i) == count) queue[i] <= coming;
          count <= count + 1'b1;
          floor_cycle <= later_of(floor_cycle, now + 1'b1);
          stale <= 1'b1;
          state <= Idle;
        end
        Advance:
        if (stale) begin
          stale <= 1'b0;
          best_valid <= 1'b0;
          catching <= 1'b0;
          rank <= '0;
          if (count != 0) state <= Walk;
        end else if (best_valid && best_cycle <= now) begin
          chosen <= queue[best_index];
          floor_cycle <= best_cycle + 1'b1;
          best_valid <= 1'b0;
          stale <= 1'b1;
          step_cycle <= best_cycle;
          rank <= best_rank;
          bank <= '0;
          any_open <= best_opens;
          state <= best_kind == Refresh ? RefreshRead : IssueRead;
        end else state <= Complete;
        Walk: begin
          if (better_3) begin
            best_valid <= 1'b1;
            best_kind <= kind_3;
            best_cycle <= cycle_3;
            best_index <= index_3;
            best_opens <= opens_3;
          end
          if (certain_3 | (valid_3 & last_3)) state <= RankLook;
        end
        RankLook: begin
          bank <= '0;
          any_open <= 1'b0;
          latest_precharge <= '0;
          latest_activate <= '0;
          if (~catching & best_valid & lower > best_cycle) begin
            rank <= rank + 1'b1;
            if (is_last_rank(rank)) state <= Advance;
          end else state <= RankWalk;
        end
        RankWalk: begin
          bank <= bank + 1'b1;
          if (last_bank) state <= RankDone;
        end
        RankDone:
        if (~scanned) begin
          if (catching) begin
            step_cycle <= refresh_cycle;
            bank <= '0;
            state <= RefreshRead;
          end else begin
            if (~best_valid | refresh_cycle < best_cycle |
                (refresh_cycle == best_cycle & best_kind != Refresh)) begin
              best_valid <= 1'b1;
              best_kind <= Refresh;
              best_cycle <= refresh_cycle;
              best_rank <= rank;
              best_opens <= any_open;
            end
            rank <= rank + 1'b1;
            state <= is_last_rank(rank) ? Advance : RankLook;
          end
        end
        RefreshRead: state <= RefreshWrite;
        RefreshWrite: begin
          bank <= bank + 1'b1;
          state <= RefreshRead;
          if (last_bank) begin
            if (~any_open) begin
              rank_due[rank] <= rank_due[rank] + settings.refi;
              refreshes <= refreshes + 1'b1;
            end
            catch_phase <= catch_phase + 1'b1;
            state <= catching ? CatchUp : Advance;
          end
        end
        IssueRead: begin
          rank <= '0;
          state <= Issue;
        end
        Issue:
        if (best_kind == Column) begin
          for (int i = 0; i < QUEUE; ++i) begin
            if (IndexBits'(i) < best_index) queue[i].overtaken <= queue[i].overtaken + 1'b1;
            else if (i + 1 < QUEUE) queue[i] <= queue[i+1];
          end
          count <= count - 1'b1;
          state <= Limit;
        end else begin
          if (best_opens) begin
            queue[best_index].activated <= 1'b1;
            rank_activate[chosen.rank] <= best_cycle + settings.rrd;
            rank_window[chosen.rank][rank_place[chosen.rank]] <= best_cycle + settings.faw;
            rank_place[chosen.rank] <= rank_place[chosen.rank] + 2'd1;
          end else queue[best_index].precharged <= 1'b1;
          state <= Advance;
        end
        Limit: begin
          rank_read[rank] <= later_of(rank_read[rank], after_read);
          rank_write[rank] <= later_of(rank_write[rank], after_write);
          rank <= rank + 1'b1;
          if (is_last_rank(rank)) state <= Close;
        end
        Close: begin
          if (chosen.precharged) row_conflicts <= row_conflicts + 1'b1;
          else if (chosen.activated) row_misses <= row_misses + 1'b1;
          else row_hits <= row_hits + 1'b1;
          state <= Advance;
        end
        Complete: if (completions_settled & ~completion_valid) state <= Idle;
        default: state <= Off;
      endcase
  end
endmodule
