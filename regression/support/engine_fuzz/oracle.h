// SPDX-License-Identifier: BSD-3-Clause
//
// The engine interface over a model made by Yosys' write_cxxrtl. Included after that model and a
// function `ports(Model &, Visitor)` that names every port.

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "firesim_engine.h"

namespace {

struct Port {
  FiresimPort entry;
  std::vector<uint32_t> storage;
};

struct Instance {
  Model model;
  std::vector<Port> ports;
};

struct Collect {
  std::vector<Port> &found;
  template <typename Value>
  void operator()(const char *name, uint32_t width_bits, bool is_input, Value &) {
    found.push_back({{name, width_bits, is_input, nullptr}, {}});
    found.back().storage.resize((width_bits + 31) / 32 + 1);
  }
};

// Copies inputs into the model or outputs out of it; chunks of both are 32-bit words.
struct Copy {
  std::vector<Port> &ports;
  bool in;
  size_t index = 0;
  template <typename Value>
  void operator()(const char *, uint32_t, bool is_input, Value &value) {
    Port &port = ports[index++];
    if (is_input != in) return;
    move(value, port.storage.data());
  }
  template <size_t kBits>
  void move(cxxrtl::value<kBits> &value, void *storage) {
    if (in) {
      std::memcpy(&value.data, storage, sizeof value.data);
    } else {
      std::memcpy(storage, &value.data, sizeof value.data);
    }
  }
  // An input is there at once: were it only the next value, the first evaluation would see the old.
  template <size_t kBits>
  void move(cxxrtl::wire<kBits> &value, void *storage) {
    move(value.curr, storage);
    if (in) move(value.next, storage);
  }
};

void *create() {
  auto *instance = new Instance;
  visit_ports(instance->model, Collect{instance->ports});
  for (Port &port : instance->ports) port.entry.storage = port.storage.data();
  return instance;
}

void destroy(void *opaque) { delete static_cast<Instance *>(opaque); }

FiresimPort port(void *opaque, uint32_t index) {
  return static_cast<Instance *>(opaque)->ports[index].entry;
}

void settle(void *opaque) {
  auto &instance = *static_cast<Instance *>(opaque);
  visit_ports(instance.model, Copy{instance.ports, true});
  instance.model.p_clock.set<bool>(false);
  instance.model.step();
  visit_ports(instance.model, Copy{instance.ports, false});
}

void tick(void *opaque) {
  auto &instance = *static_cast<Instance *>(opaque);
  instance.model.p_clock.set<bool>(true);
  instance.model.step();
}

}  // namespace

extern "C" __attribute__((visibility("default"))) const FiresimEngine *firesim_engine() {
  static const FiresimEngine engine = {
      FIRESIM_ENGINE_ABI_VERSION, kPortCount, "", "cxxrtl", create, destroy, port, settle, tick};
  return &engine;
}
