# SPDX-License-Identifier: BSD-3-Clause
"""Small designs that FAME-1 forms are tested and proved with: bodies of a module `Top`."""

DESIGN = """\
logic [7:0] count; logic [7:0] fifo [0:3]; logic [2:0] head, tail; logic [7:0] memory [0:15];
logic ready, valid; logic [7:0] bits, read;
initial memory[3] = 8'h5a;
wire push = valid & (tail - head != 3'd4);
FireSimUARTBridge uart(.clock, .reset, .out_valid(head != tail), .out_bits(fifo[head[1:0]]),
  .in_ready(tail - head != 3'd4), .out_ready(ready), .in_valid(valid), .in_bits(bits));
always @(posedge clock) begin
  if (reset) begin count <= 0; head <= 0; tail <= 0; end
  else begin
    count <= count + x;
    if (push) tail <= tail + 1;
    if (ready && head != tail) head <= head + 1;
    full: cover (tail - head == 3'd4);
    bounded: assert (count != 8'd77);
    if (count[0]) $display("count is %d, x %d", count, x);
  end
  if (push) fifo[tail[1:0]] <= bits;
  if (x[7]) memory[x[3:0]] <= count ^ bits;
  read <= memory[x[6:3]];
end
logic latched; logic [7:0] gated; wire gate = latched & clock;
always_latch if (!clock) latched = x[5];
always @(posedge gate) gated <= gated + x;
assign y = count ^ read ^ gated;
"""

OPEN = """\
logic [7:0] picked, chosen, free, total; logic [7:0] rows [0:9]; logic [7:0] shown [1:5];
always @* begin
  (* full_case, parallel_case *)
  case (x[1:0]) 2'd0: picked = total; 2'd1: picked = ~total; 2'd2: picked = 8'h3c; endcase
end
always @* begin
  chosen = 'bx;
  (* parallel_case *)
  case (1'b1) x[2]: chosen = total; x[3]: chosen = 8'h11; endcase
end
always @(posedge clock) begin
  free <= free * 8'd5 + x;
  if (reset) total <= 0; else total <= total + picked + chosen + rows[x[7:4]] + shown[x[6:4]];
  if (x[0]) rows[x[5:2]] <= total ^ free;
  if (x[1]) shown[x[4:2]] <= total + free;
end
assign y = total ^ free;
"""
"""What the text leaves open: a case that promises to be complete (PicoRV32 has such), an `x`, a
register without a first value, and rows beyond a memory."""

ASYNCHRONOUS = """\
logic [7:0] count, kept; logic [3:0] open; wire clear = reset | (x == 8'h5);
always_ff @(posedge clock or posedge clear) if (clear) count <= 8'h40; else count <= count + x;
always_latch if (x[7]) open = x[3:0];
always_ff @(posedge clock) kept <= kept ^ count ^ {4'b0, open};
logic [7:0] low; wire low_n = ~reset & (x != 8'h6);
always_ff @(posedge clock or negedge low_n) if (!low_n) low <= 8'h0a; else low <= low * 3 + x;
assign y = kept + count + low;
"""

RATIO = """\
logic [7:0] fast, late;
always_ff @(posedge clock) if (reset) fast <= 0; else fast <= fast + x;
always_ff @(posedge slow) late <= late ^ fast;
assign y = late;
"""
"""With a further clock `slow`."""

MANY_PORTS = """\
logic [WIDTH-1:0] file [0:ROWS-1]; logic [WIDTH-1:0] sum;
localparam A = $clog2(ROWS);
initial file[1] = 3;
wire [WIDTH-1:0] first = file[A'(x)], second = file[A'(x >> 2)];
wire [WIDTH-1:0] third = file[A'(first ^ x)];
always @(posedge clock) begin
  if (reset) sum <= 0; else sum <= sum * 3 + (first ^ third) + second;
  if (x[6]) file[A'(sum)] <= third + x;
  if (x[7]) file[A'(x >> 1)] <= sum;
end
assign y = sum ^ third;
"""
"""A register file with three reads, one of them at an address that another has found, and two
writes, of which the second wins; with parameters `ROWS` and `WIDTH` of the module."""
