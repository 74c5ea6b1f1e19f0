// SPDX-License-Identifier: BSD-3-Clause
//
// All targets, for the program that tries seeds and for libFuzzer.
#include "simulator/hostile/targets.h"

#include <utility>

namespace firesim::hostile {

std::vector<Target> all_targets(const Bench &bench) {
  std::vector<Target> all = file_targets(bench);
  for (Target &target : snapshot_targets(bench)) all.push_back(std::move(target));
  for (Target &target : reader_targets(bench)) all.push_back(std::move(target));
  all.push_back(description_target(bench));
  all.push_back(control_target(bench));
  all.push_back(frames_target(bench));
  all.push_back(far_end_target());
  all.push_back(serial_line_target());
  all.push_back(scan_chain_target());
  all.push_back(json_target());
  all.push_back(messages_target());
  return all;
}

}  // namespace firesim::hostile
