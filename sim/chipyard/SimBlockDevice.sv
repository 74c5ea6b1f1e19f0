// SPDX-License-Identifier: BSD-3-Clause
// SimBlockDevice: a disk, as our bridge `block_device`, which stands on the simulation's clock. It
// has one channel of answers, for beats that were read and for acknowledgements of writes, where
// ours has two. An answer that is offered stays.
module SimBlockDevice #(
    parameter TAG_BITS = 1
) (
    input clock,
    input reset,
    input bdev_req_valid,
    output bdev_req_ready,
    input bdev_req_bits_write,
    input [31:0] bdev_req_bits_offset,
    input [31:0] bdev_req_bits_len,
    input [TAG_BITS-1:0] bdev_req_bits_tag,
    input bdev_data_valid,
    output bdev_data_ready,
    input [63:0] bdev_data_bits_data,
    input [TAG_BITS-1:0] bdev_data_bits_tag,
    output bdev_resp_valid,
    input bdev_resp_ready,
    output [63:0] bdev_resp_bits_data,
    output [TAG_BITS-1:0] bdev_resp_bits_tag,
    output [31:0] bdev_info_nsectors,
    output [31:0] bdev_info_max_req_len
);
  wire rdata_valid, wack_valid;
  wire [63:0] rdata_bits;
  wire [7:0] rdata_tag, wack_tag;
  wire [15:0] most;
  logic keeps_ack;
  wire is_ack = keeps_ack || !rdata_valid;
  always_ff @(posedge clock) keeps_ack <= !reset && wack_valid && is_ack && !bdev_resp_ready;
  assign bdev_resp_valid = !reset && (is_ack ? wack_valid : rdata_valid);
  assign bdev_resp_bits_data = is_ack ? 64'd0 : rdata_bits;
  assign bdev_resp_bits_tag = is_ack ? wack_tag[TAG_BITS-1:0] : rdata_tag[TAG_BITS-1:0];
  assign bdev_info_max_req_len = {16'd0, most};

  wire ready, takes_data;
  assign bdev_req_ready = ready && !reset;
  assign bdev_data_ready = takes_data && !reset;
  FireSimBlockDeviceBridge bridge (
      .clock,
      .reset,
      .req_valid(bdev_req_valid && !reset),
      .req_write(bdev_req_bits_write),
      .req_sector(bdev_req_bits_offset),
      .req_count(bdev_req_bits_len[15:0]),
      .req_tag(8'(bdev_req_bits_tag)),
      .req_ready(ready),
      .wdata_valid(bdev_data_valid && !reset),
      .wdata_bits(bdev_data_bits_data),
      .wdata_tag(8'(bdev_data_bits_tag)),
      .wdata_ready(takes_data),
      .rdata_valid,
      .rdata_bits,
      .rdata_tag,
      .rdata_ready(!reset && !is_ack && bdev_resp_ready),
      .wack_valid,
      .wack_tag,
      .wack_ready(!reset && is_ack && bdev_resp_ready),
      .info_sectors(bdev_info_nsectors),
      .info_max_request(most)
  );
endmodule
