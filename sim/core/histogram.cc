// SPDX-License-Identifier: BSD-3-Clause
//
// Histograms in results and in snapshots; see histogram.h.
#include "core/histogram.h"

namespace firesim {

nlohmann::json Histogram::to_json() const {
  nlohmann::json bins = nlohmann::json::array();
  for (size_t bin = 0; bin < counts_.size(); ++bin) {
    if (counts_[bin] == 0) continue;
    const uint64_t most = bin + 1 < kBins ? low_of(bin + 1) - 1 : UINT64_MAX;
    bins.push_back({low_of(bin), most, counts_[bin]});
  }
  return {{"count", count_}, {"sum", sum_}, {"largest", largest_}, {"bins", bins}};
}

void Histogram::save(StateWriter &state) const {
  std::vector<uint64_t> used;
  for (size_t bin = 0; bin < counts_.size(); ++bin) {
    if (counts_[bin] != 0) used.insert(used.end(), {bin, counts_[bin]});
  }
  state.u64s(used);
  state.u64(sum_);
  state.u64(largest_);
}

void Histogram::load(StateReader &state) {
  const std::vector<uint64_t> used = state.u64s(2 * kBins);
  if (used.size() % 2 != 0) state.fail("found a part of a bin");
  counts_.assign(counts_.size(), 0);
  count_ = 0;
  for (size_t i = 0; i < used.size(); i += 2) {
    const size_t bin = used[i];
    if (bin >= kBins) state.fail("found a bin that no histogram has");
    if (bin >= counts_.size()) counts_.resize(bin + 1);
    counts_[bin] = used[i + 1];
    count_ += used[i + 1];
  }
  sum_ = state.u64();
  largest_ = state.u64();
}

}  // namespace firesim
