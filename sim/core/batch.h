// SPDX-License-Identifier: BSD-3-Clause
//
// Tokens of one link direction for a span of consecutive target cycles.
//
// A token is what a link carries in one target cycle: nothing, or one 64-bit flit with a mark that
// says whether it ends a packet. A batch is `cycles()` tokens starting at `start_cycle()`, kept as
// *runs*: a run is a stretch of flits in consecutive cycles, with their data contiguous. So a
// packet at line rate is one run, and an empty token costs nothing.
//
// The data lies in buffers (core/flit_buffer.h) that batches share: one that passes on a packet of
// another one refers to the same memory, so a switch does not copy what it forwards.
//
// A run may be a part of a packet: gaps inside a packet, and the ends of batches, cut it. Only the
// final flit of a run can end a packet, and does so if the run's `last` is set.
//
// Offsets are cycles counted from `start_cycle()`. Buffers are used again when a batch is reset, so
// batches that are reused do not allocate.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/flit_buffer.h"

namespace firesim {

// One non-empty token.
struct Flit {
  uint64_t data = 0;
  bool last = false;

  bool operator==(const Flit &) const = default;
};

struct Run {
  uint32_t offset = 0;  // cycle of the first flit, counted from the batch's start
  uint32_t length = 0;  // flits, one per cycle, at least 1
  bool last = false;    // the final flit of this run ends a packet

  // Where the flits are. Not to be written to; valid as long as the batch is not changed, or
  // longer for whoever retains the buffer.
  const uint64_t *data = nullptr;
  FlitBuffer *buffer = nullptr;

  uint32_t end() const { return offset + length; }

  // The same tokens but for the data.
  bool same_shape(const Run &other) const {
    return offset == other.offset && length == other.length && last == other.last;
  }
};

// One token in the dense form, which only tests and slow paths use.
struct Token {
  bool valid = false;
  Flit flit;

  bool operator==(const Token &) const = default;
};

class Batch {
 public:
  // Shorter runs are copied: the memory of a buffer is not held for the sake of a few flits.
  static constexpr uint32_t kLeastSharedFlits = 32;

  Batch() = default;
  Batch(uint64_t start_cycle, uint32_t cycles) { reset(start_cycle, cycles); }
  ~Batch();

  // A copy has data of its own.
  Batch(const Batch &other);
  Batch &operator=(const Batch &other);
  Batch(Batch &&other) noexcept { swap(other); }
  Batch &operator=(Batch &&other) noexcept {
    swap(other);
    return *this;
  }
  void swap(Batch &other) noexcept;

  // Makes this an empty batch for [start_cycle, start_cycle + cycles). Keeps its buffer to fill it
  // again, if no other batch refers to it.
  void reset(uint64_t start_cycle, uint32_t cycles) {
    start_cycle_ = start_cycle;
    cycles_ = cycles;
    if (!runs_.empty()) clear();
  }

  uint64_t start_cycle() const { return start_cycle_; }
  uint64_t end_cycle() const { return start_cycle_ + cycles_; }
  uint32_t cycles() const { return cycles_; }
  bool empty() const { return runs_.empty(); }
  uint64_t flit_count() const;

  // Runs in order of offset, never overlapping.
  std::span<const Run> runs() const { return runs_; }

  // Puts one flit in cycle `start_cycle() + offset`. Offsets must increase from call to call.
  // Adjacent flits of one packet become one run as long as they are adjacent in memory, too.
  void append_flit(uint32_t offset, uint64_t data, bool last) {
    check_append(offset, 1);
    uint64_t *at = room_for(1);
    *at = data;
    add_run(offset, at, 1, last, own_);
  }

  // Puts `length` flits in consecutive cycles from `offset`; `last` marks the final one as the end
  // of its packet. A length of 0 does nothing.
  void append_run(uint32_t offset, const uint64_t *data, uint32_t length, bool last);

  // The same without a copy: refers to data that lies in `buffer` and does not change any more.
  // Copies it nevertheless if it is so short that this costs less, or if `buffer` is null.
  void append_shared(uint32_t offset, const uint64_t *data, uint32_t length, bool last,
                     FlitBuffer *buffer) {
    if (buffer == nullptr || length < kLeastSharedFlits) {
      append_run(offset, data, length, last);
      return;
    }
    check_append(offset, length);
    if (kept_.empty() || kept_.back() != buffer) {
      kept_.push_back(buffer);
      buffer->retain();
    }
    add_run(offset, data, length, last, buffer);
  }

  // Appends the tokens `from` <= offset < `to` of `source` so that `from` lands on `at`.
  void append_part(const Batch &source, uint32_t from, uint32_t to, uint32_t at);

  // Cuts this batch before offset `at` (0 <= at <= cycles()): keeps the first part, moves the rest
  // to `tail`, whose old content is lost.
  void split(uint32_t at, Batch &tail);

  // Appends `next`, which must start where this batch ends.
  void merge(const Batch &next);

  // Moves the whole batch in time; the tokens keep their offsets.
  void set_start_cycle(uint64_t start_cycle) { start_cycle_ = start_cycle; }

  // Places the tokens at the same cycles within a wider span of cycles, which must contain them.
  void widen(uint64_t start_cycle, uint32_t cycles);

  // One entry per cycle. For tests.
  std::vector<Token> dense() const;

  // Same cycles, same tokens; how the runs are cut does not matter.
  bool same_tokens(const Batch &other) const {
    return start_cycle_ == other.start_cycle_ && dense() == other.dense();
  }

 private:
  // First offset at which a flit may still be appended.
  uint32_t end_offset() const { return runs_.empty() ? 0 : runs_.back().end(); }

  void check_append(uint32_t offset, uint32_t length) const {
    if (offset < end_offset() || offset >= cycles_ || length > cycles_ - offset) {
      fail_append(offset, length);
    }
  }
  [[noreturn]] void fail_append(uint32_t offset, uint32_t length) const;

  void add_run(uint32_t offset, const uint64_t *data, uint32_t length, bool last,
               FlitBuffer *buffer) {
    if (!runs_.empty()) {
      Run &previous = runs_.back();
      if (offset == previous.end() && !previous.last && data == previous.data + previous.length &&
          buffer == previous.buffer) {
        previous.length += length;
        previous.last = last;
        return;
      }
    }
    runs_.push_back({offset, length, last, data, buffer});
  }

  // Room for flits in the own buffer, behind those already there.
  uint64_t *room_for(uint32_t flits) {
    if (own_ == nullptr || flits > own_->capacity() - own_used_) grow(flits);
    uint64_t *at = own_->data() + own_used_;
    own_used_ += flits;
    return at;
  }
  void grow(uint32_t flits);
  void clear();

  uint64_t start_cycle_ = 0;
  uint32_t cycles_ = 0;
  uint32_t own_used_ = 0;      // flits in `own_`
  uint32_t wanted_flits_ = 0;  // capacity of the last own buffer
  FlitBuffer *own_ = nullptr;  // the one this batch fills; runs may refer to it
  std::vector<Run> runs_;      // if there are none, no buffer but `own_` is held, and that alone
  std::vector<FlitBuffer *> kept_;  // the others that runs refer to
};

// Reads a batch one cycle at a time, as a NIC driver does. Keep one per batch; offsets asked for
// must not decrease.
//
//   FlitCursor cursor(batch);
//   for (uint32_t offset = 0; offset < batch.cycles(); ++offset) {
//     Flit flit;
//     const bool valid = cursor.read(offset, flit);
//     ...
//   }
class FlitCursor {
 public:
  explicit FlitCursor(const Batch &batch)
      : run_(batch.runs().data()), end_(run_ + batch.runs().size()) {}

  // True, and `flit` set, if there is a flit in cycle `start_cycle() + offset`.
  bool read(uint32_t offset, Flit &flit) {
    while (run_ != end_ && offset >= run_->end()) ++run_;
    if (run_ == end_ || offset < run_->offset) return false;
    flit.data = run_->data[offset - run_->offset];
    flit.last = run_->last && offset + 1 == run_->end();
    return true;
  }

  // First offset >= those already read that can hold a flit; UINT32_MAX when none is left. Lets a
  // driver skip the empty cycles in between.
  uint32_t next_offset() const { return run_ == end_ ? UINT32_MAX : run_->offset; }

 private:
  const Run *run_;
  const Run *end_;
};

}  // namespace firesim
