// SPDX-License-Identifier: BSD-3-Clause
// The RDMA NIC's model for functional nodes: functional/ has it.
#include "functional/devices/part.h"
#include "parts/rdma/functional/rdma_nic.h"

extern "C" firesim::functional::RegisterDevice *firesim_make_part(
    const firesim::functional::PartContext &context) {
  return new firesim::functional::rdma::RdmaNic(
      context.memory,
      {.reduces = context.options.at("reduce") != 0, .pages = context.options.at("pages") != 0});
}
