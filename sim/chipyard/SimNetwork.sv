// SPDX-License-Identifier: BSD-3-Clause
// SimNetwork: the far end of a NIC, as our bridge `nic`, which stands on the simulation's clock: the
// node's link. Frames are whole flits, so which bytes of a flit are kept says nothing. The NIC's
// limit is k flits every p + 1 cycles, with at most eight flits at once. It never asks others to
// pause: its buffers have fewer flits than the threshold.
module SimNetwork #(
    parameter DEVNAME = "tap0"
) (
    input clock,
    input reset,
    input net_out_valid,
    input [63:0] net_out_bits_data,
    input [7:0] net_out_bits_keep,
    input net_out_bits_last,
    output net_in_valid,
    output [63:0] net_in_bits_data,
    output [7:0] net_in_bits_keep,
    output net_in_bits_last,
    output [47:0] net_macAddr,
    output [7:0] net_rlimit_inc,
    output [7:0] net_rlimit_period,
    output [7:0] net_rlimit_size,
    output [15:0] net_pauser_threshold,
    output [15:0] net_pauser_quanta,
    output [15:0] net_pauser_refresh
);
  assign net_in_bits_keep = 8'hff;
  wire [15:0] increment, period;
  wire arrives;
  assign net_in_valid = arrives && !reset;
  assign net_rlimit_inc = increment[7:0];
  assign net_rlimit_period = period[7:0] - 8'd1;
  assign net_rlimit_size = 8'd8;
  assign net_pauser_threshold = 16'hffff;
  assign net_pauser_quanta = 16'd0;
  assign net_pauser_refresh = 16'hffff;
  FireSimNICBridge bridge (
      .clock,
      .reset,
      .out_valid(net_out_valid && !reset),
      .out_data(net_out_bits_data),
      .out_last(net_out_bits_last),
      .in_valid(arrives),
      .in_data(net_in_bits_data),
      .in_last(net_in_bits_last),
      .mac_address(net_macAddr),
      .rate_increment(increment),
      .rate_period(period)
  );
endmodule
