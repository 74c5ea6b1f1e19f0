// SPDX-License-Identifier: BSD-3-Clause
//
// Drives one or two models with AXI4 memory ports (mem_*) through the engine interface.
//   axi_bench MODEL.so IMAGE BASE CYCLES       prints "hash seconds": the hash covers every output
//   in
//                                              every cycle; the seconds are of a run without
//                                              hashing
// The memory answers in the next cycle, one burst at a time; the other inputs are 0.

#include <dlfcn.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "firesim_engine.h"

namespace {

constexpr uint64_t kMemoryBytes = 16ull << 20;

uint64_t read_port(const FiresimPort &port) {
  if (port.width_bits <= 8) return *static_cast<uint8_t *>(port.storage);
  if (port.width_bits <= 16) return *static_cast<uint16_t *>(port.storage);
  if (port.width_bits <= 32) return *static_cast<uint32_t *>(port.storage);
  return *static_cast<uint64_t *>(port.storage);
}

void write_port(const FiresimPort &port, uint64_t value) {
  if (port.width_bits <= 8) {
    *static_cast<uint8_t *>(port.storage) = static_cast<uint8_t>(value);
  } else if (port.width_bits <= 16) {
    *static_cast<uint16_t *>(port.storage) = static_cast<uint16_t>(value);
  } else if (port.width_bits <= 32) {
    *static_cast<uint32_t *>(port.storage) = static_cast<uint32_t>(value);
  } else {
    *static_cast<uint64_t *>(port.storage) = value;
  }
}

size_t storage_bytes(uint32_t width_bits) {
  if (width_bits <= 8) return 1;
  if (width_bits <= 16) return 2;
  if (width_bits <= 32) return 4;
  if (width_bits <= 64) return 8;
  return (width_bits + 31) / 32 * 4;
}

struct Burst {
  bool active = false;
  uint64_t address = 0, id = 0, beats_left = 0;
};

class Bench {
 public:
  Bench(const FiresimEngine &engine, std::vector<uint8_t> image, uint64_t base)
      : engine_(engine), instance_(engine.create()), memory_(std::move(image)), base_(base) {
    for (uint32_t i = 0; i < engine.port_count; ++i) {
      FiresimPort port = engine.port(instance_, i);
      ports_[port.name] = port;
    }
    memory_.resize(kMemoryBytes);
  }
  ~Bench() { engine_.destroy(instance_); }
  Bench(const Bench &) = delete;
  Bench &operator=(const Bench &) = delete;

  // Runs `cycles` cycles; returns the hash of all outputs when asked for, else 0.
  uint64_t run(uint64_t cycles, bool hashed) {
    uint64_t hash = 0xcbf29ce484222325ull;
    FiresimPort reset = ports_.at("reset");
    Channels c(ports_);
    for (uint64_t cycle = 0; cycle < cycles; ++cycle, ++total_cycles_) {
      write_port(reset, total_cycles_ < 16);
      drive(c);
      engine_.settle(instance_);
      if (hashed) hash = hash_outputs(hash);
      sample(c);
      engine_.tick(instance_);
    }
    return hashed ? hash : 0;
  }

 private:
  struct Channels {
    explicit Channels(const std::map<std::string, FiresimPort> &p)
        : aw_valid(p.at("mem_aw_valid")),
          aw_ready(p.at("mem_aw_ready")),
          aw_id(p.at("mem_aw_id")),
          aw_addr(p.at("mem_aw_addr")),
          aw_len(p.at("mem_aw_len")),
          w_valid(p.at("mem_w_valid")),
          w_ready(p.at("mem_w_ready")),
          w_data(p.at("mem_w_data")),
          w_strb(p.at("mem_w_strb")),
          b_valid(p.at("mem_b_valid")),
          b_ready(p.at("mem_b_ready")),
          b_id(p.at("mem_b_id")),
          ar_valid(p.at("mem_ar_valid")),
          ar_ready(p.at("mem_ar_ready")),
          ar_id(p.at("mem_ar_id")),
          ar_addr(p.at("mem_ar_addr")),
          ar_len(p.at("mem_ar_len")),
          r_valid(p.at("mem_r_valid")),
          r_ready(p.at("mem_r_ready")),
          r_id(p.at("mem_r_id")),
          r_data(p.at("mem_r_data")),
          r_last(p.at("mem_r_last")) {}
    FiresimPort aw_valid, aw_ready, aw_id, aw_addr, aw_len, w_valid, w_ready, w_data, w_strb,
        b_valid, b_ready, b_id, ar_valid, ar_ready, ar_id, ar_addr, ar_len, r_valid, r_ready, r_id,
        r_data, r_last;
  };

  uint8_t *at(uint64_t address) { return &memory_[(address - base_) % kMemoryBytes & ~7ull]; }

  void drive(Channels &c) {
    write_port(c.aw_ready, !write_.active && !answer_);
    write_port(c.w_ready, write_.active);
    write_port(c.b_valid, answer_);
    write_port(c.b_id, write_.id);
    write_port(c.ar_ready, !read_.active);
    write_port(c.r_valid, read_.active);
    write_port(c.r_id, read_.id);
    uint64_t data = 0;
    if (read_.active) std::memcpy(&data, at(read_.address), 8);
    write_port(c.r_data, data);
    write_port(c.r_last, read_.active && read_.beats_left == 1);
  }

  void sample(Channels &c) {
    if (answer_) {
      if (read_port(c.b_ready)) answer_ = false;
    } else if (write_.active) {
      if (read_port(c.w_valid)) accept_write_beat(c);
    } else if (read_port(c.aw_valid)) {
      write_ = {true, read_port(c.aw_addr), read_port(c.aw_id), read_port(c.aw_len) + 1};
    }
    if (read_.active) {
      if (read_port(c.r_ready)) {
        read_.address += 8;
        read_.active = --read_.beats_left != 0;
      }
    } else if (read_port(c.ar_valid)) {
      read_ = {true, read_port(c.ar_addr), read_port(c.ar_id), read_port(c.ar_len) + 1};
    }
  }

  void accept_write_beat(Channels &c) {
    uint64_t data = read_port(c.w_data), strobes = read_port(c.w_strb);
    for (int byte = 0; byte < 8; ++byte) {
      if (strobes >> byte & 1) at(write_.address)[byte] = static_cast<uint8_t>(data >> 8 * byte);
    }
    write_.address += 8;
    if (--write_.beats_left == 0) {
      write_.active = false;
      answer_ = true;
    }
  }

  uint64_t hash_outputs(uint64_t hash) {
    for (const auto &[name, port] : ports_) {
      if (port.is_input || name.rfind("firesim_", 0) == 0) continue;
      const auto *bytes = static_cast<const uint8_t *>(port.storage);
      for (size_t i = 0; i < storage_bytes(port.width_bits); ++i) {
        hash = (hash ^ bytes[i]) * 0x100000001b3ull;
      }
    }
    return hash;
  }

  const FiresimEngine &engine_;
  void *instance_;
  std::map<std::string, FiresimPort> ports_;
  std::vector<uint8_t> memory_;
  uint64_t base_;
  uint64_t total_cycles_ = 0;
  Burst read_, write_;
  bool answer_ = false;
};

}  // namespace

int main(int argc, char **argv) {
  if (argc != 5) {
    std::fprintf(stderr, "usage: axi_bench MODEL.so IMAGE BASE CYCLES\n");
    return 2;
  }
  void *library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    std::fprintf(stderr, "%s\n", dlerror());
    return 2;
  }
  auto engine = reinterpret_cast<const FiresimEngine *(*)()>(dlsym(library, "firesim_engine"))();
  std::ifstream file(argv[2], std::ios::binary);
  std::vector<uint8_t> image{std::istreambuf_iterator<char>(file), {}};
  uint64_t base = std::strtoull(argv[3], nullptr, 0);
  uint64_t cycles = std::strtoull(argv[4], nullptr, 0);
  Bench hashed(*engine, image, base);
  uint64_t hash = hashed.run(cycles, true);
  Bench timed(*engine, image, base);
  timed.run(2000, false);
  std::clock_t start = std::clock();
  timed.run(cycles, false);
  double cpu_s = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  std::printf("%016llx %.6f\n", static_cast<unsigned long long>(hash), cpu_s);
  return 0;
}
