// SPDX-License-Identifier: BSD-3-Clause
// What a debugger sees of a blade in RTL, by a map from its registers and memories to those that
// the architecture names (docs/how-to/debug-a-core-of-your-own.md).
//
// A stop is in a cycle in which an instruction commits, at what the cycle found: so the instruction
// is the next one, and all before it have retired. A position is that cycle.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bridges/coherent_memory.h"
#include "bridges/model_library.h"
#include "bridges/signal_map.h"
#include "bridges/tracerv/trace_port.h"
#include "core/debug_target.h"
#include "devices/guest_memory.h"

namespace firesim::bridges {

// The trace port of a hart; of several lanes the first.
struct HartPort {
  uint32_t hart;
  TracePort port;
};

class RtlDebugView final : public DebugTarget {
 public:
  // `map` is {"harts": [HART], "memory_side": [CACHE]}; the second list is of MemorySideCache. A
  // hart is {"registers": {NAME: [PIECE]}, "cache": CACHE}, this one of DirtyLines. A piece is
  // {"signal": "core.m[3]", "bits": 2, "at": 11}, the lowest bits of a signal put at a place of the
  // register, with "signed": true in all bits above, too; or {"value": 5, "at": 32}. `memory` may
  // be null. Throws ConfigError, starting with `where`.
  RtlDebugView(const nlohmann::json &map, const std::string &where, const ModelInstance &model,
               std::vector<HartPort> ports, devices::GuestMemory *memory, const uint64_t &cycle);

  uint32_t hart_count() const override { return static_cast<uint32_t>(harts_.size()); }
  DebugPosition position() const override { return cycle_; }
  std::map<std::string, uint64_t> registers(uint32_t hart) const override;
  bool read(uint64_t physical, std::span<uint8_t> bytes) const override;
  void listen(StepListener &listener) override { listener_ = &listener; }

  // Before `settle`: keeps what the cycle finds.
  void before_settle();
  // After it, and after the drivers: tells who commits.
  void settled(uint64_t cycle);

 private:
  struct Piece {
    std::optional<MappedRegister> source;  // none: a constant
    uint32_t bits;
    uint32_t at;
    bool is_signed;
    uint64_t kept;  // what the cycle found; of a constant its value
  };
  struct HartMap {
    std::map<std::string, std::vector<Piece>> registers;
    uint64_t pc = 0;  // of what commits next
  };

  void add_hart(const nlohmann::json &map, const std::string &where, const SignalsByName &signals);

  std::vector<HartMap> harts_;
  const std::vector<HartPort> ports_;
  CoherentMemory memory_;
  const uint64_t &cycle_;
  StepListener *listener_ = nullptr;
  uint64_t last_position_ = 0;
  uint32_t cycles_to_look_ = 1;
};

}  // namespace firesim::bridges
