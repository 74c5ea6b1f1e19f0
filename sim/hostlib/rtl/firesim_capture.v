// SPDX-License-Identifier: BSD-3-Clause
// The last cycles of some signals of the target, in a ring that the host reads when the target
// stands: what a logic analyser in an FPGA keeps.
//
// In the host cycle of a step `value` is that of the target's cycle. A register takes it first, so
// that no path of the target leads through what is done with it here. Then it goes into its row of
// the ring: one for each cycle, counted from the host's reset. From cycle `from` on the first value
// that is `match` in the bits of `mask` is the trigger. `after` cycles later the ring is complete,
// and nothing in it changes any more. The target never waits for any of this.
//
// The host chooses a place by register 0x70: bits 25:24 one of the spaces below, 23:16 a word of 64
// bits, 15:0 a row. At 0x78 and 0x7c is what is there; a write to 0x7c is one of both halves.
module firesim_capture #(parameter WIDTH = 1, parameter LOG_DEPTH = 4) (
  input wire host_clock, input wire host_reset,
  input wire step, input wire [WIDTH-1:0] value,
  input wire write, input wire [7:0] awaddr, input wire [31:0] wdata, input wire [7:0] araddr,
  output reg [31:0] found
);
  localparam WORDS = (WIDTH + 63) / 64;
  localparam [1:0] CONTROL = 0, MASK = 1, MATCH = 2, RING = 3;
  localparam [47:0] NEVER = {48{1'b1}};

  reg [25:0] at;
  reg [31:0] low;
  reg [47:0] from;
  reg [LOG_DEPTH-1:0] after;
  reg [64*WORDS-1:0] mask, match;
  initial begin
    at = 26'd0; low = 32'd0; from = NEVER; after = {LOG_DEPTH{1'b0}};
    mask = {64*WORDS{1'b0}}; match = {64*WORDS{1'b0}};
  end
  wire [1:0] space = at[25:24];
  wire [7:0] word = at[23:16];
  wire [63:0] given = {wdata, low};
  wire put = write & awaddr == 8'h7c;
  integer k;
  always @(posedge host_clock) begin
    if (write & awaddr == 8'h70) at <= wdata[25:0];
    if (write & awaddr == 8'h78) low <= wdata;
    if (put & space == CONTROL & word == 8'd0) from <= given[47:0];
    if (put & space == CONTROL & word == 8'd1) after <= given[LOG_DEPTH-1:0];
    for (k = 0; k < WORDS; k = k + 1) begin
      if (put & space == MASK & word == k) mask[64*k +: 64] <= given;
      if (put & space == MATCH & word == k) match[64*k +: 64] <= given;
    end
  end

  reg [WIDTH-1:0] held;
  reg holds, armed, triggered, complete;
  reg [47:0] cycle;  // of what is held
  reg [LOG_DEPTH-1:0] left;  // cycles after the trigger that are to come
  initial begin
    held = {WIDTH{1'b0}}; holds = 1'b0; armed = 1'b0; triggered = 1'b0; complete = 1'b0;
    cycle = 48'd0; left = {LOG_DEPTH{1'b0}};
  end
  wire takes = holds & ~complete;
  wire counts = armed | cycle == from;
  wire hit = counts & ~|((held ^ match[WIDTH-1:0]) & mask[WIDTH-1:0]);
  always @(posedge host_clock) begin
    if (step) held <= value;
    if (host_reset) begin
      holds <= 1'b0;
      armed <= 1'b0;
      triggered <= 1'b0;
      complete <= 1'b0;
      cycle <= 48'd0;
    end else begin
      holds <= step;
      if (takes) begin
        cycle <= cycle + 48'd1;
        armed <= counts;
        if (triggered) begin
          left <= left - 1'b1;
          complete <= left == 1;
        end else if (hit) begin
          triggered <= 1'b1;
          left <= after;
          complete <= after == 0;
        end
      end
    end
  end

  // The host reads while the target stands, so what a row shows while it is written does not matter.
  (* no_rw_check *) reg [WIDTH-1:0] ring [0:(1<<LOG_DEPTH)-1];
  reg [WIDTH-1:0] row;
  initial row = {WIDTH{1'b0}};
  always @(posedge host_clock) begin
    if (takes) ring[cycle[LOG_DEPTH-1:0]] <= held;
    row <= ring[at[LOG_DEPTH-1:0]];
  end

  wire [64*WORDS-1:0] words = row;
  wire [15:0] still = left;
  reg [63:0] shown;
  always @* begin
    shown = 64'd0;
    if (space == RING) begin
      for (k = 0; k < WORDS; k = k + 1) if (word == k) shown = words[64*k +: 64];
    end else shown = {triggered, 15'd0, cycle};
    if (space == CONTROL & word == 8'd1) shown = {48'd0, still};
    case (araddr)
      8'h74: found = (WIDTH << 8) | LOG_DEPTH;
      8'h78: found = shown[31:0];
      8'h7c: found = shown[63:32];
      default: found = 32'd0;
    endcase
  end
endmodule
