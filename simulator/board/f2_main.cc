// SPDX-License-Identifier: BSD-3-Clause
//
// firesim-f2: a custom logic for AWS EC2 F2, simulated in a shell whose host is behind a socket.
#include "simulator/board/f2_shell.h"

namespace {

constexpr const char *kUsage =
    "usage: firesim-f2 [OPTIONS] MODEL.so DESIGN-HASH BLADES SOCKET\n"
    "Simulates a custom logic for AWS EC2 F2 (deploy/firesim/build/f2_model.py) in its shell. A\n"
    "host loads and stores what is in its BARs through SOCKET (sim/hostlib/pci_messages.h), as\n"
    "many hosts at a time as the logic has BLADES. The first to connect finds the logic as it is\n"
    "after its image was loaded. A host that breaks a rule of the shell is sent away with a\n"
    "sentence here. The times of the DIMM of a logic that has one, and what it holds before it is\n"
    "written to, are chosen by --dram-seed=N (1); --dram-fault=untrained or error breaks it. With\n"
    "--flr-after=N its function is reset within a run, after N accesses of its host. Runs until\n"
    "SIGINT or SIGTERM.\n";

}  // namespace

int main(int argc, char **argv) {
  return firesim::simulate_pci_board(
      argc, argv, kUsage,
      [](const char *library, const char *hash, const firesim::BoardOptions &options) {
        return std::make_unique<firesim::F2Shell>(library, hash, options);
      },
      {"--dram-seed", "--dram-fault", "--flr-after"});
}
