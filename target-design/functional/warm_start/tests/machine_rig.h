// SPDX-License-Identifier: BSD-3-Clause
// A blade and random states of its harts, for tests of warm starts.
#pragma once

#include <fmt/format.h>

#include <filesystem>
#include <random>

#include "functional/blade/blade_model.h"

namespace firesim::functional {

inline constexpr uint64_t kMemoryBytes = 4 << 20;
inline constexpr uint64_t kMpie = 1 << 7, kMie = 1 << 3, kMpp = 3 << 11, kMprv = 1 << 17;
inline constexpr uint64_t kEntryContent = 0x1234'5678'9abc'def0;

// A blade whose harts have random states that instructions can give them.
class Machine {
 public:
  static uint64_t nic_base(uint32_t port) {
    return port == 0 ? kNicBase : kDevicesBase + 0x8000 + kPageBytes * port;
  }

  explicit Machine(uint32_t harts, HartFeatures features = {}, uint32_t nics = 1)
      : settings_(description(harts, nics), context()),
        harts_(harts, 1, kResetCycles, features),
        memory_(
            dram(), [this](uint64_t address, uint64_t bytes) { harts_.written(address, bytes); },
            end_),
        bus_({harts, features.supervisor, 1024, settings_.parts, settings_.nics, *settings_.disk,
              *settings_.console},
             memory_, harts_, end_) {
    harts_.make(dram(), bus_);
  }

  Dram dram() { return {kDramBase, kMemoryBytes, settings_.memory->data()}; }
  HartGroup &harts() { return harts_; }
  Bus &bus() { return bus_; }
  uint8_t *at(uint64_t address) { return settings_.memory->at(address); }
  devices::BladeEnd &end() { return end_; }

  // All harts, in turns of a few cycles.
  void run_to(uint64_t cycle) {
    for (uint64_t at = harts_.cycle(0); at < cycle && !end_.ended(); at += 50) {
      for (uint32_t i = 0; i < harts_.size() && !end_.ended(); ++i) {
        bus_.advance(i, at);
        bus_.begin_run(i, at + 50);
        uint64_t reached = std::max(at, harts_.cycle(i));
        while (reached < at + 50 && !end_.ended()) reached = harts_[i].run(reached, at + 50);
        harts_.set_cycle(i, reached);
      }
    }
  }

 private:
  // The usual parts, and further NICs.
  static nlohmann::json description(uint32_t harts, uint32_t nics) {
    nlohmann::json parts = nlohmann::json::array(), told = nlohmann::json::array();
    for (const PartEntry &part : usual_parts()) {
      parts.push_back({{"kind", part.kind}, {"at", part.base}, {"interrupt", part.interrupt}});
    }
    for (uint32_t port = 0; port < nics; ++port) {
      told.push_back({{"mac", fmt::format("00:12:6D:{:02X}:00:02", port)}});
      if (port == 0) continue;
      parts.push_back({{"kind", "nic"},
                       {"name", fmt::format("nic{}", port)},
                       {"at", nic_base(port)},
                       {"interrupt", 8 - port}});
    }
    return {{"name", "node0"},
            {"kind", "functional"},
            {"cores", harts},
            {"parts", parts},
            {"bridges",
             {{"nic", nics == 1 ? told[0] : told},
              {"memory", {{"base", kDramBase}, {"size_bytes", kMemoryBytes}}}}}};
  }
  static SimulationContext context() {
    SimulationContext context;
    context.results_directory = std::filesystem::temp_directory_path();
    return context;
  }

  Settings settings_;
  devices::BladeEnd end_;
  HartGroup harts_;
  DeviceMemory memory_;
  Bus bus_;
};

class Random {
 public:
  explicit Random(uint64_t seed) : engine_(seed) {}
  uint64_t operator()() { return engine_(); }
  uint64_t below(uint64_t limit) { return engine_() % limit; }

 private:
  std::mt19937_64 engine_;
};

// Legal values of each register: what a hart keeps of random ones, by writing them through it.
inline ArchitecturalState random_hart(Random &random, uint32_t index) {
  ArchitecturalState state;
  for (uint32_t i = 1; i < 32; ++i) state.x[i] = random();
  for (auto &value : state.f) value = random();
  state.fcsr = static_cast<uint32_t>(random.below(5) << 5 | random.below(32));
  constexpr uint8_t kPrivileges[] = {0, 1, 3};
  state.privilege = kPrivileges[random.below(3)];
  state.pc = kDramBase + 0x10'0000 + 0x1000 * index;
  if (state.privilege == 3) state.x[1 + random.below(31)] = state.pc - 1000 + random.below(1900);
  state.mstatus = random() & 0x7e'79aa & ~kMprv & ~kMie;
  if ((state.mstatus & 3 << 13) != 0) state.mstatus |= 3 << 13;
  if ((state.mstatus & kMpp) == 2 << 11) state.mstatus &= ~kMpp;
  state.mstatus &= ~uint64_t{2};  // SIE: interrupts are not what is tested
  state.medeleg = random() & 0xb15d;
  state.mideleg = random() & 0x222;
  state.mie = 0;
  state.mip = random() & 0x222;
  state.mtvec = random() & 0xffff'ff00;
  state.mscratch = random();
  state.mepc = random() & 0x7f'ffff'fffe;
  state.mcause = random.below(16);
  state.mtval = random() & 0x7f'ffff'ffff;
  state.mcounteren = random.below(8);
  state.stvec = random() & 0x3f'ffff'ff00;
  state.sscratch = random();
  state.sepc = random() & 0x7f'ffff'fffe;
  state.scause = random.below(32);
  state.stval = random() & 0x7f'ffff'ffff;
  state.scounteren = random.below(8);
  state.tdata2 = random() & 0x3f'ffff'ffff;
  // All of memory is open to all modes; the others are off, whatever their addresses.
  for (auto &value : state.pmpaddr) value = random() & 0x3fff'ffff;
  state.pmpaddr[0] = 0x3fff'ffff;
  state.pmpcfg[0] = 0x1f;
  state.satp = state.privilege == 3 ? uint64_t{8} << 60 | random.below(1 << 20) : 0;
  return state;
}

// The same for harts that have not all features.
inline ArchitecturalState random_hart(Random &random, uint32_t index, HartFeatures features) {
  ArchitecturalState state = random_hart(random, index);
  if (!features.floats) state.f = {}, state.fcsr = 0;
  if (features.supervisor) return state;
  state.privilege = 3;
  state.x[1 + random.below(31)] = state.pc - 1000 + random.below(1900);
  state.mstatus = kMpp | (random() & (features.floats ? kMpie | 3 << 13 : kMpie));
  state.mepc = random() & 0x1'ffff'fffe;
  state.mtval = random() & 0x1'ffff'ffff;
  state.tdata2 = random() & 0xffff'ffff;
  state.medeleg = state.mideleg = state.mip = state.mcounteren = state.scounteren = 0;
  state.stvec = state.sscratch = state.sepc = state.scause = state.stval = state.satp = 0;
  return state;
}

}  // namespace firesim::functional
