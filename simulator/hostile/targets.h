// SPDX-License-Identifier: BSD-3-Clause
//
// What hostile input is given to: each target has good inputs, changes that keep a share of them
// nearly good, and a way to take one.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "simulator/hostile/bench.h"
#include "simulator/hostile/mutate.h"

namespace firesim::hostile {

struct Target {
  std::string name;
  std::vector<std::string> good;
  std::function<std::string(const std::string &good, Random &random)> mutate;
  std::function<Verdict(const std::string &input)> take;
};

// The bench must outlive them.
std::vector<Target> all_targets(const Bench &bench);

// --- each in its own file ---
Target description_target(const Bench &bench);
std::vector<Target> file_targets(const Bench &bench);      // elf, disk, traffic
std::vector<Target> snapshot_targets(const Bench &bench);  // snapshot-index, snapshot-state
Target control_target(const Bench &bench);
Target frames_target(const Bench &bench);
Target far_end_target();      // of a board on PCIe
Target serial_line_target();  // of a board behind one
Target scan_chain_target();   // of a board whose target is saved
Target json_target();
Target messages_target();  // of the processes of one simulation
// Without a simulation: reader-elf, reader-disk, reader-traffic, reader-links, reader-frames.
std::vector<Target> reader_targets(const Bench &bench);

}  // namespace firesim::hostile
