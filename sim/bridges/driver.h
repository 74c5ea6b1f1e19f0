// SPDX-License-Identifier: BSD-3-Clause
// What a bridge driver is, and what it is given.
//
// Every port of a bridge is a channel with one token a target cycle. exchange(t) takes the tokens
// of the outputs in cycle t, and puts those of the inputs in cycle t + 1; what is not put again
// stays. A driver is not called in every cycle: it says until when it has nothing to do, and the
// declaration of its bridge says which outputs wake it (bridge.yaml, `wake`). In between, the
// target runs a batch of cycles by itself, in this process or behind a wire: a driver does not
// know where, and must not look at a port outside exchange(). Nothing may be allocated in it.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/batch.h"
#include "core/registry.h"
#include "core/state.h"
#include "devices/blade_end.h"
#include "devices/config.h"
#include "engine/firesim_engine.h"
#include "hostlib/channel_gate.h"
#include "manifest.h"
#include "port.h"
#include "traces/trace_status.h"
#include "traces/trigger.h"

namespace firesim::devices {
class Console;
struct WarmLink;
struct WarmStart;
}  // namespace firesim::devices
namespace firesim::hostlib {
class BridgePart;
}  // namespace firesim::hostlib

namespace firesim::bridges {

using namespace devices;  // what a driver stands on
using namespace traces;

class LinkDriver;
class TracePort;

// Target cycles during which a blade is held in reset, from cycle 0, unless its settings say more.
constexpr uint64_t kResetCycles = 16;
constexpr uint64_t kMostResetCycles = 1'000'000;

// Facts about the run that drivers report to the blade, and what traces look at.
struct BladeStatus : TraceStatus {
  BladeEnd end;
  bool deterministic = true;   // false as soon as the outside world may reach the target
  Console *console = nullptr;  // of the blade's UART, for all that print; null without one
  // Who is told where the window of the counters opens or closes: from `cycle` on, before the
  // tokens of that cycle are exchanged. Of a target in this process.
  std::vector<std::function<void(uint64_t cycle)>> window_turns;
};

// The ports of one bridge, looked up with direction and width checked.
class BridgePorts {
 public:
  BridgePorts(const BridgeInfo &bridge, const std::map<std::string, FiresimPort> &model_ports)
      : bridge_(&bridge), model_ports_(&model_ports) {}
  // Target to host. Throws ConfigError naming bridge and port when it is not as expected;
  // `width_bits` 0 accepts any width.
  FiresimPort output(const char *name, uint32_t width_bits = 1) const;
  // Host to target, as above.
  FiresimPort input(const char *name, uint32_t width_bits = 1) const;
  // The outputs that wake the driver, as declared.
  std::vector<FiresimPort> wakes() const;

 private:
  FiresimPort find(const char *name, uint32_t width_bits, bool is_input) const;

  const BridgeInfo *bridge_;
  const std::map<std::string, FiresimPort> *model_ports_;
};

// Everything a driver is made from. References outlive the driver.
struct DriverContext {
  const BridgeInfo &bridge;
  BridgePorts ports;
  InputQueue &inputs;
  BladeStatus &status;
  const nlohmann::json &config;  // the section of this bridge; null when not given
  std::string where;             // start of error messages, "node0: bridges.uart"
  std::string node;
  const SimulationContext &simulation;  // paths and clock
  // The bridge's host's side where that is RTL on the target's platform, which takes and gives the
  // tokens instead of the driver; null otherwise.
  hostlib::BridgePart *part = nullptr;
  uint64_t reset_cycles = kResetCycles;  // of this blade
};

// What a driver does while a restore program runs, before the first token (warm start).
enum class RestoreRole {
  kAbsent,     // nothing
  kWatches,    // it is called, in the program's time; its own time is that of the tokens
  kTakesPart,  // it is called, and its time goes on from that of the program
};

class Driver {
 public:
  Driver() = default;
  Driver(const Driver &) = delete;
  Driver &operator=(const Driver &) = delete;
  virtual ~Driver() = default;

  // Takes the tokens of `cycle`, puts those of `cycle` + 1. Called from the end of reset on, once
  // there, and then in each cycle in which an output that wakes is not 0, and in the one asked for.
  // A call in any other cycle must do nothing. Returns the next cycle to be called in, whatever the
  // target does until then; kNever for none. Called for an output that only gives notice, it must
  // not put anything that it would not have put anyway.
  virtual uint64_t exchange(uint64_t cycle) = 0;
  // False when exchange() would never do anything: the driver is then left out.
  virtual bool listens() const { return true; }
  // The cycles whose tokens it can use: exchange() does nothing in any other, and a target
  // elsewhere need not tell of them.
  virtual CycleRange interest() const { return {}; }
  // For a bridge with a gate: within `interest`, exchange() does nothing but in the cycles that
  // this tells of, as of the next one. Nothing when it needs them all.
  virtual std::optional<hostlib::GateSetting> gate() const { return std::nullopt; }
  // Writes out what is buffered. `cycle` is the number of cycles run. Called once, at the end.
  virtual void finish(uint64_t cycle) { static_cast<void>(cycle); }
  // Facts for result.json; null for none.
  virtual nlohmann::json statistics() const { return nullptr; }

  // Where RTL on the target's platform gives its tokens: puts those of the cycle that the target
  // stands before, for somebody who looks.
  virtual void show_inputs() {}
  // Throws std::runtime_error when the target stands still because of what it asked.
  virtual void examine() {}

  // True when `save` and `load` carry all that the driver has to remember. A run with snapshots
  // refuses a blade with a driver that cannot.
  virtual bool can_save() const { return false; }
  // For people, when it cannot; empty for nothing in particular.
  virtual std::string why_not_saved() const { return ""; }
  // The driver's part of the blade's state between two cycles, with the input ports it drives; a
  // section of its own. A driver without state but for the configuration saves nothing.
  virtual void save(StateWriter &state) const { static_cast<void>(state); }
  virtual void load(StateReader &state) { static_cast<void>(state); }
  // Takes its part of what a functional blade has left; the tokens begin in `cycle`.
  virtual void start_warm(WarmStart &start, uint64_t cycle) {
    static_cast<void>(start);
    static_cast<void>(cycle);
  }
  virtual RestoreRole restore_role() const { return RestoreRole::kAbsent; }
  // What the target writes in this cycle to say how it is, 0 for nothing; none for a driver that is
  // not told. By this word a restore program says that it is done.
  virtual std::optional<uint32_t> restore_word() const { return std::nullopt; }

  // True when it ends the blade by what the target does.
  virtual bool ends_blade() const { return false; }
  // Itself, if it is the blade's end of a link.
  virtual LinkDriver *link() { return nullptr; }
  // The commits it sees, of one hart; null for all others.
  virtual const TracePort *trace_port() const { return nullptr; }
};

// A driver that is the blade's end of a link. What arrives in cycle t is on the target's inputs in
// cycle t, and is known a whole batch ahead; exchange(t) takes what the target sends in cycle t.
class LinkDriver : public Driver {
 public:
  LinkDriver *link() final { return this; }
  // Takes what a functional blade has left at the port.
  virtual void start_warm_link(WarmLink &from) { static_cast<void>(from); }
  // The batches of the cycles from `start_cycle` on; they stay valid until the next call.
  virtual void begin(uint64_t start_cycle, const Batch &input, Batch &output) = 0;
  // The inputs stay as they are before this offset.
  uint32_t next_drive() const { return next_drive_; }
  // Puts what arrives in cycle `offset` of these on the target's inputs. Also during reset.
  void drive(uint32_t offset) {
    if (offset >= next_drive_) drive_changed(offset);
  }

 protected:
  virtual void drive_changed(uint32_t offset) = 0;

  uint32_t next_drive_ = UINT32_MAX;  // the inputs stay as they are before this offset
};

}  // namespace firesim::bridges
