// SPDX-License-Identifier: BSD-3-Clause
//
// Shortest paths and connected parts of the model graph.
#include "core/topology.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <queue>

namespace firesim {

namespace {

using Neighbours = std::vector<std::vector<std::pair<size_t, uint32_t>>>;

uint64_t farthest_from(size_t start, const Neighbours &neighbours) {
  std::vector<uint64_t> distance(neighbours.size(), UINT64_MAX);
  using Entry = std::pair<uint64_t, size_t>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
  distance[start] = 0;
  queue.push({0, start});
  uint64_t farthest = 0;
  while (!queue.empty()) {
    const auto [cycles, model] = queue.top();
    queue.pop();
    if (cycles > distance[model]) continue;
    farthest = std::max(farthest, cycles);
    for (const auto &[next, latency] : neighbours[model]) {
      if (cycles + latency >= distance[next]) continue;
      distance[next] = cycles + latency;
      queue.push({distance[next], next});
    }
  }
  return farthest;
}

}  // namespace

uint64_t diameter_cycles(size_t model_count, const std::vector<GraphLink> &links) {
  Neighbours neighbours(model_count);
  for (const GraphLink &link : links) {
    neighbours[link.a].push_back({link.b, link.latency_cycles});
    neighbours[link.b].push_back({link.a, link.latency_cycles});
  }
  uint64_t diameter = 0;
  for (size_t model = 0; model < model_count; ++model) {
    diameter = std::max(diameter, farthest_from(model, neighbours));
  }
  return diameter;
}

std::vector<size_t> part_representatives(size_t model_count, const std::vector<GraphLink> &links) {
  std::vector<size_t> parent(model_count);
  std::iota(parent.begin(), parent.end(), size_t{0});
  auto root = [&parent](size_t model) {
    while (parent[model] != model) model = parent[model] = parent[parent[model]];
    return model;
  };
  for (const GraphLink &link : links) {
    const size_t a = root(link.a);
    const size_t b = root(link.b);
    parent[std::max(a, b)] = std::min(a, b);
  }
  std::vector<size_t> representatives;
  for (size_t model = 0; model < model_count; ++model) {
    if (root(model) == model) representatives.push_back(model);
  }
  return representatives;
}

std::vector<GraphLink> hidden_links(size_t model_count, const std::vector<GraphLink> &links) {
  const std::vector<size_t> parts = part_representatives(model_count, links);
  std::vector<GraphLink> hidden;
  for (size_t i = 1; i < parts.size(); ++i) {
    hidden.push_back({parts[0], parts[i], kHiddenLinkCycles});
  }
  return hidden;
}

}  // namespace firesim
