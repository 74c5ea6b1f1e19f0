// SPDX-License-Identifier: BSD-3-Clause
// SimNetwork: the far end of a NIC, as our bridge `nic`: the node's link.
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
  firesim_nic_port port (
      .clock,
      .reset,
      .out_valid(net_out_valid),
      .out_data(net_out_bits_data),
      .out_last(net_out_bits_last),
      .in_valid(net_in_valid),
      .in_data(net_in_bits_data),
      .in_last(net_in_bits_last),
      .mac_address(net_macAddr),
      .limit_inc(net_rlimit_inc),
      .limit_period(net_rlimit_period),
      .limit_size(net_rlimit_size),
      .pauser_threshold(net_pauser_threshold),
      .pauser_quanta(net_pauser_quanta),
      .pauser_refresh(net_pauser_refresh)
  );
endmodule
