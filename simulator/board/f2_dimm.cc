// SPDX-License-Identifier: BSD-3-Clause
// Rows of 64 bytes behind an AXI4 port; see f2_dimm.h. Lanes of the pins are those of
// platforms/f2/stubs/dimm.sv.
#include "simulator/board/f2_dimm.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <tuple>

namespace firesim {
namespace {

constexpr uint32_t kAsksBits = 832, kAnswersBits = 576;
constexpr size_t kAnswerLanes = kAnswersBits / 64;
enum AskLane : uint32_t { kFlags, kWrites, kWriteAddress, kReadAddress, kStrobe, kData };
enum AskFlag : uint32_t {
  kDataValid,
  kWriteAnswerTaken,
  kReadValid,
  kRowTaken,
  kWriteIsBeat,
  kReadIsBeat,
  kReadId,
  kWriteId = kReadId + 16,
  kPresent = kWriteId + 16
};
enum AnswerFlag : uint32_t {
  kAddressTaken,
  kDataTaken,
  kWriteDone,
  kReadTaken,
  kRowThere,
  kIsUp,
  kDoneId,
  kRowId = kDoneId + 16,
  kRowError = kRowId + 16
};
constexpr uint64_t kSlaveError = 2;

constexpr uint64_t kRowBytes = 64;
constexpr size_t kMostWaiting = 16;  // that the controller holds of each kind

}  // namespace

bool F2Dimm::connect(const BoardModel &model) {
  const auto asks = model.find("dimm_asks", kAsksBits);
  const auto answers = model.find("dimm_answers", kAnswersBits);
  if (!asks || !answers) return false;
  asks_ = *asks;
  answers_ = *answers;
  now_ = 0;
  rows_.clear();
  reads_.clear();
  writes_.clear();
  has_address_ = has_data_ = false;
  return true;
}

uint64_t F2Dimm::random() {
  random_ ^= random_ << 13;
  random_ ^= random_ >> 7;
  random_ ^= random_ << 17;
  return random_;
}

// What nobody has written is noise.
F2Dimm::Row &F2Dimm::row_at(uint64_t address) {
  const auto [place, is_new] = rows_.try_emplace(address / kRowBytes);
  if (is_new) {
    uint64_t mixed = (address / kRowBytes + 1) * (noise_ | 1);
    for (uint64_t &word : place->second) {
      mixed = (mixed ^ mixed >> 29) * 0xbf58476d1ce4e5b9;
      word = mixed;
    }
  }
  return place->second;
}

// Puts an answer among others in the order of their times. Those of one id keep their order.
void F2Dimm::wait(Answers &answers, Answer answer) {
  answer.due = now_ + kLeastCycles + random() % (kMostLaterCycles + 1);
  for (const Answer &other : answers) {
    if (other.id == answer.id) answer.due = std::max(answer.due, other.due + 1);
  }
  const auto later = [](uint64_t time, const Answer &other) { return time < other.due; };
  answers.insert(std::upper_bound(answers.begin(), answers.end(), answer.due, later), answer);
}

// The first, if it is due.
const F2Dimm::Answer *F2Dimm::front(const Answers &answers) const {
  return answers.empty() || answers.front().due > now_ ? nullptr : &answers.front();
}

void F2Dimm::before_settle() {
  const bool is_up = now_ >= kTrainingCycles && fault_ != DramFault::kUntrained;
  takes_address_ = is_up && !has_address_ && writes_.size() < kMostWaiting && random() % 8 != 0;
  takes_data_ = is_up && !has_data_ && writes_.size() < kMostWaiting && random() % 8 != 0;
  takes_read_ = is_up && reads_.size() < kMostWaiting && random() % 8 != 0;
  std::array<uint64_t, kAnswerLanes> lanes{};
  lanes[0] = uint64_t{takes_address_} << kAddressTaken | uint64_t{takes_data_} << kDataTaken |
             uint64_t{takes_read_} << kReadTaken | uint64_t{is_up} << kIsUp;
  if (const Answer *done = front(writes_)) {
    lanes[0] |= uint64_t{1} << kWriteDone | uint64_t{done->id} << kDoneId;
  }
  if (const Answer *row = front(reads_)) {
    lanes[0] |= uint64_t{1} << kRowThere | uint64_t{row->id} << kRowId;
    if (fault_ == DramFault::kError) lanes[0] |= kSlaveError << kRowError;
    std::copy(row->row.begin(), row->row.end(), lanes.begin() + 1);
  }
  answers_.set_lanes(lanes);
}

void F2Dimm::take_write() {
  wait(writes_, {0, id_, data_, address_, strobe_});
  has_address_ = has_data_ = false;
}

// A read before the answer of a write does not see it: AXI promises nothing else.
void F2Dimm::end_write() {
  const Answer &write = writes_.front();
  Row &row = row_at(write.address);
  for (uint32_t i = 0; i < kRowBytes; ++i) {
    if ((write.strobe >> i & 1) == 0) continue;
    const uint64_t mask = uint64_t{0xff} << i % 8 * 8;
    row[i / 8] = (row[i / 8] & ~mask) | (write.row[i / 8] & mask);
  }
  writes_.pop_front();
}

void F2Dimm::take_read() {
  const uint64_t address = asks_.get(kReadAddress);
  const auto id = static_cast<uint16_t>(asks_.get(kFlags) >> kReadId);
  wait(reads_, {0, id, row_at(address), address, 0});
}

void F2Dimm::after_settle() {
  const uint64_t flags = asks_.get(kFlags);
  const auto is = [&](uint32_t flag) { return (flags >> flag & 1) != 0; };
  const bool writes = asks_.get(kWrites) != 0, reads = is(kReadValid);
  for (const auto &[asked, is_beat, lane] : {std::tuple{writes, is(kWriteIsBeat), kWriteAddress},
                                             std::tuple{reads, is(kReadIsBeat), kReadAddress}}) {
    if (!asked) continue;
    const uint64_t address = asks_.get(lane);
    if (is_beat && address % kRowBytes == 0 && address < kBytes && is(kPresent)) continue;
    throw std::runtime_error(fmt::format(
        "found an access to the DIMM at {:#x}, expected one beat of 64 bytes below {:#x}", address,
        kBytes));
  }
  if (front(writes_) != nullptr && is(kWriteAnswerTaken)) end_write();
  if (front(reads_) != nullptr && is(kRowTaken)) reads_.pop_front();
  if (writes && takes_address_) {
    has_address_ = true;
    address_ = asks_.get(kWriteAddress);
    id_ = static_cast<uint16_t>(flags >> kWriteId);
  }
  if (is(kDataValid) && takes_data_) {
    has_data_ = true;
    strobe_ = asks_.get(kStrobe);
    for (uint32_t i = 0; i < kLanes; ++i) data_[i] = asks_.get(kData + i);
  }
  if (reads && takes_read_) take_read();
  if (has_address_ && has_data_) take_write();
  ++now_;
}

}  // namespace firesim
