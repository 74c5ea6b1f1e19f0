// SPDX-License-Identifier: BSD-3-Clause
// A NIC in Chipyard's form as our bridge `nic`, which stands on the simulation's clock. Frames are
// whole flits, so which bytes of a flit are kept says nothing. The NIC's limit is k flits every p + 1
// cycles, with at most eight flits at once. It never asks others to pause: its buffers have fewer
// flits than the threshold.
module firesim_nic_port (
    input clock,
    input reset,
    input out_valid,
    input [63:0] out_data,
    input out_last,
    output in_valid,
    output [63:0] in_data,
    output in_last,
    output [47:0] mac_address,
    output [7:0] limit_inc,
    output [7:0] limit_period,
    output [7:0] limit_size,
    output [15:0] pauser_threshold,
    output [15:0] pauser_quanta,
    output [15:0] pauser_refresh
);
  wire [15:0] increment, period;
  wire arrives;
  assign in_valid = arrives && !reset;
  assign limit_inc = increment[7:0];
  assign limit_period = period[7:0] - 8'd1;
  assign limit_size = 8'd8;
  assign pauser_threshold = 16'hffff;
  assign pauser_quanta = 16'd0;
  assign pauser_refresh = 16'hffff;
  FireSimNICBridge bridge (
      .clock,
      .reset,
      .out_valid(out_valid && !reset),
      .out_data,
      .out_last,
      .in_valid(arrives),
      .in_data,
      .in_last,
      .mac_address,
      .rate_increment(increment),
      .rate_period(period)
  );
endmodule
