// SPDX-License-Identifier: BSD-3-Clause
//
// compare FIRST.so SECOND.so SEED CYCLES: drives two models of one design with the same random
// inputs; ports are matched by name, and only those of the first count. Prints `output NAME CHANGES
// CYCLE` for each output: how often it changed in the first model, and the first cycle in which the
// second one differs (- for none); then `cpu_s FIRST SECOND`, the processor time of each model,
// with the copying of its inputs and outputs.

#include <dlfcn.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <random>
#include <string>
#include <vector>

#include "firesim_engine.h"

namespace {

constexpr uint64_t kResetCycles = 16;
constexpr uint64_t kBlockCycles = 1000;

size_t bytes_of(uint32_t width_bits) {
  for (size_t bytes : {1, 2, 4, 8}) {
    if (width_bits <= 8 * bytes) return bytes;
  }
  return (width_bits + 31) / 32 * 4;
}

// A part of the ports of a model, and the bytes all of them have together.
struct Ports {
  std::vector<FiresimPort> ports;
  size_t bytes = 0;

  void add(const FiresimPort &port) {
    ports.push_back(port);
    bytes += bytes_of(port.width_bits);
  }
};

struct Model {
  const FiresimEngine *engine;
  void *instance;
  Ports inputs, outputs;
  std::vector<uint8_t> seen;
  double cpu_s = 0;

  // Runs a block of cycles on these inputs; `seen` has the outputs of all its cycles afterwards.
  void run(const std::vector<uint8_t> &values, uint64_t cycles) {
    seen.resize(cycles * outputs.bytes);
    const uint8_t *from = values.data();
    uint8_t *to = seen.data();
    const std::clock_t start = std::clock();
    for (uint64_t cycle = 0; cycle < cycles; ++cycle) {
      for (const FiresimPort &port : inputs.ports) {
        std::memcpy(port.storage, from, bytes_of(port.width_bits));
        from += bytes_of(port.width_bits);
      }
      engine->settle(instance);
      for (const FiresimPort &port : outputs.ports) {
        std::memcpy(to, port.storage, bytes_of(port.width_bits));
        to += bytes_of(port.width_bits);
      }
      engine->tick(instance);
    }
    cpu_s += static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  }
};

Model load(const char *path) {
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  void *symbol = library == nullptr ? nullptr : dlsym(library, "firesim_engine");
  if (symbol == nullptr) {
    std::fprintf(stderr, "compare: %s\n", dlerror());
    std::exit(2);
  }
  Model model{reinterpret_cast<const FiresimEngine *(*)()>(symbol)(), nullptr, {}, {}, {}};
  model.instance = model.engine->create();
  for (uint32_t index = 0; index < model.engine->port_count; ++index) {
    const FiresimPort port = model.engine->port(model.instance, index);
    (port.is_input != 0 ? model.inputs : model.outputs).add(port);
  }
  return model;
}

// Puts the ports of a model into the order of another's, by name.
void arrange(Ports &ports, const Ports &like) {
  Ports found;
  for (const FiresimPort &wanted : like.ports) {
    const auto same = [&](const FiresimPort &one) { return !std::strcmp(one.name, wanted.name); };
    const auto port = std::find_if(ports.ports.begin(), ports.ports.end(), same);
    if (port == ports.ports.end()) {
      std::fprintf(stderr, "compare: the second model has no port %s\n", wanted.name);
      std::exit(2);
    }
    found.add(*port);
  }
  ports = found;
}

// Small numbers, all ones and unchanged inputs are as likely as random ones.
// A port called reset is 1 at first, and then so seldom that state can build up.
void draw(std::mt19937_64 &random, const FiresimPort &port, uint64_t cycle, uint8_t *bytes) {
  if (std::strcmp(port.name, "reset") == 0) {
    *bytes = cycle < kResetCycles || random() % 1000 == 0;
    return;
  }
  const uint64_t kind = random() % 4;
  if (kind == 0) return;
  const size_t whole = (port.width_bits + 7) / 8;
  for (size_t at = 0; at < whole; ++at) {
    const uint8_t filler = kind == 1 ? 0 : 0xff;
    bytes[at] = kind == 3 || at == 0 ? static_cast<uint8_t>(random()) : filler;
  }
  if (port.width_bits % 8 != 0) bytes[whole - 1] &= (1u << port.width_bits % 8) - 1;
}

// Appends the inputs of one cycle to `values`; `present` are those of the cycle before.
void append(std::mt19937_64 &random, const Ports &inputs, uint64_t cycle,
            std::vector<uint8_t> &present, std::vector<uint8_t> &values) {
  // Inputs stand still for half of the time, so that a model may come to rest and is woken.
  const bool still = cycle / 40 % 2 == 1;
  uint8_t *bytes = present.data();
  for (const FiresimPort &port : inputs.ports) {
    if (!still) draw(random, port, cycle, bytes);
    bytes += bytes_of(port.width_bits);
  }
  values.insert(values.end(), present.begin(), present.end());
}

// What is known of one output.
struct Output {
  std::string name;
  size_t at, bytes;
  uint64_t changes = 0;
  bool differed = false;
  uint64_t difference_cycle = 0;

  // Looks at a block that begins at `cycle`; `last` is what the outputs were before it.
  void look(const Model &first, const Model &second, const std::vector<uint8_t> &last,
            uint64_t cycle) {
    const uint8_t *before = last.data() + at;
    for (size_t low = at; low < first.seen.size(); low += first.outputs.bytes, ++cycle) {
      const uint8_t *now = first.seen.data() + low;
      changes += std::memcmp(now, before, bytes) != 0;
      before = now;
      if (differed || std::memcmp(now, second.seen.data() + low, bytes) == 0) continue;
      differed = true;
      difference_cycle = cycle;
    }
  }
};

std::vector<Output> outputs_of(const Model &model) {
  std::vector<Output> found;
  size_t at = 0;
  for (const FiresimPort &port : model.outputs.ports) {
    found.push_back({port.name, at, bytes_of(port.width_bits)});
    at += bytes_of(port.width_bits);
  }
  return found;
}

}  // namespace

int main(int argc, char **argv) {
  if (argc != 5) return 2;
  Model first = load(argv[1]);
  Model second = load(argv[2]);
  arrange(second.inputs, first.inputs);
  arrange(second.outputs, first.outputs);
  std::mt19937_64 random(std::strtoull(argv[3], nullptr, 10));
  const uint64_t cycles = std::strtoull(argv[4], nullptr, 10);
  std::vector<Output> outputs = outputs_of(first);
  std::vector<uint8_t> present(first.inputs.bytes), values, last(first.outputs.bytes);
  for (uint64_t done = 0; done < cycles; done += kBlockCycles) {
    const uint64_t end = std::min(cycles, done + kBlockCycles);
    values.clear();
    for (uint64_t cycle = done; cycle < end; ++cycle) {
      append(random, first.inputs, cycle, present, values);
    }
    first.run(values, end - done);
    second.run(values, end - done);
    for (Output &output : outputs) output.look(first, second, last, done);
    last.assign(first.seen.end() - static_cast<std::ptrdiff_t>(last.size()), first.seen.end());
  }
  for (const Output &output : outputs) {
    const std::string cycle = output.differed ? std::to_string(output.difference_cycle) : "-";
    std::printf("output %s %llu %s\n", output.name.c_str(),
                static_cast<unsigned long long>(output.changes), cycle.c_str());
  }
  std::printf("cpu_s %.6f %.6f\n", first.cpu_s, second.cpu_s);
  return 0;
}
