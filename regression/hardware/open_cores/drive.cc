// SPDX-License-Identifier: BSD-3-Clause
//
// drive MODEL.so: reads `inputs NAME...`, `outputs NAME...` and `cycles N`, then the inputs of each
// cycle in hex, from standard input. Prints the outputs of each cycle in hex, and at the end
// `cpu_s` and the processor time of the model with the copying of its inputs.

#include <dlfcn.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include "firesim_engine.h"

namespace {

[[noreturn]] void fail(const std::string &what) {
  std::cerr << "drive: " << what << "\n";
  std::exit(2);
}

size_t bytes_of(uint32_t width_bits) {
  for (size_t bytes : {1, 2, 4, 8}) {
    if (width_bits <= 8 * bytes) return bytes;
  }
  return (width_bits + 31) / 32 * 4;
}

const FiresimEngine *load(const char *path) {
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) fail(dlerror());
  using Get = const FiresimEngine *();
  auto *get = reinterpret_cast<Get *>(dlsym(library, "firesim_engine"));
  if (get == nullptr) fail("not a model");
  return get();
}

std::vector<FiresimPort> ports(const FiresimEngine &engine, void *instance, const char *wanted) {
  std::string line, word;
  if (!std::getline(std::cin, line)) fail("no line of names");
  std::istringstream words(line);
  words >> word;
  if (word != wanted) fail("expected a line of " + std::string(wanted));
  std::vector<FiresimPort> found;
  while (words >> word) {
    const size_t before = found.size();
    for (uint32_t index = 0; index < engine.port_count; ++index) {
      const FiresimPort port = engine.port(instance, index);
      if (word == port.name) found.push_back(port);
    }
    if (found.size() == before) fail("the model has no port " + word);
  }
  return found;
}

unsigned digit(char c) { return static_cast<unsigned>(c <= '9' ? c - '0' : c - 'a' + 10); }

// Puts a number in hex into the bytes of a port, lowest first.
void parse(const std::string &text, const FiresimPort &port, std::vector<uint8_t> &values) {
  const size_t start = values.size();
  values.resize(start + bytes_of(port.width_bits));
  size_t nibble = 0;
  for (auto at = text.rbegin(); at != text.rend(); ++at, ++nibble) {
    values[start + nibble / 2] |= static_cast<uint8_t>(digit(*at) << nibble % 2 * 4);
  }
}

void print(const uint8_t *bytes, uint32_t width_bits) {
  for (size_t at = (width_bits + 7) / 8; at-- > 0;) std::printf("%02x", bytes[at]);
}

}  // namespace

int main(int argc, char **argv) {
  if (argc != 2) return 2;
  const FiresimEngine &engine = *load(argv[1]);
  void *instance = engine.create();
  const std::vector<FiresimPort> inputs = ports(engine, instance, "inputs");
  const std::vector<FiresimPort> outputs = ports(engine, instance, "outputs");
  std::string word;
  uint64_t cycles = 0;
  if (!(std::cin >> word >> cycles) || word != "cycles") fail("expected the number of cycles");
  std::vector<uint8_t> values, seen;
  for (uint64_t cycle = 0; cycle < cycles; ++cycle) {
    for (const FiresimPort &port : inputs) {
      if (!(std::cin >> word)) fail("too few inputs");
      parse(word, port, values);
    }
  }
  size_t bytes = 0;
  for (const FiresimPort &port : outputs) bytes += bytes_of(port.width_bits);
  seen.resize(bytes * cycles);
  timespec began, ended;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &began);
  const uint8_t *next = values.data();
  uint8_t *to = seen.data();
  for (uint64_t cycle = 0; cycle < cycles; ++cycle) {
    for (const FiresimPort &port : inputs) {
      std::memcpy(port.storage, next, bytes_of(port.width_bits));
      next += bytes_of(port.width_bits);
    }
    engine.settle(instance);
    for (const FiresimPort &port : outputs) {
      std::memcpy(to, port.storage, bytes_of(port.width_bits));
      to += bytes_of(port.width_bits);
    }
    engine.tick(instance);
  }
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ended);
  const uint8_t *from = seen.data();
  for (uint64_t cycle = 0; cycle < cycles; ++cycle) {
    for (const FiresimPort &port : outputs) {
      print(from, port.width_bits);
      from += bytes_of(port.width_bits);
      std::putchar(' ');
    }
    std::putchar('\n');
  }
  std::printf("cpu_s %.6f\n", static_cast<double>(ended.tv_sec - began.tv_sec) +
                                  static_cast<double>(ended.tv_nsec - began.tv_nsec) * 1e-9);
  engine.destroy(instance);
  return 0;
}
