// SPDX-License-Identifier: BSD-3-Clause
// SimBlockDevice: a disk, as our bridge `block_device`, which stands on the simulation's clock.
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
  firesim_block_port #(
      .TAG_BITS(TAG_BITS)
  ) port (
      .clock,
      .reset,
      .req_valid(bdev_req_valid),
      .req_ready(bdev_req_ready),
      .req_write(bdev_req_bits_write),
      .req_offset(bdev_req_bits_offset),
      .req_len(bdev_req_bits_len),
      .req_tag(bdev_req_bits_tag),
      .data_valid(bdev_data_valid),
      .data_ready(bdev_data_ready),
      .data_data(bdev_data_bits_data),
      .data_tag(bdev_data_bits_tag),
      .resp_valid(bdev_resp_valid),
      .resp_ready(bdev_resp_ready),
      .resp_data(bdev_resp_bits_data),
      .resp_tag(bdev_resp_bits_tag),
      .info_nsectors(bdev_info_nsectors),
      .info_max_req_len(bdev_info_max_req_len)
  );
endmodule
