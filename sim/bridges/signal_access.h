// SPDX-License-Identifier: BSD-3-Clause
// Peeks and pokes: what is inside a blade, read or set by name in single cycles.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bridges/model_library.h"
#include "bridges/signal_words.h"
#include "core/buffered_file.h"
#include "core/registry.h"

namespace firesim::bridges {

// Keys: file, peeks (list of {cycle, signals}) and pokes (list of {cycle, signal, value}). A signal
// is a hierarchical name, for a row of a memory followed by [row]; a memory that is peeked without
// a row is peeked in all of them. A value is hexadecimal text, "0x1f".
//
// A poked register has its value from the beginning of the cycle on. A peek is what a cycle sees: a
// register or memory before its clock edge, after the pokes of that cycle; a wire once settled. The
// file has a line for each: cycle, signal, row (empty but for memories), value.
class SignalAccess {
 public:
  // Throws ConfigError when the model has no signal of a name, or a value or row does not fit.
  SignalAccess(const nlohmann::json &config, const std::string &where,
               const SimulationContext &simulation, ModelInstance &model);

  static constexpr uint64_t kNever = UINT64_MAX;
  // The next cycle in which there is something to do.
  uint64_t next_cycle() const { return next_cycle_; }
  // In next_cycle(): the first before settle(), the second after it. The first says whether it
  // changed the state of the model.
  bool before_settle();
  void after_settle();
  // Forgets what was to be done before `cycle`, in which the blade goes on.
  void start_at(uint64_t cycle);
  void finish();
  nlohmann::json statistics() const;

 private:
  struct Target {
    std::string name;
    std::vector<FiresimSignal> words;
    uint32_t first_row;
    uint32_t end_row;

    bool is_wire() const { return words[0].kind == FIRESIM_WIRE; }
    uint32_t width_bits() const;
  };
  struct Event {
    uint64_t cycle;
    bool is_poke;  // those of a cycle come first
    std::vector<Target> targets;
    std::vector<uint64_t> value;  // of a poke, least significant word first
  };

  static Target find(const std::string &text, const std::string &where,
                     const SignalsByName &signals);
  void add_poke(const nlohmann::json &json, const std::string &where, const SignalsByName &signals);
  void add_peek(const nlohmann::json &json, const std::string &where, const SignalsByName &signals);
  void poke(const Event &event);
  void peek(const Event &event, bool wires);
  size_t end_of_cycle() const;
  void go_to(size_t event);

  ModelInstance &model_;
  std::string name_;
  std::vector<Event> events_;  // by cycle
  size_t next_ = 0;            // in events_
  uint64_t next_cycle_ = kNever;
  uint64_t peeked_ = 0;
  uint64_t poked_ = 0;
  std::unique_ptr<BufferedFile> file_;
};

}  // namespace firesim::bridges
