// SPDX-License-Identifier: BSD-3-Clause
//
// A model of Golden Gate as a side: its memory is what the model shows under the name MEMORY.
#pragma once

#include <dlfcn.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <string>
#include <vector>

#include "firesim_engine.h"

class Side {
 public:
  explicit Side(const char *library) {
    void *file = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    if (file == nullptr) fail(dlerror());
    engine_ = reinterpret_cast<const FiresimEngine *(*)()>(dlsym(file, "firesim_engine"))();
    instance_ = engine_->create();
    reset_ = static_cast<uint8_t *>(port("reset"));
    output_ = static_cast<const uint8_t *>(port("io_success"));
    for (uint32_t index = 0; index < engine_->signal_count; ++index) {
      const FiresimSignal one = engine_->signal(instance_, index);
      if (one.kind == FIRESIM_MEMORY && std::string(one.name) == MEMORY) columns_.push_back(one);
    }
    if (columns_.empty()) fail("the model has no memory " MEMORY);
  }
  Side(const Side &) = delete;
  Side &operator=(const Side &) = delete;
  ~Side() { engine_->destroy(instance_); }

  void set_reset(bool value) { *reset_ = value; }
  void step() {
    engine_->settle(instance_);
    engine_->tick(instance_);
  }
  uint64_t output() const { return *output_; }

  void write(const std::vector<uint8_t> &image) {
    each(image.size(), [&](size_t at, uint8_t *byte) { *byte = image[at]; });
    engine_->written(instance_);
  }
  void read(std::vector<uint8_t> &image) {
    each(image.size(), [&](size_t at, const uint8_t *byte) { image[at] = *byte; });
  }

 private:
  [[noreturn]] static void fail(const char *what) {
    std::cerr << "drive: " << what << "\n";
    std::exit(2);
  }

  void *port(const std::string &name) {
    for (uint32_t index = 0; index < engine_->port_count; ++index) {
      const FiresimPort one = engine_->port(instance_, index);
      if (name == one.name) return one.storage;
    }
    fail("the model lacks a port");
  }

  // Calls `use` with each byte of memory, of which a column holds a part of each row.
  template <class Use>
  void each(size_t bytes, Use use) {
    constexpr size_t kRowBytes = 8;
    for (const FiresimSignal &column : columns_) {
      const size_t first = column.low_bit / 8, width = column.width_bits / 8;
      size_t kept = 1;
      while (kept < width) kept *= 2;
      auto *storage = static_cast<uint8_t *>(column.storage);
      for (size_t row = 0; row < bytes / kRowBytes; ++row) {
        for (size_t byte = 0; byte < width; ++byte) {
          use(row * kRowBytes + first + byte, storage + row * kept + byte);
        }
      }
    }
  }

  const FiresimEngine *engine_ = nullptr;
  void *instance_ = nullptr;
  uint8_t *reset_ = nullptr;
  const uint8_t *output_ = nullptr;
  std::vector<FiresimSignal> columns_;
};
