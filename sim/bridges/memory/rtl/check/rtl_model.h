// SPDX-License-Identifier: BSD-3-Clause
// memory_timing.sv as a compiled model, driven host cycle by host cycle.
#pragma once

#include <array>
#include <filesystem>
#include <string>
#include <vector>

#include "bridges/memory/rtl/check/traffic.h"
#include "bridges/model_library.h"

namespace firesim::bridges::check {

class RtlModel {
 public:
  // `random` decides in which host cycles this side does not take what is done.
  RtlModel(const std::filesystem::path &library, const std::string &design_hash, Random &random);
  // Resets the hardware, writes the registers and starts it.
  void start(const std::vector<TimingRegister> &registers);
  // False when the target must wait: there is no room.
  bool request(const MemoryAccess &access);
  // Ends the target cycle; appends the tags of what is done by the next one.
  void step(std::vector<uint32_t> &done);
  std::array<uint64_t, 7> counters();
  bool overflow() const { return read("overflow") != 0; }
  const char *engine_name() const { return model_.engine_name(); }
  uint64_t host_cycles() const { return host_cycles_; }

 private:
  void write(const char *port, uint64_t value);
  uint64_t read(const char *port) const;
  // One host cycle; true when the hardware was ready in it.
  bool clock(std::vector<uint32_t> *done);
  void wait_until_ready(std::vector<uint32_t> *done);

  ModelInstance model_;
  Random &random_;
  uint64_t host_cycles_ = 0;
};

}  // namespace firesim::bridges::check
