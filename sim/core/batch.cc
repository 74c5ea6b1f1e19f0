// SPDX-License-Identifier: BSD-3-Clause
//
// Batch operations that are not worth inlining.
#include "core/batch.h"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "core/check.h"

namespace firesim {

void Batch::append_run(uint32_t offset, const uint64_t *data, uint32_t length, bool last) {
  if (length == 0) return;
  const uint32_t end = end_offset();
  if (offset < end || offset >= cycles_ || length > cycles_ - offset) fail_append(offset, length);
  if (!runs_.empty() && offset == end && !runs_.back().last) {
    runs_.back().length += length;
    runs_.back().last = last;
  } else {
    runs_.push_back({offset, length, last});
  }
  data_.insert(data_.end(), data, data + length);
}

void Batch::append_part(const Batch &source, uint32_t from, uint32_t to, uint32_t at) {
  FIRESIM_CHECK(from <= to && to <= source.cycles_, "part lies outside its source");
  size_t first_flit = 0;
  for (const Run &run : source.runs_) {
    if (run.offset >= to) break;
    if (run.end() > from) {
      const uint32_t begin = std::max(run.offset, from);
      const uint32_t end = std::min(run.end(), to);
      append_run(at + (begin - from), source.data_.data() + first_flit + (begin - run.offset),
                 end - begin, run.last && end == run.end());
    }
    first_flit += run.length;
  }
}

void Batch::split(uint32_t at, Batch &tail) {
  FIRESIM_CHECK(at <= cycles_ && &tail != this, "cut lies outside the batch");
  tail.reset(start_cycle_ + at, cycles_ - at);
  tail.append_part(*this, at, cycles_, 0);
  data_.resize(data_.size() - tail.data_.size());
  while (!runs_.empty() && runs_.back().offset >= at) runs_.pop_back();
  if (!runs_.empty() && runs_.back().end() > at) {
    runs_.back().length = at - runs_.back().offset;
    runs_.back().last = false;
  }
  cycles_ = at;
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
  size_t flit = 0;
  for (const Run &run : runs_) {
    for (uint32_t i = 0; i < run.length; ++i) {
      tokens[run.offset + i] = {true, {data_[flit++], run.last && i + 1 == run.length}};
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
