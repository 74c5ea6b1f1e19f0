// SPDX-License-Identifier: BSD-3-Clause
//
// The engine interface (firesim_engine.h) over generated code: included at the end of a model's
// main.cc, which has defined State, initialize(), wake(), cycle(), kPorts, kConstants and
// kSignals before.
//
// settle() computes the outputs of a cycle and, as every register is updated as soon as nothing
// reads its old value any more, the state of the next one too. So tick() has nothing left to do.

#pragma once

#include <sys/mman.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <type_traits>

#include "firesim_engine.h"
#ifdef FIRESIM_PROFILE
#include "profile.h"
#endif

namespace {

struct alignas(64) Instance {
  model::State state;
  bool settled;
#ifdef FIRESIM_PROFILE
  model::Profiler profiler;
#endif
};

constexpr uint32_t kPortCount = sizeof(model::kPorts) / sizeof(model::kPorts[0]);
constexpr uint32_t kSignalCount = model::kSignals.size();

void require(bool holds, const char *what) {
  if (holds) return;
  std::fprintf(stderr, "firesim engine: %s\n", what);
  std::abort();
}

// Of zeros, which take no memory before they are written: a design may have gigabytes of it.
void *create() {
  constexpr int kAccess = PROT_READ | PROT_WRITE;
  constexpr int kFlags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
  void *zeros = mmap(nullptr, sizeof(Instance), kAccess, kFlags, -1, 0);
  if (zeros == MAP_FAILED) return nullptr;
  auto *instance = static_cast<Instance *>(zeros);
#ifdef FIRESIM_PROFILE
  new (&instance->profiler) model::Profiler;
#endif
  model::initialize(instance->state);
  return instance;
}

void destroy(void *opaque) {
#ifdef FIRESIM_PROFILE
  static_cast<Instance *>(opaque)->profiler.~Profiler();
#endif
  munmap(opaque, sizeof(Instance));
}

FiresimPort port(void *opaque, uint32_t index) {
  require(index < kPortCount, "port(): index is not below port_count");
  const model::PortEntry &entry = model::kPorts[index];
  auto *bytes = reinterpret_cast<unsigned char *>(&static_cast<Instance *>(opaque)->state);
  return {entry.name, entry.width_bits, entry.is_input, bytes + entry.offset};
}

void settle(void *opaque) {
  auto &instance = *static_cast<Instance *>(opaque);
  require(!instance.settled, "settle() twice in one cycle; tick() belongs between");
#ifdef FIRESIM_PROFILE
  instance.profiler.before(instance.state);
#endif
  model::cycle(instance.state);
#ifdef FIRESIM_PROFILE
  instance.profiler.after(instance.state);
#endif
  instance.settled = true;
}

void tick(void *opaque) {
  auto &instance = *static_cast<Instance *>(opaque);
  require(instance.settled, "tick() without settle() before it");
  instance.settled = false;
}

FiresimSignal signal(void *opaque, uint32_t index) {
  require(index < kSignalCount, "signal(): index is not below signal_count");
  const model::SignalEntry &entry = model::kSignals[index];
  const void *base = &static_cast<Instance *>(opaque)->state;
  if (entry.kind == FIRESIM_CONSTANT) base = model::kConstants.data();
  auto *bytes = static_cast<unsigned char *>(const_cast<void *>(base));
  return {entry.name, entry.low_bit, entry.width_bits,
          entry.rows, entry.kind,    bytes + entry.offset};
}

void written(void *opaque) {
  auto &instance = *static_cast<Instance *>(opaque);
  require(!instance.settled, "written() between settle() and tick()");
  model::wake(instance.state);
}

// A saved state: the hash of the names of all registers and memories, the inputs, then registers
// and memories in that order. All else follows from these, so a state is good for every model of
// the design, however it was cut into zones and whether built for waves or not.
static_assert(std::is_trivially_copyable_v<model::State>);
static_assert(std::is_trivially_default_constructible_v<model::State>);
constexpr uint64_t kStateHash = FIRESIM_STATE_HASH;

bool is_state(const model::SignalEntry &entry) {
  return entry.kind == FIRESIM_REGISTER || entry.kind == FIRESIM_MEMORY;
}

size_t saved_bytes() {
  size_t sum = sizeof kStateHash + sizeof(model::Inputs);
  for (const model::SignalEntry &entry : model::kSignals) {
    if (is_state(entry)) sum += entry.bytes * entry.rows;
  }
  return sum;
}

void save(void *opaque, void (*write)(void *to, const void *data, size_t bytes), void *to) {
  const auto &instance = *static_cast<const Instance *>(opaque);
  require(!instance.settled, "save() between settle() and tick()");
  write(to, &kStateHash, sizeof kStateHash);
  write(to, &instance.state.in, sizeof(model::Inputs));
  const auto *bytes = reinterpret_cast<const unsigned char *>(&instance.state);
  for (const model::SignalEntry &entry : model::kSignals) {
    if (is_state(entry)) write(to, bytes + entry.offset, entry.bytes * entry.rows);
  }
}

int load(void *opaque, const void *data, size_t bytes) {
  auto &instance = *static_cast<Instance *>(opaque);
  if (bytes != saved_bytes() || std::memcmp(data, &kStateHash, sizeof kStateHash) != 0) return -1;
  const auto *from = static_cast<const unsigned char *>(data) + sizeof kStateHash;
  auto *to = reinterpret_cast<unsigned char *>(&instance.state);
  std::memcpy(&instance.state.in, from, sizeof(model::Inputs));
  from += sizeof(model::Inputs);
  for (const model::SignalEntry &entry : model::kSignals) {
    if (!is_state(entry)) continue;
    std::memcpy(to + entry.offset, from, entry.bytes * entry.rows);
    from += entry.bytes * entry.rows;
  }
  model::wake(instance.state);
  instance.settled = false;
  return 0;
}

const FiresimEngine kEngine = {FIRESIM_ENGINE_ABI_VERSION,
                               kPortCount,
                               FIRESIM_DESIGN_HASH,
                               FIRESIM_ENGINE_NAME,
                               create,
                               destroy,
                               port,
                               settle,
                               tick,
                               save,
                               load,
                               kSignalCount,
                               signal,
                               written};

}  // namespace

extern "C" __attribute__((visibility("default"))) const FiresimEngine *firesim_engine() {
  return &kEngine;
}
