// SPDX-License-Identifier: BSD-3-Clause
// Two functional blades on a link, advanced in random steps.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

#include "core/state.h"
#include "core/token_hash.h"
#include "functional/blade/functional_blade.h"
#include "functional/devices/flit_timeline.h"

namespace firesim::functional {

struct RigParameters {
  uint32_t cores = 1;
  uint32_t cycles_per_instruction = 1;
  uint32_t quantum_cycles = 256;
  uint32_t latency_cycles = 700;
  nlohmann::json announce = nullptr;  // of node 1
  nlohmann::json trace = nullptr;     // of both nodes; its files go into a folder of their names
};

// What must not depend on how time was cut.
struct Outcome {
  uint64_t hash = 0;
  std::vector<uint8_t> state;
  std::string console;
  bool operator==(const Outcome &) const = default;
};

class BladeRig {
 public:
  BladeRig(const std::string &name, const RigParameters &parameters) : parameters_(parameters) {
    context_.description_directory = "/";
    context_.results_directory =
        std::filesystem::temp_directory_path() / (name + "-" + std::to_string(::getpid()));
    std::filesystem::create_directories(context_.results_directory);
    for (int i = 0; i < 2; ++i) blades_[i] = make(i);
  }
  ~BladeRig() { std::filesystem::remove_all(context_.results_directory); }

  uint64_t cycle() const { return cycle_; }
  Model &blade(int index) { return *blades_[index]; }

  // Runs up to `end_cycle` in steps of at most `most_cycles` and at most the latency.
  void run(uint64_t end_cycle, std::mt19937_64 &random, uint32_t most_cycles) {
    const uint64_t most = std::min(most_cycles, parameters_.latency_cycles);
    while (cycle_ < end_cycle) {
      const auto cycles = static_cast<uint32_t>(std::min(end_cycle - cycle_, 1 + random() % most));
      Batch inputs[2], outputs[2];
      for (int i = 0; i < 2; ++i) {
        inputs[i].reset(cycle_, cycles);
        links_[i].move_to(inputs[i], UINT64_MAX);
        outputs[i].reset(cycle_, cycles);
        blades_[i]->advance(cycle_, cycles, {&inputs[i], 1}, {&outputs[i], 1});
      }
      for (int i = 0; i < 2; ++i) {
        hash_ += hash_batch(outputs[i]) * (i == 0 ? 1 : 3);
        outputs[i].set_start_cycle(cycle_ + parameters_.latency_cycles);
        links_[1 - i].push(outputs[i]);
      }
      cycle_ += cycles;
    }
  }

  // Saves both blades and goes on with others that have loaded them.
  void replace() {
    for (int i = 0; i < 2; ++i) {
      StateWriter writer;
      blades_[i]->save(writer);
      std::unique_ptr<Model> loaded = make(i);
      StateReader reader("test", writer);
      loaded->load(reader, cycle_);
      reader.finish();
      std::swap(blades_[i], loaded);
    }
  }

  Outcome outcome() {
    Outcome result{hash_, {}, ""};
    for (const auto &blade : blades_) {
      StateWriter writer;
      blade->save(writer);
      result.state.insert(result.state.end(), writer.data().begin(), writer.data().end());
      for (const StateWriter::Region &region : writer.regions()) {
        result.state.insert(result.state.end(), region.data, region.data + region.bytes);
      }
      result.console += console(blade->name());
    }
    return result;
  }

  std::string console(const std::string &node) const { return file(node + ".log"); }

  std::string file(const std::string &name) const {
    std::ifstream stream(context_.results_directory / name);
    std::stringstream text;
    text << stream.rdbuf();
    return text.str();
  }

 private:
  std::unique_ptr<Model> make(int index) {
    const std::string name = "node" + std::to_string(index);
    nlohmann::json nic = {{"mac", index == 0 ? "00:12:6D:00:00:02" : "00:12:6D:00:00:03"}};
    if (index == 1) nic["announce"] = parameters_.announce;
    nlohmann::json trace = parameters_.trace;
    if (!trace.is_null()) trace["directory"] = name;
    return make_functional_blade(
        {{"name", name},
         {"kind", "functional"},
         {"cores", parameters_.cores},
         {"cycles_per_instruction", parameters_.cycles_per_instruction},
         {"quantum_cycles", parameters_.quantum_cycles},
         {"bridges",
          {{"uart", {{"log", name + ".log"}}},
           {"tracerv", trace},
           {"block_device", {{"size_sectors", 64}, {"latency_cycles", 2000}}},
           {"nic", nic},
           {"memory",
            {{"base", 0x80000000},
             {"size_bytes", 1 << 20},
             {"load", {{{"file", STRESS_PROGRAM}, {"format", "elf"}}}}}}}}},
        context_);
  }

  RigParameters parameters_;
  SimulationContext context_;
  std::unique_ptr<Model> blades_[2];
  FlitTimeline links_[2];  // into each blade
  uint64_t cycle_ = 0;
  uint64_t hash_ = 0;
};

}  // namespace firesim::functional
