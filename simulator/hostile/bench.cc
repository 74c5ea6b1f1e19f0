// SPDX-License-Identifier: BSD-3-Clause
//
// Simulations of hostile input in a folder of their own. See the header.
#include "simulator/hostile/bench.h"

#include <unistd.h>

#include <fstream>
#include <new>
#include <sstream>
#include <stdexcept>

#include "core/simulation.h"
#include "core/traffic.h"
#include "functional/blade/functional_blade.h"
#include "gateway/gateway.h"
#include "switch/stock_switches.h"

namespace firesim::hostile {

namespace {

using nlohmann::json;

constexpr size_t kLongestSentence = 4000;

// All but blades in RTL, whose models a compiler makes.
void register_kinds(ModelRegistry &registry) {
  registry.add(ModelRole::kNode, "traffic", make_traffic_blade);
  registry.add(ModelRole::kNode, "gateway", make_gateway);
  registry.add(ModelRole::kNode, "functional", make_functional_blade);
  register_stock_switches(registry);
}

// A failed check names its line before these words (core/check.h); what a sentence shows of a file
// may hold them, too.
bool is_internal(const std::string &said) {
  if (said.starts_with("internal error")) return true;
  const size_t at = said.find(": internal error: ");
  return at != std::string::npos && at != 0 && said[at - 1] >= '0' && said[at - 1] <= '9';
}

// What was found in the text of a message.
std::string defect_in(const std::string &said) {
  if (said.empty()) return "a refusal without a word";
  if (is_internal(said)) return said;
  if (said.size() > kLongestSentence)
    return "a message of " + std::to_string(said.size()) + " bytes";
  return "";
}

}  // namespace

std::string defect_of(const std::exception &error) {
  if (dynamic_cast<const std::bad_alloc *>(&error) != nullptr) return "memory ran out";
  if (dynamic_cast<const std::logic_error *>(&error) != nullptr ||
      dynamic_cast<const json::exception *>(&error) != nullptr) {
    return std::string("internal error: ") + error.what();
  }
  return defect_in(error.what());
}

Verdict judged(const std::function<void()> &work) {
  Verdict verdict;
  try {
    work();
    verdict.accepted = true;
  } catch (const std::exception &error) {
    verdict.said = error.what();
    verdict.defect = defect_of(error);
  }
  return verdict;
}

Bench::Bench(const std::filesystem::path &base)
    : folder_(std::filesystem::temp_directory_path() /
              ("firesim-hostile-" + std::to_string(getpid()))) {
  description_ = json::parse(read_file(base / "description.json"));
  for (const auto &entry : std::filesystem::directory_iterator(base / "snapshots")) {
    snapshot_ = std::filesystem::absolute(entry.path());
  }
  if (snapshot_.empty()) throw std::runtime_error(base.string() + ": found no snapshot");
  snapshot_cycle_ = json::parse(read_file(snapshot_ / "snapshot.json")).at("cycle");
  std::filesystem::create_directories(folder_);
}

Bench::~Bench() {
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

Verdict Bench::simulate(const std::string &description) const {
  const std::filesystem::path file = folder_ / "case.json";
  write_file(file, description);
  RunResult result;
  Verdict verdict = judged([&] {
    ModelRegistry registry;
    register_kinds(registry);
    Simulation simulation(file, registry);
    result = simulation.run();
  });
  if (verdict.accepted && result.reason == "error") {
    verdict.said = result.message;
    verdict.defect = defect_in(result.message);
  }
  return verdict;
}

std::string read_file(const std::filesystem::path &path) {
  std::ifstream stream(path, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  if (!stream) throw std::runtime_error("cannot read " + path.string());
  return text.str();
}

void write_file(const std::filesystem::path &path, const std::string &content) {
  std::ofstream stream(path, std::ios::binary | std::ios::trunc);
  stream << content;
  if (!stream.flush()) throw std::runtime_error("cannot write " + path.string());
}

}  // namespace firesim::hostile
