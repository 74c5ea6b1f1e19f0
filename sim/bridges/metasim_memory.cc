// SPDX-License-Identifier: BSD-3-Clause
// The DRAM of a metasimulation; see metasim_memory.h.
#include "bridges/metasim_memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "bridges/metasim_pin.h"

namespace firesim::bridges {
namespace {

constexpr uint32_t kAddressBits = 40;  // PORT in dram_access.py
constexpr uint64_t kWordBytes = 8, kWordsOfARead = 8;

}  // namespace

MetasimMemory::MetasimMemory(const ModelInstance &model, uint32_t port, std::span<uint8_t> content,
                             const std::string &where)
    : content_(content),
      request_valid_(metasim_pin(model, fmt::format("mem{}_request_valid", port), 1, where)),
      request_ready_(metasim_pin(model, fmt::format("mem{}_request_ready", port), 1, where)),
      request_write_(metasim_pin(model, fmt::format("mem{}_request_write", port), 1, where)),
      request_row_(metasim_pin(model, fmt::format("mem{}_request_row", port), 1, where)),
      request_address_(
          metasim_pin(model, fmt::format("mem{}_request_address", port), kAddressBits, where)),
      request_data_(metasim_pin(model, fmt::format("mem{}_request_data", port), 64, where)),
      request_strobe_(metasim_pin(model, fmt::format("mem{}_request_strobe", port), 8, where)),
      response_valid_(metasim_pin(model, fmt::format("mem{}_response_valid", port), 1, where)),
      response_data_(metasim_pin(model, fmt::format("mem{}_response_data", port), 64, where)) {}

void MetasimMemory::offer(bool takes, bool answers) {
  takes_ = takes;
  request_ready_.set(takes ? 1 : 0);
  answered_ = answers && !answers_.empty() && answers_.front().due <= now_;
  response_valid_.set(answered_ ? 1 : 0);
  if (answered_) response_data_.set(answers_.front().value);
}

void MetasimMemory::take(uint64_t later_host_cycles) {
  if (answered_) answers_.pop_front();
  if (takes_ && request_valid_.get() != 0) {
    if (request_write_.get() != 0) {
      const bool is_row = request_row_.get() != 0;
      for (uint64_t i = 0; i < (is_row ? kWordsOfARead : 1); ++i) write(i * kWordBytes);
    } else {
      const uint64_t address = request_address_.get();
      const uint64_t due = now_ + kLatencyHostCycles + later_host_cycles;
      for (uint64_t i = 0; i < kWordsOfARead; ++i) {
        answers_.push_back({due, word_at(address + i * kWordBytes)});
      }
    }
  }
  ++now_;
}

uint64_t MetasimMemory::word_at(uint64_t address) const {
  uint64_t value = 0;
  if (address < content_.size()) {
    std::memcpy(&value, content_.data() + address,
                std::min<uint64_t>(kWordBytes, content_.size() - address));
  }
  return value;
}

void MetasimMemory::write(uint64_t offset) {
  const uint64_t address = request_address_.get() + offset, data = request_data_.get();
  const uint64_t strobe = request_strobe_.get();
  for (uint64_t i = 0; i < kWordBytes; ++i) {
    if ((strobe >> i & 1) == 0) continue;
    if (address + i >= content_.size()) {
      throw std::runtime_error(fmt::format(
          "a write to {:#x}, which is beyond the memory's {} bytes", address + i, content_.size()));
    }
    content_[address + i] = static_cast<uint8_t>(data >> 8 * i);
  }
}

}  // namespace firesim::bridges
