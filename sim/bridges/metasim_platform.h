// SPDX-License-Identifier: BSD-3-Clause
// The platform of a metasimulation: a model of the target with its host's side, whose pins are
// moved here, host cycle by host cycle.
#pragma once

#include <cstdint>
#include <deque>
#include <filesystem>
#include <string>
#include <vector>

#include "bridges/metasim_memory.h"
#include "bridges/model_library.h"
#include "bridges/pin.h"
#include "hostlib/platform.h"
#include "hostlib/target_state.h"

namespace firesim::bridges {

// Host cycles in which something stands still at random, though nothing is missing.
struct HostStalls {
  uint32_t seed = 1;
  uint32_t rate = 0;  // of 256 host cycles, for each channel and stream
};

// Registers and memories of a metasimulation lie in its model, host's side and all.
class ModelState final : public hostlib::TargetState {
 public:
  explicit ModelState(ModelInstance &model) : model_(model) {}

  std::vector<FiresimSignal> signals() override { return model_.signals(); }
  void read() override {}
  void write() override { model_.written(); }

 private:
  ModelInstance &model_;
};

class MetasimPlatform final : public hostlib::HostPlatform {
 public:
  // Throws ConfigError as ModelInstance does, and when the model has other pins.
  MetasimPlatform(const std::filesystem::path &library, const std::string &design_hash,
                  const HostStalls &stalls, const std::string &where);

  uint32_t read(uint32_t address) override;
  void write(uint32_t address, uint32_t value) override;
  void send(std::span<const uint64_t> words) override;
  bool receive(std::span<uint64_t> words) override;
  std::string name() const override;
  bool serve_memory(uint32_t port, std::span<uint8_t> content) override;

  const ModelInstance &model() const { return model_; }
  ModelInstance &model() { return model_; }

 private:
  void host_cycle();
  void until(const Pin &pin);
  bool stalls();

  ModelInstance model_;
  const HostStalls stalls_;
  uint64_t random_;
  const std::string where_;
  std::vector<MetasimMemory> memories_;
  std::deque<uint64_t> received_;
  Pin reset_;
  Pin awaddr_, awvalid_, awready_, wdata_, wvalid_, bvalid_, bready_;
  Pin araddr_, arvalid_, arready_, rdata_, rvalid_, rready_;
  Pin down_valid_, down_ready_, down_data_, up_valid_, up_ready_, up_data_;
};

}  // namespace firesim::bridges
