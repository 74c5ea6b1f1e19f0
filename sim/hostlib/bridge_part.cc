// SPDX-License-Identifier: BSD-3-Clause
// A bridge's host's side in RTL; see bridge_part.h.
#include "hostlib/bridge_part.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "core/check.h"
#include "hostlib/registers.h"

namespace firesim::hostlib {
namespace {

// The target has its token of a cycle from the part, which gives it when it is through with the
// cycle before the last one.
constexpr uint64_t kMostBehind = 2;

}  // namespace

uint64_t BridgePart::parameter(const std::string &name) const {
  const auto found = info_.parameters.find(name);
  return found == info_.parameters.end() ? 0 : found->second;
}

uint64_t BridgePart::read(uint32_t at) {
  platform_.write(kPart, index_);
  platform_.write(kPartAt, at);
  return platform_.read_wide(kPartValue);
}

void BridgePart::write(uint32_t at, uint64_t value) {
  platform_.write(kPart, index_);
  platform_.write(kPartAt, at);
  platform_.write_wide(kPartValue, value);
}

void BridgePart::fail(const std::string &found) const {
  throw std::runtime_error(
      fmt::format("{}: {}: found it through with {}", platform_.name(), bridge(), found));
}

void BridgePart::wait_for_target(uint32_t at, const std::function<bool()> &fails) {
  using Clock = std::chrono::steady_clock;
  const uint64_t target = target_.cycles_here();
  uint64_t seen = target - std::min(target, kMostBehind);
  auto last = Clock::now();
  for (uint32_t reads = 0;; ++reads) {
    const uint64_t found = read(at);
    if (found >= target || fails()) return;
    if (found < seen) fail(fmt::format("{} cycles, expected {} at least", found, seen));
    if (found > seen) {
      last = Clock::now();
      reads = 0;
    } else if (reads >= patience_.reads && Clock::now() - last >= patience_.still) {
      fail(fmt::format("{} cycles for {} s, expected {}, as the target is", found,
                       patience_.still.count() / 1e3, target));
    }
    seen = found;
  }
}

void BridgePart::serve_memory(std::span<uint8_t> content, std::span<const DramRange> filled) {
  FIRESIM_CHECK(info_.memory_port.has_value(), "a memory is served where there is a port for it");
  if (platform_.serve_memory(*info_.memory_port, content)) {
    served_ = content;
    return;
  }
  dram_.emplace(platform_, *info_.memory_port);
  dram_->clear(content.size());
  for (const DramRange &range : filled) {
    dram_->write(range.offset, content.subspan(range.offset, range.bytes));
  }
}

void BridgePart::read_memory(uint64_t offset, std::span<uint8_t> bytes) {
  if (dram_) return dram_->read(offset, bytes);
  std::copy_n(served_.data() + offset, bytes.size(), bytes.data());
}

}  // namespace firesim::hostlib
