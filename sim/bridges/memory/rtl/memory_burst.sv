// SPDX-License-Identifier: BSD-3-Clause
// burst.h in RTL: the address of every beat of an AXI4 burst, and the accesses it is cut into.
package firesim_burst_pkg;
  typedef struct packed {
    logic [63:0] address;
    logic [7:0]  len;      // beats less one
    logic [2:0]  size;     // logarithm of the bytes of a beat
    logic [1:0]  kind;     // 0 fixed, 1 incrementing, 2 wrapping
  } burst_t;

  function automatic logic [63:0] burst_aligned(burst_t burst);
    return burst.address >> burst.size << burst.size;
  endfunction

  // At most 256 beats of 128 bytes.
  function automatic logic [15:0] burst_bytes(burst_t burst);
    return (16'(burst.len) + 16'd1) << burst.size;
  endfunction

  function automatic logic [63:0] burst_start(burst_t burst);
    if (burst.kind == 2'd2) return burst.address & ~(64'(burst_bytes(burst)) - 64'd1);
    return burst_aligned(burst);
  endfunction

  function automatic logic [15:0] burst_region(burst_t burst);
    return burst.kind == 2'd0 ? 16'd1 << burst.size : burst_bytes(burst);
  endfunction

  // Address of a beat; only the first may be unaligned.
  function automatic logic [63:0] burst_beat(burst_t burst, logic [7:0] index);
    logic [63:0] step, start;
    step = 64'(index) << burst.size;
    start = burst_start(burst);
    case (burst.kind)
      2'd0: return burst.address;
      2'd1: return index == 8'd0 ? burst.address : burst_aligned(burst) + step;
      default:
      return start + ((burst_aligned(burst) - start + step) & (64'(burst_bytes(burst)) - 64'd1));
    endcase
  endfunction

  // Whether AXI4 allows the burst on a bus of 2^`bus_log2` bytes.
  function automatic logic burst_allowed(burst_t burst, logic [2:0] bus_log2);
    logic [63:0] start, last;
    logic power;
    start = burst_start(burst);
    last = start + 64'(burst_region(burst)) - 64'd1;
    power = burst.len == 8'd1 | burst.len == 8'd3 | burst.len == 8'd7 | burst.len == 8'd15;
    return burst.size <= bus_log2 & burst.kind != 2'd3 & ~(burst.kind == 2'd0 & burst.len > 8'd15)
        & ~(burst.kind == 2'd2 & (~power | burst.address != burst_aligned(burst)))
        & start[63:12] == last[63:12];
  endfunction

  // Accesses of 2^`access_log2` bytes: their number, and the place of a beat's, from the lowest.
  function automatic logic [6:0] burst_accesses(burst_t burst, logic [3:0] access_log2);
    logic [63:0] start, last;
    start = burst_start(burst);
    last = start + 64'(burst_region(burst)) - 64'd1;
    return 7'((last >> access_log2) - (start >> access_log2)) + 7'd1;
  endfunction

  function automatic logic [5:0] burst_place(burst_t burst, logic [7:0] index,
                                             logic [3:0] access_log2);
    return 6'((burst_beat(burst, index) >> access_log2) - (burst_start(burst) >> access_log2));
  endfunction

  // First byte of the access in a place, and of what follows it.
  function automatic logic [63:0] burst_access(burst_t burst, logic [5:0] place,
                                               logic [3:0] access_log2);
    logic [63:0] start, found;
    start = burst_start(burst);
    found = ((start >> access_log2) + 64'(place)) << access_log2;
    return found > start ? found : start;
  endfunction

  function automatic logic [63:0] burst_access_end(burst_t burst, logic [5:0] place,
                                                   logic [3:0] access_log2);
    logic [63:0] last, found;
    last = burst_start(burst) + 64'(burst_region(burst));
    found = ((burst_start(burst) >> access_log2) + 64'(place) + 64'd1) << access_log2;
    return found < last ? found : last;
  endfunction
endpackage
