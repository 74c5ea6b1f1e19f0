// SPDX-License-Identifier: BSD-3-Clause
//
// The same targets for libFuzzer, which keeps and changes what reaches a branch that nothing
// reached before. The environment says what a command line of libFuzzer's cannot:
//
//   FIRESIM_FUZZ_BASE    results folder of a run, as firesim-hostile's --base
//   FIRESIM_FUZZ_TARGET  one of the targets
//   FIRESIM_FUZZ_SEEDS   folder that gets the target's good inputs, to be given to libFuzzer
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>

#include "simulator/hostile/targets.h"

extern "C" size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);

namespace firesim::hostile {

namespace {

struct Chosen {
  std::unique_ptr<Bench> bench;
  Target target;
};

std::string wanted(const char *name) {
  const char *value = std::getenv(name);
  if (value != nullptr) return value;
  std::fprintf(stderr, "set %s\n", name);
  std::exit(2);
}

Chosen choose() {
  Chosen chosen{std::make_unique<Bench>(wanted("FIRESIM_FUZZ_BASE")), {}};
  const std::string name = wanted("FIRESIM_FUZZ_TARGET");
  for (Target &target : all_targets(*chosen.bench)) {
    if (target.name == name) chosen.target = std::move(target);
  }
  if (chosen.target.good.empty()) {
    std::fprintf(stderr, "there is no target %s\n", name.c_str());
    std::exit(2);
  }
  if (const char *seeds = std::getenv("FIRESIM_FUZZ_SEEDS")) {
    for (size_t i = 0; i < chosen.target.good.size(); ++i) {
      write_file(std::filesystem::path(seeds) / ("good-" + std::to_string(i)),
                 chosen.target.good[i]);
    }
  }
  return chosen;
}

const Target &target() {
  static const Chosen chosen = choose();
  return chosen.target;
}

}  // namespace

}  // namespace firesim::hostile

extern "C" int LLVMFuzzerInitialize(int *, char ***) {
  firesim::hostile::target();
  return 0;
}

// Half as libFuzzer does it, half as it is known to hurt.
extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size,
                                          unsigned seed) {
  firesim::hostile::Random random(seed);
  if (random() % 2 == 0) return LLVMFuzzerMutate(data, size, max_size);
  const std::string before(reinterpret_cast<const char *>(data), size);
  if (before.empty()) return LLVMFuzzerMutate(data, size, max_size);
  const std::string after = firesim::hostile::target().mutate(before, random);
  const size_t bytes = std::min(after.size(), max_size);
  std::copy_n(after.begin(), bytes, data);
  return bytes;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const std::string input(reinterpret_cast<const char *>(data), size);
  const std::string defect = firesim::hostile::target().take(input).defect;
  if (defect.empty()) return 0;
  std::fprintf(stderr, "ERROR: defect: %s\n", defect.c_str());
  std::abort();
}
