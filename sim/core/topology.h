// SPDX-License-Identifier: BSD-3-Clause
//
// The graph of models and links: how far apart models are, and which parts are not connected.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace firesim {

struct GraphLink {
  size_t a = 0;
  size_t b = 0;
  uint32_t latency_cycles = 0;
};

// Largest, over all pairs of connected models, of the smallest sum of latencies between them.
// 0 without links.
uint64_t diameter_cycles(size_t model_count, const std::vector<GraphLink> &links);

// Latency of the hidden links between parts of the target that are not connected.
inline constexpr uint32_t kHiddenLinkCycles = 4096;

// The hidden links that keep unconnected parts of the target within a bounded distance: from the
// first model of the first part to that of each other one.
std::vector<GraphLink> hidden_links(size_t model_count, const std::vector<GraphLink> &links);

// One model of every connected part, in increasing order.
std::vector<size_t> part_representatives(size_t model_count, const std::vector<GraphLink> &links);

}  // namespace firesim
