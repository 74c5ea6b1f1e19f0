// SPDX-License-Identifier: BSD-3-Clause
// Moves the pins of a metasimulation; see metasim_platform.h.
#include "bridges/metasim_platform.h"

#include <fmt/format.h>

#include <stdexcept>

#include "bridges/metasim_pin.h"
#include "hostlib/registers.h"

namespace firesim::bridges {

namespace {

constexpr uint64_t kMostHostCycles = 1 << 21;  // that a handshake of a stream may take
constexpr int kResetHostCycles = 2;
constexpr uint64_t kMostLaterHostCycles = 127;  // of a memory's answer, when there are stalls

}  // namespace

MetasimPlatform::MetasimPlatform(const std::filesystem::path &library,
                                 const std::string &design_hash, const HostStalls &stalls,
                                 const std::string &where)
    : model_(library, design_hash, where),
      stalls_(stalls),
      random_(stalls.seed * uint64_t{0x9e3779b97f4a7c15} | 1),
      where_(where),
      reset_(metasim_pin(model_, "host_reset", 1, where)),
      awaddr_(metasim_pin(model_, "axil_awaddr", 8, where)),
      awvalid_(metasim_pin(model_, "axil_awvalid", 1, where)),
      awready_(metasim_pin(model_, "axil_awready", 1, where)),
      wdata_(metasim_pin(model_, "axil_wdata", 32, where)),
      wvalid_(metasim_pin(model_, "axil_wvalid", 1, where)),
      bvalid_(metasim_pin(model_, "axil_bvalid", 1, where)),
      bready_(metasim_pin(model_, "axil_bready", 1, where)),
      araddr_(metasim_pin(model_, "axil_araddr", 8, where)),
      arvalid_(metasim_pin(model_, "axil_arvalid", 1, where)),
      arready_(metasim_pin(model_, "axil_arready", 1, where)),
      rdata_(metasim_pin(model_, "axil_rdata", 32, where)),
      rvalid_(metasim_pin(model_, "axil_rvalid", 1, where)),
      rready_(metasim_pin(model_, "axil_rready", 1, where)),
      down_valid_(metasim_pin(model_, "down_valid", 1, where)),
      down_ready_(metasim_pin(model_, "down_ready", 1, where)),
      down_data_(metasim_pin(model_, "down_data", 64, where)),
      up_valid_(metasim_pin(model_, "up_valid", 1, where)),
      up_ready_(metasim_pin(model_, "up_ready", 1, where)),
      up_data_(metasim_pin(model_, "up_data", 64, where)) {
  reset_.set(1);
  for (int i = 0; i < kResetHostCycles; ++i) host_cycle();
  reset_.set(0);
  bready_.set(1);
  rready_.set(1);
  write(hostlib::kStallSeed, stalls_.seed);
  write(hostlib::kStallRate, stalls_.rate);
}

std::string MetasimPlatform::name() const {
  return fmt::format("metasim, {}", model_.engine_name());
}

bool MetasimPlatform::serve_memory(uint32_t port, std::span<uint8_t> content) {
  memories_.emplace_back(model_, port, content, where_);
  return true;
}

bool MetasimPlatform::stalls() {
  if (stalls_.rate == 0) return false;
  random_ ^= random_ << 13;
  random_ ^= random_ >> 7;
  random_ ^= random_ << 17;
  return random_ >> 56 < stalls_.rate;
}

void MetasimPlatform::host_cycle() {
  const bool takes = !stalls();
  up_ready_.set(takes ? 1 : 0);
  for (MetasimMemory &memory : memories_) {
    const bool requested = !stalls();
    memory.offer(requested, !stalls());
  }
  model_.settle();
  for (MetasimMemory &memory : memories_) {
    memory.take(stalls_.rate == 0 ? 0 : random_ >> 32 & kMostLaterHostCycles);
  }
  if (takes && up_valid_.get() != 0) received_.push_back(up_data_.get());
  model_.tick();
}

// Host cycles up to the one in which a pin is 1, included.
void MetasimPlatform::until(const Pin &pin) {
  for (uint64_t i = 0; i < kMostHostCycles; ++i) {
    host_cycle();
    if (pin.get() != 0) return;
  }
  throw std::runtime_error("the host's side of the metasimulation does not answer");
}

uint32_t MetasimPlatform::read(uint32_t address) {
  araddr_.set(address);
  arvalid_.set(1);
  until(arready_);
  arvalid_.set(0);
  until(rvalid_);
  return static_cast<uint32_t>(rdata_.get());
}

void MetasimPlatform::write(uint32_t address, uint32_t value) {
  awaddr_.set(address);
  wdata_.set(value);
  awvalid_.set(1);
  wvalid_.set(1);
  until(awready_);
  awvalid_.set(0);
  wvalid_.set(0);
  until(bvalid_);
}

void MetasimPlatform::send(std::span<const uint64_t> words) {
  for (const uint64_t word : words) {
    while (stalls()) host_cycle();
    down_valid_.set(1);
    down_data_.set(word);
    until(down_ready_);
    down_valid_.set(0);
  }
}

bool MetasimPlatform::receive(std::span<uint64_t> words) {
  for (uint64_t waited = 0; received_.size() < words.size(); ++waited) {
    if (waited == kMostHostCycles) return false;
    host_cycle();
  }
  for (uint64_t &word : words) {
    word = received_.front();
    received_.pop_front();
  }
  return true;
}

}  // namespace firesim::bridges
