// SPDX-License-Identifier: BSD-3-Clause
//
// Batch operations that are not worth inlining.
#include "core/batch.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <string>
#include <utility>

#include "core/check.h"

namespace firesim {

Batch::~Batch() {
  clear();
  if (own_ != nullptr) own_->release();
}

Batch::Batch(const Batch &other) { *this = other; }

Batch &Batch::operator=(const Batch &other) {
  if (this == &other) return *this;
  reset(other.start_cycle_, other.cycles_);
  for (const Run &run : other.runs_) append_run(run.offset, run.data, run.length, run.last);
  return *this;
}

void Batch::swap(Batch &other) noexcept {
  std::swap(start_cycle_, other.start_cycle_);
  std::swap(cycles_, other.cycles_);
  std::swap(own_used_, other.own_used_);
  std::swap(wanted_flits_, other.wanted_flits_);
  std::swap(own_, other.own_);
  runs_.swap(other.runs_);
  kept_.swap(other.kept_);
}

void Batch::clear() {
  runs_.clear();
  for (FlitBuffer *buffer : kept_) buffer->release();
  kept_.clear();
  own_used_ = 0;
  if (own_ == nullptr || own_->is_unique()) return;
  own_->release();
  own_ = nullptr;
}

// Takes another own buffer for at least `flits`, twice as large as the last one, but not larger
// than what this batch can ever hold.
void Batch::grow(uint32_t flits) {
  if (own_ != nullptr && own_used_ > 0) {
    kept_.push_back(own_);
    wanted_flits_ = own_->capacity() <= UINT32_MAX / 2 ? 2 * own_->capacity() : UINT32_MAX;
  } else if (own_ != nullptr) {
    own_->release();
  }
  own_ = nullptr;
  own_used_ = 0;
  own_ = FlitBuffer::make(std::max(flits, std::min(wanted_flits_, cycles_)));
  wanted_flits_ = own_->capacity();
}

uint64_t Batch::flit_count() const {
  uint64_t flits = 0;
  for (const Run &run : runs_) flits += run.length;
  return flits;
}

void Batch::append_run(uint32_t offset, const uint64_t *data, uint32_t length, bool last) {
  if (length == 0) return;
  check_append(offset, length);
  uint64_t *at = room_for(length);
  std::memcpy(at, data, length * sizeof *data);
  add_run(offset, at, length, last, own_);
}

void Batch::append_part(const Batch &source, uint32_t from, uint32_t to, uint32_t at) {
  FIRESIM_CHECK(from <= to && to <= source.cycles_, "part lies outside its source");
  for (const Run &run : source.runs_) {
    if (run.offset >= to) break;
    if (run.end() <= from) continue;
    const uint32_t begin = std::max(run.offset, from);
    const uint32_t end = std::min(run.end(), to);
    append_shared(at + (begin - from), run.data + (begin - run.offset), end - begin,
                  run.last && end == run.end(), run.buffer);
  }
}

void Batch::split(uint32_t at, Batch &tail) {
  FIRESIM_CHECK(at <= cycles_ && &tail != this, "cut lies outside the batch");
  tail.reset(start_cycle_ + at, cycles_ - at);
  tail.append_part(*this, at, cycles_, 0);
  while (!runs_.empty() && runs_.back().offset >= at) runs_.pop_back();
  cycles_ = at;
  if (runs_.empty()) {
    clear();
    return;
  }
  Run &final = runs_.back();
  if (final.end() > at) {
    final.length = at - final.offset;
    final.last = false;
  }
  if (final.buffer == own_ && own_->is_unique()) {
    own_used_ = static_cast<uint32_t>(final.data + final.length - own_->data());
  }
}

void Batch::merge(const Batch &next) {
  FIRESIM_CHECK(next.start_cycle_ == end_cycle() && &next != this, "batches are not consecutive");
  const uint32_t at = cycles_;
  FIRESIM_CHECK(next.cycles_ <= UINT32_MAX - at, "merged batch is too long");
  cycles_ += next.cycles_;
  append_part(next, 0, next.cycles_, at);
}

void Batch::widen(uint64_t start_cycle, uint32_t cycles) {
  FIRESIM_CHECK(start_cycle <= start_cycle_ && end_cycle() <= start_cycle + cycles,
                "a wider span must contain the batch");
  const auto shift = static_cast<uint32_t>(start_cycle_ - start_cycle);
  start_cycle_ = start_cycle;
  cycles_ = cycles;
  if (shift == 0) return;
  for (Run &run : runs_) run.offset += shift;
}

std::vector<Token> Batch::dense() const {
  std::vector<Token> tokens(cycles_);
  for (const Run &run : runs_) {
    for (uint32_t i = 0; i < run.length; ++i) {
      tokens[run.offset + i] = {true, {run.data[i], run.last && i + 1 == run.length}};
    }
  }
  return tokens;
}

void Batch::fail_append(uint32_t offset, uint32_t length) const {
  throw std::logic_error("cannot append " + std::to_string(length) + " flit(s) at offset " +
                         std::to_string(offset) + ": the batch has " + std::to_string(cycles_) +
                         " cycles and the next free offset is " + std::to_string(end_offset()));
}

}  // namespace firesim
