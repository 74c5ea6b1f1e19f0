// SPDX-License-Identifier: BSD-3-Clause
// Peeks and pokes; see signal_access.h.
#include "bridges/signal_access.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "bridges/bit_words.h"
#include "bridges/port.h"
#include "core/check.h"
#include "devices/config.h"

namespace firesim::bridges {

using namespace devices;
namespace {

std::string hex(const Words &words) {
  size_t top = words.size() - 1;
  while (top > 0 && words[top] == 0) --top;
  std::string text = fmt::format("{:#x}", words[top]);
  while (top-- > 0) text += fmt::format("{:016x}", words[top]);
  return text;
}

const nlohmann::json &list_of(Config &config, const char *key) {
  const nlohmann::json &list = config.child(key);
  if (!list.is_null() && !list.is_array()) config.fail(key, "a list");
  return list;
}

}  // namespace

uint32_t SignalAccess::Target::width_bits() const {
  uint32_t end = 0;
  for (const FiresimSignal &word : words) end = std::max(end, word.low_bit + word.width_bits);
  return end;
}

SignalAccess::SignalAccess(const nlohmann::json &json, const std::string &where,
                           const SimulationContext &simulation, ModelInstance &model)
    : model_(model) {
  Config config(json, where);
  name_ = config.required_text("file");
  const nlohmann::json &peeks = list_of(config, "peeks");
  const nlohmann::json &pokes = list_of(config, "pokes");
  config.finish();
  const SignalsByName signals = signals_by_name(model);
  if (signals.empty()) {
    throw ConfigError(
        fmt::format("{}: the engine \"{}\" shows no signals, expected the generated engine", where,
                    model.engine_name()));
  }
  for (size_t i = 0; i < pokes.size(); ++i) {
    add_poke(pokes[i], fmt::format("{}.pokes[{}]", where, i), signals);
  }
  for (size_t i = 0; i < peeks.size(); ++i) {
    add_peek(peeks[i], fmt::format("{}.peeks[{}]", where, i), signals);
  }
  std::stable_sort(events_.begin(), events_.end(), [](const Event &a, const Event &b) {
    return a.cycle != b.cycle ? a.cycle < b.cycle : a.is_poke && !b.is_poke;
  });
  file_ = std::make_unique<BufferedFile>(simulation.output_path(name_));
  file_->put("cycle,signal,row,value\n");
  start_at(0);
}

SignalAccess::Target SignalAccess::find(const std::string &text, const std::string &where,
                                        const SignalsByName &signals) {
  auto found = signals.find(text);
  std::string name = text;
  uint32_t row = UINT32_MAX;
  if (found == signals.end()) {
    std::tie(name, row) = split_row(text, where);
    found = signals.find(name);
  }
  if (found == signals.end()) {
    std::vector<std::string> known;
    for (const auto &[each, words] : signals) known.push_back(each);
    throw ConfigError(fmt::format("{}: the model has no signal '{}', nearest is '{}'", where, name,
                                  nearest_name(name, known)));
  }
  const uint32_t rows = found->second[0].rows;
  if (row == UINT32_MAX) return {name, found->second, 0, rows};
  if (row >= rows) {
    throw ConfigError(
        fmt::format("{}: found row {} of '{}', expected one below {}", where, row, name, rows));
  }
  return {name, found->second, row, row + 1};
}

void SignalAccess::add_poke(const nlohmann::json &json, const std::string &where,
                            const SignalsByName &signals) {
  Config config(json, where);
  Event event{config.required_integer("cycle", 0, kNever - 1), true, {}, {}};
  const Target target = find(config.required_text("signal"), where + ".signal", signals);
  event.value = parse_hex(config.required_text("value"));
  if (event.value.empty()) config.fail("value", "hexadecimal text such as \"0x1f\"");
  config.finish();
  if (target.is_wire()) {
    config.fail("signal", "a register or a memory: a wire cannot be set");
  }
  if (target.end_row - target.first_row != 1) {
    config.fail("signal", fmt::format("a row of the memory, such as {}[0]", target.name));
  }
  if (bits_of(event.value) > target.width_bits()) {
    config.fail("value",
                fmt::format("at most {} bits, as '{}' has", target.width_bits(), target.name));
  }
  for (const FiresimSignal &word : target.words) {
    const uint64_t fixed = value_of(word, 0);
    if (word.kind != FIRESIM_CONSTANT ||
        bits_at(event.value, word.low_bit, word.width_bits) == fixed) {
      continue;
    }
    config.fail("value",
                fmt::format("{:#x} in bits {}:{}, which never change in '{}'", fixed,
                            word.low_bit + word.width_bits - 1, word.low_bit, target.name));
  }
  event.targets.push_back(target);
  events_.push_back(std::move(event));
}

void SignalAccess::add_peek(const nlohmann::json &json, const std::string &where,
                            const SignalsByName &signals) {
  Config config(json, where);
  Event event{config.required_integer("cycle", 0, kNever - 1), false, {}, {}};
  for (const std::string &text : config.text_list("signals")) {
    event.targets.push_back(find(text, where + ".signals", signals));
  }
  config.finish();
  events_.push_back(std::move(event));
}

size_t SignalAccess::end_of_cycle() const {
  size_t end = next_;
  while (end < events_.size() && events_[end].cycle == next_cycle_) ++end;
  return end;
}

void SignalAccess::go_to(size_t event) {
  next_ = event;
  next_cycle_ = next_ < events_.size() ? events_[next_].cycle : kNever;
}

bool SignalAccess::before_settle() {
  bool written = false;
  const size_t end = end_of_cycle();
  for (size_t i = next_; i < end; ++i) {
    if (events_[i].is_poke) {
      poke(events_[i]);
      written = true;
    } else {
      peek(events_[i], false);
    }
  }
  if (written) model_.written();
  return written;
}

void SignalAccess::after_settle() {
  const size_t end = end_of_cycle();
  for (size_t i = next_; i < end; ++i) {
    if (!events_[i].is_poke) peek(events_[i], true);
  }
  go_to(end);
}

void SignalAccess::start_at(uint64_t cycle) {
  size_t event = 0;
  while (event < events_.size() && events_[event].cycle < cycle) ++event;
  go_to(event);
}

void SignalAccess::poke(const Event &event) {
  const Target &target = event.targets[0];
  for (const FiresimSignal &word : target.words) {
    if (word.kind == FIRESIM_CONSTANT) continue;
    const uint64_t value = bits_at(event.value, word.low_bit, word.width_bits);
    std::memcpy(place_of(word, target.first_row), &value, port_bytes(word.width_bits));
  }
  ++poked_;
}

void SignalAccess::peek(const Event &event, bool wires) {
  for (const Target &target : event.targets) {
    if (target.is_wire() != wires) continue;
    const bool is_memory = target.words[0].kind == FIRESIM_MEMORY;
    for (uint32_t row = target.first_row; row < target.end_row; ++row) {
      const Words value = value_of(target.words, row);
      file_->put(fmt::format("{},{},{},{}\n", event.cycle, target.name,
                             is_memory ? std::to_string(row) : "", hex(value)));
      ++peeked_;
    }
  }
}

void SignalAccess::finish() { file_->flush(); }

nlohmann::json SignalAccess::statistics() const {
  return {{"file", name_}, {"values_read", peeked_}, {"values_set", poked_}};
}

}  // namespace firesim::bridges
