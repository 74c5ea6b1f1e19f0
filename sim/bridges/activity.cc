// SPDX-License-Identifier: BSD-3-Clause
// Toggles of wires; see activity.h. SAIF is the Switching Activity Interchange Format, Annex I of
// IEEE 1801-2018.
#include "bridges/activity.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cctype>
#include <fstream>
#include <iterator>
#include <map>
#include <stdexcept>

namespace firesim::bridges {
namespace {

constexpr unsigned __int128 kFemtosecondsPerSecond = 1'000'000'000'000'000;

void write_text(const std::filesystem::path &file, const auto &writer) {
  std::filesystem::create_directories(file.parent_path());
  std::ofstream stream(file);
  writer(stream);
  if (!stream.flush()) throw std::runtime_error(fmt::format("cannot write {}", file.string()));
}

// A name as SAIF has it: what is no letter, digit or underscore is escaped.
std::string escaped(const std::string &name) {
  std::string text;
  for (const char c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '_') text += '\\';
    text += c;
  }
  return text;
}

std::string dotted(const WirePath &path) {
  std::string text;
  for (const std::string &part : path) text.append(text.empty() ? "" : ".").append(part);
  return text;
}

std::string indent(size_t depth) { return std::string(depth, ' '); }

// Opens and closes instances, and the list of nets in each.
class SaifScopes {
 public:
  SaifScopes(std::ostream &stream, const std::string &top) : stream_(stream) { open(top); }

  void enter(const WirePath &path) {
    const size_t scopes = path.size() - 1;
    size_t common = 0;
    while (common < std::min(scopes, open_.size() - 1) && open_[common + 1] == path[common]) {
      ++common;
    }
    if (common == scopes && open_.size() - 1 == scopes && in_nets_) return;
    while (open_.size() - 1 > common) close();
    for (size_t i = common; i < scopes; ++i) open(path[i]);
    if (in_nets_) return;
    stream_ << indent(open_.size()) << "(NET\n";
    in_nets_ = true;
  }
  void finish() {
    while (!open_.empty()) close();
  }
  size_t depth() const { return open_.size() + 1; }

 private:
  void open(const std::string &name) {
    end_nets();
    stream_ << indent(open_.size()) << "(INSTANCE " << escaped(name) << '\n';
    open_.push_back(name);
  }
  void close() {
    end_nets();
    open_.pop_back();
    stream_ << indent(open_.size()) << ")\n";
  }
  void end_nets() {
    if (in_nets_) stream_ << indent(open_.size()) << ")\n";
    in_nets_ = false;
  }

  std::ostream &stream_;
  std::vector<std::string> open_;
  bool in_nets_ = false;
};

}  // namespace

Activity::Activity(const nlohmann::json &json, const std::string &where, const std::string &node,
                   const SimulationContext &simulation, const ModelInstance &model,
                   BladeStatus &status)
    : node_(node), clock_hz_(simulation.clock_hz), status_(&status) {
  Config config(json, where);
  name_ = config.required_text("file");
  file_ = simulation.output_path(name_);
  modules_file_ = simulation.output_path(config.required_text("modules"));
  within_counters_ = config.boolean("within_counters", false);
  if (!within_counters_) {
    start_cycle_ = config.integer("start_cycle", 0, 0, UINT64_MAX);
    end_cycle_ = config.required_integer("end_cycle", start_cycle_ + 1, UINT64_MAX);
  }
  const std::vector<std::string> scopes = config.text_list("scopes");
  config.finish();
  shown_ = shown_wires(model, scopes, where);
  size_t bits = 0;
  for (const ShownWire &wire : shown_.wires) {
    first_bits_.push_back(bits);
    for (uint32_t i = 0; i < wire.words.size(); ++i) {
      const uint32_t unused = 64 - std::min(64U, wire.width_bits - 64 * i);
      words_.push_back({wire.words[i], bits + size_t{64} * i, UINT64_MAX >> unused, 0});
    }
    bits += wire.width_bits;
  }
  first_bits_.push_back(bits);
  bits_.resize(bits);
}

void Activity::begin(uint64_t cycle) {
  counts_ = true;
  begun_ = cycle;
  for (Word &word : words_) word.value = word.read();
  for (Bit &bit : bits_) bit.since = cycle;
}

void Activity::sample(uint64_t cycle) {
  if (!counts_) return begin(cycle);
  for (Word &word : words_) {
    const uint64_t now = word.read();
    const uint64_t changed = now ^ word.value;
    if (changed == 0) continue;
    status_->toggles += static_cast<uint64_t>(std::popcount(changed));
    for (uint64_t left = changed; left != 0; left &= left - 1) {
      const auto at = static_cast<size_t>(std::countr_zero(left));
      Bit &bit = bits_[word.first_bit + at];
      ++bit.toggles;
      if ((word.value >> at & 1) != 0) bit.high_cycles += cycle - bit.since;
      bit.since = cycle;
    }
    word.value = now;
  }
  if (!is_open(cycle)) stop(cycle);
}

// `cycle` is the first that does not count; its toggles do.
void Activity::stop(uint64_t cycle) {
  counts_ = false;
  cycles_ += cycle - begun_;
  for (const Word &word : words_) {
    for (uint64_t left = word.value; left != 0; left &= left - 1) {
      Bit &bit = bits_[word.first_bit + static_cast<size_t>(std::countr_zero(left))];
      bit.high_cycles += cycle - bit.since;
    }
  }
}

void Activity::finish(uint64_t cycle) {
  if (counts_) sample(cycle);
  if (counts_) stop(cycle);
  write_saif();
  write_modules();
}

uint64_t Activity::toggles_of(size_t wire) const {
  uint64_t sum = 0;
  for (size_t at = first_bits_[wire]; at < first_bits_[wire + 1]; ++at) sum += bits_[at].toggles;
  return sum;
}

void Activity::write_saif() const {
  const auto time = [this](uint64_t cycles) {
    return static_cast<uint64_t>(cycles * kFemtosecondsPerSecond / clock_hz_);
  };
  write_text(file_, [&](std::ostream &stream) {
    stream << "(SAIFILE\n(SAIFVERSION \"2.0\")\n(DIRECTION \"backward\")\n"
              "(PROGRAM_NAME \"FireSim\")\n(DIVIDER / )\n(TIMESCALE 1 fs)\n";
    stream << fmt::format("(DURATION {})\n", time(cycles_));
    SaifScopes scopes(stream, node_);
    for (const auto &[path, wire] : shown_.names) {
      scopes.enter(path);
      const uint32_t width = shown_.wires[wire].width_bits;
      for (uint32_t i = 0; i < width; ++i) {
        const Bit &bit = bits_[first_bits_[wire] + i];
        const std::string index = width == 1 ? "" : fmt::format("\\[{}\\]", i);
        stream << indent(scopes.depth())
               << fmt::format("({}{} (T0 {}) (T1 {}) (TZ 0) (TX 0) (TB 0) (TC {}))\n",
                              escaped(path.back()), index, time(cycles_ - bit.high_cycles),
                              time(bit.high_cycles), bit.toggles);
      }
    }
    scopes.finish();
    stream << ")\n";
  });
}

// A wire with several names counts in the module of its first one.
void Activity::write_modules() const {
  struct Sums {
    uint64_t signals = 0, bits = 0, toggles = 0, below = 0;
  };
  std::map<WirePath, Sums> modules;
  std::vector<bool> seen(shown_.wires.size());
  for (const auto &[path, wire] : shown_.names) {
    if (seen[wire]) continue;
    seen[wire] = true;
    WirePath module{node_};
    module.insert(module.end(), path.begin(), std::prev(path.end()));
    const uint64_t toggles = toggles_of(wire);
    Sums &own = modules[module];
    ++own.signals;
    own.bits += shown_.wires[wire].width_bits;
    own.toggles += toggles;
    for (; !module.empty(); module.pop_back()) modules[module].below += toggles;
  }
  write_text(modules_file_, [&](std::ostream &stream) {
    stream << "module,signals,bits,toggles,toggles_with_below,cycles\n";
    for (const auto &[module, sums] : modules) {
      stream << fmt::format("{},{},{},{},{},{}\n", dotted(module), sums.signals, sums.bits,
                            sums.toggles, sums.below, cycles_);
    }
  });
}

nlohmann::json Activity::statistics() const {
  return {{"file", name_},
          {"cycles", cycles_},
          {"signals", shown_.wires.size()},
          {"toggles", status_->toggles}};
}

}  // namespace firesim::bridges
