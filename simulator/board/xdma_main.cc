// SPDX-License-Identifier: BSD-3-Clause
//
// firesim-xdma: a board behind AMD's XDMA, its whole top simulated, whose host is behind a socket.
#include "simulator/board/xdma_board.h"

namespace {

constexpr const char *kUsage =
    "usage: firesim-xdma [OPTIONS] MODEL.so DESIGN-HASH BLADES SOCKET\n"
    "Simulates the top of a board behind AMD's XDMA (deploy/firesim/build/xdma_model.py). A host\n"
    "reaches its registers and streams through SOCKET (sim/hostlib/simulated_xdma_card.h), as\n"
    "many hosts at a time as the board has BLADES. The first to connect finds the board as it is\n"
    "after its bitstream was loaded. A host that AMD's driver would give up is sent away with a\n"
    "sentence here. Runs until SIGINT or SIGTERM.\n";

}  // namespace

int main(int argc, char **argv) {
  return firesim::simulate_pci_board(
      argc, argv, kUsage,
      [](const char *library, const char *hash, const firesim::BoardOptions &options) {
        return std::make_unique<firesim::XdmaBoard>(library, hash, options.hostile_seed);
      });
}
