// SPDX-License-Identifier: BSD-3-Clause
// What the memory timing models in RTL are configured with, and the registers that hold it.
// The host writes the registers before `start`; timing_registers.h knows their numbers.
package firesim_memory_pkg;
  typedef struct packed {
    logic [7:0] cas, cwd, rcd, rp, rrd, ccd, wr, wtr, rtp, rtrs;
    logic [9:0] ras, rc, faw;
    logic [11:0] rfc;
    logic [19:0] refi;
    logic [1:0] ranks_log2;
    logic [2:0] banks_log2;
    logic [4:0] row_log2;  // of the bytes
    logic open_page;
    logic [8:0] window, queue_depth;
    logic [19:0] reorder_limit;
    logic [19:0] backend_latency;  // target cycles
    // DRAM cycles in a target cycle: ratio_whole + ratio_part / ratio_target.
    logic [19:0] ratio_whole, ratio_part, ratio_target;
  } dram_settings_t;

  typedef struct packed {
    logic [4:0] sets_log2;
    logic [6:0] ways, mshrs;
    logic [3:0] block_log2;  // of the bytes
    logic [19:0] hit_latency;
  } cache_settings_t;
endpackage

module firesim_memory_settings
  import firesim_memory_pkg::*;
(
    input logic clock,
    input logic set_valid,
    input logic [5:0] set_index,
    input logic [19:0] set_value,
    output logic [19:0] fixed_latency,
    output dram_settings_t dram,
    output cache_settings_t cache
);
  always_ff @(posedge clock)
    if (set_valid)
      case (set_index)
        6'd0: fixed_latency <= set_value;
        6'd1: dram.cas <= set_value[7:0];
        6'd2: dram.cwd <= set_value[7:0];
        6'd3: dram.rcd <= set_value[7:0];
        6'd4: dram.rp <= set_value[7:0];
        6'd5: dram.ras <= set_value[9:0];
        6'd6: dram.rc <= set_value[9:0];
        6'd7: dram.rrd <= set_value[7:0];
        6'd8: dram.faw <= set_value[9:0];
        6'd9: dram.ccd <= set_value[7:0];
        6'd10: dram.wr <= set_value[7:0];
        6'd11: dram.wtr <= set_value[7:0];
        6'd12: dram.rtp <= set_value[7:0];
        6'd13: dram.rfc <= set_value[11:0];
        6'd14: dram.refi <= set_value;
        6'd15: dram.rtrs <= set_value[7:0];
        6'd16: dram.ranks_log2 <= set_value[1:0];
        6'd17: dram.banks_log2 <= set_value[2:0];
        6'd18: dram.row_log2 <= set_value[4:0];
        6'd19: dram.open_page <= set_value[0];
        6'd20: dram.window <= set_value[8:0];
        6'd21: dram.queue_depth <= set_value[8:0];
        6'd22: dram.reorder_limit <= set_value;
        6'd23: dram.backend_latency <= set_value;
        6'd24: dram.ratio_whole <= set_value;
        6'd25: dram.ratio_part <= set_value;
        6'd26: dram.ratio_target <= set_value;
        6'd27: cache.sets_log2 <= set_value[4:0];
        6'd28: cache.ways <= set_value[6:0];
        6'd29: cache.block_log2 <= set_value[3:0];
        6'd30: cache.mshrs <= set_value[6:0];
        6'd31: cache.hit_latency <= set_value;
        default: ;
      endcase
endmodule
