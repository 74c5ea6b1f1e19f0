// SPDX-License-Identifier: BSD-3-Clause
//
// compare FIRST.so SECOND.so SEED CYCLES: drives two models of one design with the same random
// inputs and prints `PORT CYCLE` for the first difference of each output that ever differs.

#include <dlfcn.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <vector>

#include "firesim_engine.h"

namespace {

constexpr uint64_t kResetCycles = 16;

struct Model {
  const FiresimEngine *engine;
  void *instance;
  std::vector<FiresimPort> ports;
};

Model load(const char *path) {
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  void *symbol = library == nullptr ? nullptr : dlsym(library, "firesim_engine");
  if (symbol == nullptr) {
    std::fprintf(stderr, "compare: %s\n", dlerror());
    std::exit(2);
  }
  Model model{reinterpret_cast<const FiresimEngine *(*)()>(symbol)(), nullptr, {}};
  model.instance = model.engine->create();
  for (uint32_t index = 0; index < model.engine->port_count; ++index) {
    model.ports.push_back(model.engine->port(model.instance, index));
  }
  return model;
}

size_t bytes_of(uint32_t width_bits) {
  for (size_t bytes : {1, 2, 4, 8}) {
    if (width_bits <= 8 * bytes) return bytes;
  }
  return (width_bits + 31) / 32 * 4;
}

// Small numbers, all ones and unchanged inputs are as likely as random ones.
// A port called reset is 1 at first, and then so seldom that state can build up.
void draw(std::mt19937_64 &random, const FiresimPort &port, uint64_t cycle) {
  if (std::strcmp(port.name, "reset") == 0) {
    *static_cast<uint8_t *>(port.storage) = cycle < kResetCycles || random() % 1000 == 0;
    return;
  }
  const uint64_t kind = random() % 4;
  if (kind == 0) return;
  auto *bytes = static_cast<uint8_t *>(port.storage);
  const size_t whole = (port.width_bits + 7) / 8;
  for (size_t at = 0; at < whole; ++at) {
    const uint8_t filler = kind == 1 ? 0 : 0xff;
    bytes[at] = kind == 3 || at == 0 ? static_cast<uint8_t>(random()) : filler;
  }
  if (port.width_bits % 8 != 0) bytes[whole - 1] &= (1u << port.width_bits % 8) - 1;
}

}  // namespace

int main(int argc, char **argv) {
  if (argc != 5) return 2;
  Model first = load(argv[1]);
  Model second = load(argv[2]);
  std::mt19937_64 random(std::strtoull(argv[3], nullptr, 10));
  const uint64_t cycles = std::strtoull(argv[4], nullptr, 10);
  std::vector<bool> differed(first.ports.size());
  for (uint64_t cycle = 0; cycle < cycles; ++cycle) {
    // Inputs stand still for half of the time, so that a model may come to rest and is woken.
    const bool still = cycle / 40 % 2 == 1;
    for (size_t index = 0; index < first.ports.size(); ++index) {
      const FiresimPort &port = first.ports[index];
      if (port.is_input == 0) continue;
      if (!still) draw(random, port, cycle);
      std::memcpy(second.ports[index].storage, port.storage, bytes_of(port.width_bits));
    }
    first.engine->settle(first.instance);
    second.engine->settle(second.instance);
    for (size_t index = 0; index < first.ports.size(); ++index) {
      const FiresimPort &port = first.ports[index];
      const size_t bytes = bytes_of(port.width_bits);
      if (port.is_input != 0 || differed[index]) continue;
      if (std::memcmp(port.storage, second.ports[index].storage, bytes) == 0) continue;
      differed[index] = true;
      std::printf("%s %llu\n", port.name, static_cast<unsigned long long>(cycle));
    }
    first.engine->tick(first.instance);
    second.engine->tick(second.instance);
  }
  return 0;
}
