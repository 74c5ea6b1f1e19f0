// SPDX-License-Identifier: BSD-3-Clause
// Typed access to the ports of a blade model, in place (sim/engine/firesim_engine.h).
//
// Outputs are read straight from the model's storage. Inputs are set while outputs of cycle t are
// still being read, but must not be seen by the model before its clock edge, so a set value waits
// in the InputPort and InputQueue::apply() stores it after tick(). Unchanged values cost a compare.
#pragma once

#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <vector>

#include "core/state.h"
#include "engine/firesim_engine.h"

namespace firesim::bridges {

// Bytes of storage of a port that is `width_bits` wide.
constexpr uint32_t port_bytes(uint32_t width_bits) {
  if (width_bits <= 8) return 1;
  if (width_bits <= 16) return 2;
  if (width_bits <= 32) return 4;
  if (width_bits <= 64) return 8;
  return (width_bits + 31) / 32 * 4;
}

// A target-to-host port that is one bit wide.
class OutputBit {
 public:
  explicit OutputBit(const FiresimPort &port)
      : storage_(static_cast<const uint8_t *>(port.storage)) {}
  bool operator()() const { return *storage_ != 0; }

 private:
  const uint8_t *storage_;
};

// A target-to-host port of at most 64 bits, or the low 64 bits of a wider one.
class OutputPort {
 public:
  explicit OutputPort(const FiresimPort &port)
      : storage_(port.storage), bytes_(port_bytes(port.width_bits)) {}

  uint64_t operator()() const {
    switch (bytes_) {
      case 1:
        return *static_cast<const uint8_t *>(storage_);
      case 2:
        return *static_cast<const uint16_t *>(storage_);
      case 4:
        return *static_cast<const uint32_t *>(storage_);
      default: {
        uint64_t value;  // wide ports are only aligned to 4 bytes
        std::memcpy(&value, storage_, sizeof value);
        return value;
      }
    }
  }
  // The whole value, little end first; bytes() of them.
  const void *data() const { return storage_; }
  uint32_t bytes() const { return bytes_; }

 private:
  const void *storage_;
  uint32_t bytes_;
};

// A target-to-host port that is a bit for each of many events.
class OutputBits {
 public:
  explicit OutputBits(const FiresimPort &port)
      : storage_(static_cast<const uint8_t *>(port.storage)), bytes_(port_bytes(port.width_bits)) {}
  bool any() const {
    uint8_t any = 0;  // no early exit: this way it is a few vector instructions
    for (uint32_t i = 0; i < bytes_; ++i) any |= storage_[i];
    return any != 0;
  }
  bool operator[](uint32_t bit) const { return (storage_[bit / 8] >> bit % 8 & 1) != 0; }

 private:
  const uint8_t *storage_;
  uint32_t bytes_;
};

class InputPort;

// The inputs whose value changes at the next clock edge.
class InputQueue {
 public:
  // `input_ports` is the most inputs that can ever wait.
  explicit InputQueue(size_t input_ports) : waiting_(input_ports) {}
  inline void push(InputPort *port);
  // Stores every waiting value into the model. Call after tick(), and before the first settle().
  inline void apply();

 private:
  std::vector<InputPort *> waiting_;
  size_t count_ = 0;
};

// A host-to-target port of any width. Starts at 0, as the model does.
class InputPort {
 public:
  static constexpr uint32_t kMostBytes = 128;

  InputPort(const FiresimPort &port, InputQueue &queue)
      : storage_(port.storage), bytes_(port_bytes(port.width_bits)), queue_(&queue) {
    if (bytes_ > kMostBytes) throw std::length_error("input port wider than 1024 bits");
  }
  InputPort(const InputPort &) = delete;  // the queue points at it
  InputPort &operator=(const InputPort &) = delete;

  // For ports of at most 64 bits; the value must fit.
  void set(uint64_t value) {
    if (value == low_) return;
    low_ = value;
    wait();
  }
  // For any width: the first bytes() bytes at `data`, little end first.
  void set_bytes(const void *data) {
    if (bytes_ <= 8) {
      uint64_t value = 0;
      std::memcpy(&value, data, bytes_);
      set(value);
      return;
    }
    std::memcpy(wide_, data, bytes_);
    wait();
  }
  // What the port was last set to, whether stored in the model yet or not.
  void save(StateWriter &state) const {
    state.u64(low_);
    state.bytes(wide_, bytes_ > 8 ? bytes_ : 0);
  }
  void load(StateReader &state) {
    low_ = state.u64();
    state.bytes_into(wide_, bytes_ > 8 ? bytes_ : 0);
    wait();  // storing a value twice does no harm
  }
  // The value as of the next clock edge (low 64 bits; not kept for wide ports).
  uint64_t value() const { return low_; }
  uint32_t bytes() const { return bytes_; }

 private:
  friend class InputQueue;

  void wait() {
    if (waiting_) return;
    waiting_ = true;
    queue_->push(this);
  }
  void store() {
    waiting_ = false;
    switch (bytes_) {
      case 1:
        *static_cast<uint8_t *>(storage_) = static_cast<uint8_t>(low_);
        break;
      case 2:
        *static_cast<uint16_t *>(storage_) = static_cast<uint16_t>(low_);
        break;
      case 4:
        *static_cast<uint32_t *>(storage_) = static_cast<uint32_t>(low_);
        break;
      case 8:
        *static_cast<uint64_t *>(storage_) = low_;
        break;
      default:
        std::memcpy(storage_, wide_, bytes_);
    }
  }

  void *storage_;
  uint32_t bytes_;
  bool waiting_ = false;
  uint64_t low_ = 0;
  InputQueue *queue_;
  uint8_t wide_[kMostBytes] = {};
};

inline void InputQueue::push(InputPort *port) { waiting_[count_++] = port; }

inline void InputQueue::apply() {
  for (size_t i = 0; i < count_; ++i) waiting_[i]->store();
  count_ = 0;
}

}  // namespace firesim::bridges
