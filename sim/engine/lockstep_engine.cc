// SPDX-License-Identifier: BSD-3-Clause
//
// Two models of one design in lockstep, behind the engine interface: the inputs of the first go to
// the second, and every output must be equal in every cycle. So firesim-sim runs any program with
// its real devices on both at once. The libraries are named by FIRESIM_LOCKSTEP_FIRST and
// FIRESIM_LOCKSTEP_SECOND (strings, given when this is compiled). When FIRESIM_LOCKSTEP_LOG is set
// in the environment, each instance appends a line when it is destroyed: cycles, and a hash of all
// outputs of all cycles.

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

#include "firesim_engine.h"

namespace {

struct Pair {
  FiresimPort first;
  FiresimPort second;
  size_t bytes;
};

struct Instance {
  void *first = nullptr;
  void *second = nullptr;
  std::vector<Pair> inputs;
  std::vector<Pair> outputs;
  uint64_t cycle = 0;
  uint64_t hash = 0xcbf29ce484222325;
};

[[noreturn]] void fail(const char *what, const char *detail) {
  std::fprintf(stderr, "lockstep: %s: %s\n", what, detail);
  std::abort();
}

const FiresimEngine *load(const char *path) {
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) fail("cannot load a model", dlerror());
  using Get = const FiresimEngine *();
  auto *get = reinterpret_cast<Get *>(dlsym(library, "firesim_engine"));
  if (get == nullptr) fail("not a model", path);
  return get();
}

struct Engines {
  const FiresimEngine *first = load(FIRESIM_LOCKSTEP_FIRST);
  const FiresimEngine *second = load(FIRESIM_LOCKSTEP_SECOND);
};

const Engines &engines() {
  static const Engines both;
  return both;
}

size_t storage_bytes(uint32_t width_bits) {
  for (size_t bytes : {1, 2, 4, 8}) {
    if (width_bits <= 8 * bytes) return bytes;
  }
  return (width_bits + 31) / 32 * 4;
}

void pair_ports(Instance &instance) {
  const Engines &both = engines();
  if (both.first->port_count != both.second->port_count) fail("models differ", "number of ports");
  for (uint32_t index = 0; index < both.first->port_count; ++index) {
    Pair pair{both.first->port(instance.first, index), both.second->port(instance.second, index),
              0};
    const bool same = std::strcmp(pair.first.name, pair.second.name) == 0 &&
                      pair.first.width_bits == pair.second.width_bits &&
                      pair.first.is_input == pair.second.is_input;
    if (!same) fail("models differ in port", pair.first.name);
    pair.bytes = storage_bytes(pair.first.width_bits);
    (pair.first.is_input != 0 ? instance.inputs : instance.outputs).push_back(pair);
  }
}

void *create() {
  auto instance = std::make_unique<Instance>();
  instance->first = engines().first->create();
  instance->second = engines().second->create();
  if (instance->first == nullptr || instance->second == nullptr) return nullptr;
  pair_ports(*instance);
  return instance.release();
}

void destroy(void *opaque) {
  std::unique_ptr<Instance> instance(static_cast<Instance *>(opaque));
  if (!instance) return;
  engines().first->destroy(instance->first);
  engines().second->destroy(instance->second);
  const char *path = std::getenv("FIRESIM_LOCKSTEP_LOG");
  if (path == nullptr) return;
  std::FILE *log = std::fopen(path, "a");
  if (log == nullptr) fail("cannot write", path);
  std::fprintf(log, "%llu %016llx\n", static_cast<unsigned long long>(instance->cycle),
               static_cast<unsigned long long>(instance->hash));
  std::fclose(log);
}

FiresimPort port(void *opaque, uint32_t index) {
  return engines().first->port(static_cast<Instance *>(opaque)->first, index);
}

void compare(Instance &instance) {
  for (const Pair &pair : instance.outputs) {
    if (std::memcmp(pair.first.storage, pair.second.storage, pair.bytes) != 0) {
      const auto cycle = static_cast<unsigned long long>(instance.cycle);
      std::fprintf(stderr, "lockstep: cycle %llu: the models differ in output %s\n", cycle,
                   pair.first.name);
      std::abort();
    }
    const auto *bytes = static_cast<const uint8_t *>(pair.first.storage);
    for (size_t at = 0; at < pair.bytes; ++at) {
      instance.hash = (instance.hash ^ bytes[at]) * 0x100000001b3;
    }
  }
}

void settle(void *opaque) {
  auto &instance = *static_cast<Instance *>(opaque);
  for (const Pair &pair : instance.inputs) {
    std::memcpy(pair.second.storage, pair.first.storage, pair.bytes);
  }
  engines().first->settle(instance.first);
  engines().second->settle(instance.second);
  compare(instance);
}

void tick(void *opaque) {
  auto &instance = *static_cast<Instance *>(opaque);
  engines().first->tick(instance.first);
  engines().second->tick(instance.second);
  ++instance.cycle;
}

}  // namespace

extern "C" __attribute__((visibility("default"))) const FiresimEngine *firesim_engine() {
  static const FiresimEngine engine = {FIRESIM_ENGINE_ABI_VERSION,
                                       engines().first->port_count,
                                       engines().first->design_hash,
                                       "lockstep",
                                       create,
                                       destroy,
                                       port,
                                       settle,
                                       tick,
                                       nullptr,
                                       nullptr,
                                       0,
                                       nullptr,
                                       nullptr};
  return &engine;
}
