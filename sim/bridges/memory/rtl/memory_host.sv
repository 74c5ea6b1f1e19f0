// SPDX-License-Identifier: BSD-3-Clause
// memory_driver.cc in RTL: the AXI4 slave side of a blade's memory on the host's side of its FAME-1
// form. It takes the token of what the target says in a cycle, lets a timing model pass a cycle, and
// gives the token of what the target sees in the next one; the words are behind memory_words.sv.
// Both are as the C++ driver's, however long the words take: the target waits for its token.
//
// A cycle in which nothing happens and nothing is outstanding takes one host cycle.
module firesim_memory_host
  import firesim_burst_pkg::*;
#(
    parameter int ID_BITS = 4,
    parameter int ADDRESS_BITS = 32,
    parameter int DATA_BITS = 64,  // at most 64
    parameter int MEMORY_BITS = 40,
    parameter int SLOTS_LOG2 = 5,
    parameter int DRAM = 1,
    parameter int CACHE = 0,
    parameter int RANKS_LOG2 = 1,
    parameter int BANKS_LOG2 = 3,
    parameter int QUEUE = 8,
    parameter int SETS_LOG2 = 9,
    parameter int WAYS = 8,
    parameter int MSHRS = 8
) (
    input logic host_clock,
    input logic host_reset,
    input logic [15:0] register_at,
    input logic register_write,
    input logic [63:0] register_value,
    output logic [63:0] register_found,
    input logic out_valid,
    output logic out_ready,
    output logic in_valid,
    input logic in_ready,
    output logic mem_request_valid,
    input logic mem_request_ready,
    output logic mem_request_write,
    output logic [MEMORY_BITS-1:0] mem_request_address,
    output logic [63:0] mem_request_data,
    output logic [7:0] mem_request_strobe,
    input logic mem_response_valid,
    input logic [63:0] mem_response_data,
    input logic aw_valid,
    output logic aw_ready,
    input logic [ID_BITS-1:0] aw_id,
    input logic [ADDRESS_BITS-1:0] aw_addr,
    input logic [7:0] aw_len,
    input logic [2:0] aw_size,
    input logic [1:0] aw_burst,
    input logic w_valid,
    output logic w_ready,
    input logic [DATA_BITS-1:0] w_data,
    input logic [DATA_BITS/8-1:0] w_strb,
    input logic w_last,
    output logic b_valid,
    input logic b_ready,
    output logic [ID_BITS-1:0] b_id,
    output logic [1:0] b_resp,
    input logic ar_valid,
    output logic ar_ready,
    input logic [ID_BITS-1:0] ar_id,
    input logic [ADDRESS_BITS-1:0] ar_addr,
    input logic [7:0] ar_len,
    input logic [2:0] ar_size,
    input logic [1:0] ar_burst,
    output logic r_valid,
    input logic r_ready,
    output logic [ID_BITS-1:0] r_id,
    output logic [DATA_BITS-1:0] r_data,
    output logic [1:0] r_resp,
    output logic r_last
);
  localparam int TagBits = 7 + SLOTS_LOG2;
  localparam int BusLog2 = $clog2(DATA_BITS / 8);
  localparam logic [63:0] BusBytes = DATA_BITS / 8;
  localparam logic [1:0] Okay = 2'd0, DecodeError = 2'd3;
  typedef logic [SLOTS_LOG2-1:0] slot_t;
  typedef enum logic [3:0] {
    Off,
    Starting,
    Wait,
    Begin,
    Apply,
    Issue,
    Drain,
    ReadWalk,
    ReadOffer,
    WriteWalk,
    Give,
    Fault
  } state_t;
  state_t state, after_read, after_drain;
  logic first;  // the token of cycle 0, which answers nothing
  logic [47:0] cycle;

  // Registers.
  logic set_valid, start, pokes, peeks, poke_done, peek_done;
  logic [63:0] base, size_bytes, poked;
  logic [8:0] most_reads, most_writes;
  logic [10:0] rate;
  logic [3:0] access_log2;
  logic [47:0] first_cycle, timing_count;
  logic [MEMORY_BITS-1:0] access_address;
  logic [4:0][47:0] read_counts, write_counts;
  logic [2:0] fault;
  burst_t wrong;

  // The words.
  logic want, hit, hint, write, write_ready;
  logic [63:0] word, write_word;
  logic [7:0] write_strobe;
  logic [MEMORY_BITS-1:0] want_address, hint_address, write_address;
  firesim_memory_words #(
      .MEMORY_BITS(MEMORY_BITS)
  ) words (
      .clock(host_clock),
      .reset(host_reset),
      .*
  );

  // The timing.
  logic timing_ready, timing_room, request_valid, step, done_valid, overflow;
  logic issue_empty, issue_write;
  slot_t issue_slot;
  logic [63:0] request_address, request_end;
  logic [TagBits-1:0] request_tag, done_tag;
  firesim_memory_timing #(
      .DRAM(DRAM),
      .CACHE(CACHE),
      .ADDRESS_BITS(MEMORY_BITS),
      .TAG_BITS(TagBits),
      .RANKS_LOG2(RANKS_LOG2),
      .BANKS_LOG2(BANKS_LOG2),
      .QUEUE(QUEUE),
      .SETS_LOG2(SETS_LOG2),
      .WAYS(WAYS),
      .MSHRS(MSHRS)
  ) timing (
      .clock(host_clock),
      .reset(host_reset),
      .set_valid,
      .set_index(register_at[5:0]),
      .set_value(register_value[19:0]),
      .start,
      .ready(timing_ready),
      .room(timing_room),
      .request_valid,
      .request_write(issue_write),
      .request_address(MEMORY_BITS'(request_address - base)),
      .request_bytes(13'(request_end - request_address)),
      .request_tag,
      .step,
      .done_valid,
      .done_ready(1'b1),
      .done_tag,
      .overflow,
      .counter_index(register_at[2:0]),
      .counter(timing_count)
  );

  // Bursts on their way.
  logic read_room, no_reads, reads_ready, read_begins, read_error, read_looked_error;
  logic write_room, no_writes, writes_ready, write_begins, write_error, write_looked_error;
  logic read_done, write_done, arrives, walk_start, read_found, write_found;
  logic read_exhausted, write_exhausted, read_offers, write_offers, read_ends, write_ends;
  logic read_beat, write_beat;
  slot_t read_slot, write_slot, read_look, write_look, read_at, write_at, reading, answering;
  burst_t read_new, write_new, read_looked, write_looked;
  logic [ID_BITS-1:0] read_id, write_id;
  logic [63:0] read_dones, write_dones;
  firesim_memory_direction #(
      .READS(1),
      .SLOTS_LOG2(SLOTS_LOG2),
      .ID_BITS(ID_BITS),
      .ADDRESS_BITS(ADDRESS_BITS)
  ) reads (
      .clock(host_clock),
      .reset(host_reset),
      .cycle,
      .access_log2,
      .most(most_reads),
      .room(read_room),
      .empty(no_reads),
      .any_ready(reads_ready),
      .begin_valid(read_begins),
      .begin_burst(read_new),
      .begin_id(ar_id),
      .begin_error(read_error),
      .begin_slot(read_slot),
      .look(read_look),
      .look_burst(read_looked),
      .look_id(read_id),
      .look_error(read_looked_error),
      .look_done(read_dones),
      .arrive(1'b0),
      .done(read_done),
      .done_place(done_tag[SLOTS_LOG2+:6]),
      .walk_start,
      .walk(state == ReadWalk),
      .walk_at(read_at),
      .found(read_found),
      .exhausted(read_exhausted),
      .choose(state == ReadWalk & read_found),
      .offers(read_offers),
      .offering(reading),
      .finish(read_ends),
      .beat(read_beat),
      .counts(read_counts)
  );
  firesim_memory_direction #(
      .READS(0),
      .SLOTS_LOG2(SLOTS_LOG2),
      .ID_BITS(ID_BITS),
      .ADDRESS_BITS(ADDRESS_BITS)
  ) writes (
      .clock(host_clock),
      .reset(host_reset),
      .cycle,
      .access_log2,
      .most(most_writes),
      .room(write_room),
      .empty(no_writes),
      .any_ready(writes_ready),
      .begin_valid(write_begins),
      .begin_burst(write_new),
      .begin_id(aw_id),
      .begin_error(write_error),
      .begin_slot(write_slot),
      .look(write_look),
      .look_burst(write_looked),
      .look_id(write_id),
      .look_error(write_looked_error),
      .look_done(write_dones),
      .arrive(arrives),
      .done(write_done),
      .done_place(done_tag[SLOTS_LOG2+:6]),
      .walk_start,
      .walk(state == WriteWalk),
      .walk_at(write_at),
      .found(write_found),
      .exhausted(write_exhausted),
      .choose(state == WriteWalk & write_found),
      .offers(write_offers),
      .offering(answering),
      .finish(write_ends),
      .beat(write_beat),
      .counts(write_counts)
  );

  function automatic logic outside(burst_t burst, logic [63:0] from, logic [63:0] bytes);
    logic [63:0] at, region;
    at = burst_start(burst) - from;
    region = 64'(burst_region(burst));
    return burst_start(burst) < from | at > bytes | region > bytes - at;
  endfunction

  // A cycle begins: what was answered in it, and what the target asks.
  logic live, asks, answered, takes_read, takes_write, takes_data, quiet, alone, fast;
  assign live = cycle >= first_cycle;
  assign takes_read = live & ar_valid & ar_ready;
  assign takes_write = live & aw_valid & aw_ready;
  assign takes_data = live & w_valid & w_ready;
  assign asks = takes_read | takes_write | takes_data;
  assign answered = live & ((r_valid & r_ready) | (b_valid & b_ready));
  assign read_beat = state == Wait & out_valid & live & r_valid & r_ready & ~peeks & ~pokes;
  assign read_ends = read_beat & r_last;
  assign write_ends = state == Wait & out_valid & live & b_valid & b_ready & ~peeks & ~pokes;
  assign quiet = ~asks & ~answered & issue_empty;
  assign alone = no_reads & no_writes & rate == 11'd0;
  assign fast = state == Wait & out_valid & quiet & alone & timing_ready & in_ready & ~peeks & ~pokes;

  assign read_new = {64'(ar_addr), ar_len, ar_size, ar_burst};
  assign write_new = {64'(aw_addr), aw_len, aw_size, aw_burst};
  assign read_error = outside(read_new, base, size_bytes);
  assign write_error = outside(write_new, base, size_bytes);
  assign read_begins = state == Begin & takes_read;
  assign write_begins = state == Begin & takes_write;
  assign hint = read_begins & ~read_error;
  assign hint_address = MEMORY_BITS'(read_new.address - base);
  logic read_wrong, write_wrong;
  assign read_wrong = read_begins & ~burst_allowed(read_new, 3'(BusLog2));
  assign write_wrong = write_begins & ~burst_allowed(write_new, 3'(BusLog2));

  // Data that came, and writes that wait for theirs.
  logic [DATA_BITS+DATA_BITS/8:0] early[64];
  logic [6:0] early_in, early_out;
  slot_t awaiting[2**SLOTS_LOG2];
  logic [SLOTS_LOG2:0] awaiting_in, awaiting_out;
  logic early_full, applies, applied, last_beat, early_last;
  logic [7:0] beat_index;
  logic [DATA_BITS-1:0] early_data;
  logic [DATA_BITS/8-1:0] early_strobe;
  logic [63:0] beat_address, beat_offset;
  assign early_full = early_in == {~early_out[6], early_out[5:0]};
  assign {early_last, early_strobe, early_data} = early[early_out[5:0]];
  assign applies = state == Apply & early_in != early_out & awaiting_in != awaiting_out;
  assign write_beat = applies & applied;
  assign applied = write_looked_error | write_ready;
  assign last_beat = beat_index == write_looked.len;
  assign arrives = write_beat & last_beat;
  assign beat_address = burst_beat(write_looked, beat_index);
  assign beat_offset = beat_address - base;
  assign poke_done = pokes & write_ready & (state == Wait | state == Off);
  assign write = (applies & ~write_looked_error) | (pokes & (state == Wait | state == Off));
  assign write_address = applies ? beat_offset[MEMORY_BITS-1:0] : access_address;
  assign write_word = applies ? {64 / DATA_BITS{early_data}} : poked;
  assign write_strobe = applies ? 8'(early_strobe) << (beat_address[2:0] & ~3'(BusBytes - 64'd1)) :
      8'hff;

  // Accesses that go to the timing model, those of one burst after those of another.
  logic [SLOTS_LOG2:0] issuing[2**(SLOTS_LOG2+1)];
  logic [SLOTS_LOG2+1:0] issue_in, issue_out;
  logic issued, last_access, blocked;
  logic [6:0] issue_count, accesses;
  logic [7:0] place_sum;
  logic [5:0] place;
  burst_t issue_burst;
  assign issue_empty = issue_in == issue_out;
  assign {issue_write, issue_slot} = issuing[issue_out[SLOTS_LOG2:0]];
  assign issue_burst = issue_write ? write_looked : read_looked;
  assign accesses = burst_accesses(issue_burst, access_log2);
  assign place_sum = 8'(burst_place(issue_burst, 8'd0, access_log2)) + 8'(issue_count);
  assign place = 6'(place_sum >= 8'(accesses) ? place_sum - 8'(accesses) : place_sum);
  assign request_address = burst_access(issue_burst, place, access_log2);
  assign request_end = burst_access_end(issue_burst, place, access_log2);
  assign request_tag = {issue_write, place, issue_slot};
  assign request_valid = state == Issue & ~issue_empty & ~blocked;
  assign issued = request_valid & timing_ready & timing_room;
  assign last_access = issue_count + 7'd1 == accesses;
  assign step = fast | (timing_ready & ((state == Issue & (issue_empty | blocked)) |
      (state == Wait & out_valid & quiet & ~peeks & ~pokes & ~(alone & ~in_ready))));

  // What is done.
  assign read_done = state == Drain & done_valid & ~done_tag[TagBits-1];
  assign write_done = state == Drain & done_valid & done_tag[TagBits-1];
  assign read_look = state == Issue ? issue_slot : state == Drain ? done_tag[SLOTS_LOG2-1:0] :
      state == ReadWalk ? read_at : reading;
  assign write_look = state == Issue ? issue_slot : state == Drain ? done_tag[SLOTS_LOG2-1:0] :
      state == Apply ? awaiting[awaiting_out[SLOTS_LOG2-1:0]] : write_at;
  assign walk_start = state == Drain;

  // How far each data channel is ahead of its rate, in bytes.
  typedef logic signed [12:0] pace_t;
  pace_t read_pace, write_pace, pace;
  logic read_paced, write_paced;
  assign pace = pace_t'({2'b00, rate});
  assign read_paced = rate != 11'd0 & read_pace > 0;
  assign write_paced = rate != 11'd0 & write_pace > 0;
  function automatic pace_t taken(pace_t ahead, pace_t rate_bytes);
    return (ahead > -rate_bytes ? ahead : pace_t'(0)) + pace_t'(DATA_BITS / 8);
  endfunction
  function automatic pace_t passed(pace_t ahead, pace_t rate_bytes);
    pace_t later;
    later = ahead - rate_bytes;
    return later > -rate_bytes ? later : -rate_bytes;
  endfunction

  // What is offered.
  logic offer_read, offer_write, here, offered, given;
  logic [7:0] read_index;
  logic [63:0] offer_address, offer_offset;
  assign offer_read = ~r_valid & ~read_paced & (read_offers | reads_ready);
  assign offer_write = ~b_valid & writes_ready;
  assign after_read = offer_write ? WriteWalk : Give;
  assign after_drain = offer_read ? (read_offers ? ReadOffer : ReadWalk) : after_read;
  assign offer_address = burst_beat(read_looked, read_index);
  assign offer_offset = offer_address - base;
  assign here = read_dones[burst_place(read_looked, read_index, access_log2)];
  assign want = (state == ReadOffer & here & ~read_looked_error) |
      (peeks & (state == Wait | state == Off));
  assign want_address = state == ReadOffer ? offer_offset[MEMORY_BITS-1:0] : access_address;
  assign peek_done = peeks & (state == Wait | state == Off) & hit;
  assign offered = state == ReadOffer & here & (read_looked_error | hit);

  // The token.
  logic gives;
  assign gives = state == Give | (state == Drain & timing_ready & after_drain == Give);
  assign in_valid = gives | (state == Wait & out_valid & quiet & alone & timing_ready & ~peeks & ~pokes);
  assign given = gives & in_ready;
  assign out_ready = (given & ~first) | fast;
  logic ar_ready_now, aw_ready_now, w_ready_now;
  logic ar_ready_next, aw_ready_next, w_ready_next;
  assign ar_ready_next = read_room;
  assign aw_ready_next = write_room;
  assign w_ready_next = ~early_full & ~write_paced;
  // While a cycle is looked at, those that were given; in the token, those of the next one.
  assign ar_ready = gives ? ar_ready_next : ar_ready_now;
  assign aw_ready = gives ? aw_ready_next : aw_ready_now;
  assign w_ready = gives ? w_ready_next : w_ready_now;

  always_ff @(posedge host_clock) begin
    if (step) begin
      read_pace  <= passed(read_pace, pace);
      write_pace <= passed(write_pace, pace);
    end
    if (given) begin
      {ar_ready_now, aw_ready_now, w_ready_now} <= {ar_ready_next, aw_ready_next, w_ready_next};
      first <= 1'b0;
    end
    if (out_ready) cycle <= cycle + 48'd1;
    if (read_beat) begin
      r_valid <= 1'b0;
      read_index <= r_last ? 8'd0 : read_index + 8'd1;
    end
    if (write_ends) b_valid <= 1'b0;

    if (state == Begin & takes_data) begin
      early[early_in[5:0]] <= {w_last, w_strb, w_data};
      early_in <= early_in + 7'd1;
      write_pace <= taken(write_pace, pace);
    end
    if (write_begins) begin
      awaiting[awaiting_in[SLOTS_LOG2-1:0]] <= write_slot;
      awaiting_in <= awaiting_in + 1'b1;
    end
    if (write_beat) begin
      early_out <= early_out + 7'd1;
      beat_index <= last_beat ? 8'd0 : beat_index + 8'd1;
      if (last_beat) awaiting_out <= awaiting_out + 1'b1;
    end
    if (read_begins | arrives) begin
      issuing[issue_in[SLOTS_LOG2:0]] <= arrives ? {1'b1, write_look} : {1'b0, read_slot};
      issue_in <= issue_in + 1'b1;
    end
    if (issued) begin
      issue_count <= last_access ? 7'd0 : issue_count + 7'd1;
      if (last_access) issue_out <= issue_out + 1'b1;
    end
    blocked <= state == Issue & (blocked | (request_valid & timing_ready & ~timing_room));

    if (offered) begin
      r_valid <= 1'b1;
      r_id <= read_id;
      r_data <= read_looked_error ? '0 :
          DATA_BITS'(word >> {offer_address[2:0] & ~3'(BusBytes - 64'd1), 3'd0});
      r_resp <= read_looked_error ? DecodeError : Okay;
      r_last <= read_index == read_looked.len;
      read_pace <= taken(read_pace, pace);
    end
    if (state == WriteWalk & write_found) begin
      b_valid <= 1'b1;
      b_id <= write_id;
      b_resp <= write_looked_error ? DecodeError : Okay;
    end

    case (state)
      Off: if (start) state <= Starting;
      Starting: if (timing_ready) state <= Give;
      Wait:
      if (out_valid & ~peeks & ~pokes & ~fast) begin
        if (~quiet) state <= asks ? Begin : Issue;
        else if (step) state <= Drain;
      end
      Begin: state <= read_wrong | write_wrong ? Fault : Apply;
      Apply: if (~applies) state <= Issue;
      Issue: if (step) state <= Drain;
      Drain: if (timing_ready) state <= given ? Wait : after_drain;
      ReadWalk: if (read_found) state <= ReadOffer;
 else if (read_exhausted) state <= after_read;
      ReadOffer: if (offered | ~here) state <= after_read;
      WriteWalk: if (write_found | write_exhausted) state <= Give;
      Give: if (given) state <= Wait;
      default: ;
    endcase
    if (state == Begin & (read_wrong | write_wrong)) begin
      fault <= read_wrong ? 3'd1 : 3'd2;
      wrong <= read_wrong ? read_new : write_new;
    end
    if (write_beat & (last_beat != early_last)) begin
      state <= Fault;
      fault <= early_last ? 3'd3 : 3'd4;
      wrong <= {32'(write_looked.len) + 32'd1, 32'(beat_index) + 32'd1, 13'd0};
    end
    if (overflow & state != Fault) begin
      state <= Fault;
      fault <= 3'd5;
    end
    if (host_reset) begin
      state <= Off;
      first <= 1'b1;
      cycle <= '0;
      fault <= '0;
      {r_valid, r_id, r_data, r_resp, r_last, b_valid, b_id, b_resp} <= '0;
      {early_in, early_out, awaiting_in, awaiting_out, issue_in, issue_out} <= '0;
      {beat_index, read_index, issue_count} <= '0;
      {read_pace, write_pace} <= '0;
    end
  end

  firesim_memory_host_registers #(
      .MEMORY_BITS(MEMORY_BITS)
  ) registers (
      .clock(host_clock),
      .reset(host_reset),
      .at(register_at),
      .write(register_write),
      .value(register_value),
      .found(register_found),
      .bytes_per_cycle(rate),
      .peeked(word),
      .started(state != Off),
      .fault_address(wrong.address),
      .fault_burst({3'd0, wrong.len, wrong.size, wrong.kind}),
      .token_data(64'(r_data)),
      .token_flags({54'd0, ar_ready_now, aw_ready_now, w_ready_now, b_valid, b_resp, r_valid, r_resp, r_last}),
      .token_ids({32'(b_id), 32'(r_id)}),
      .*
  );
endmodule
