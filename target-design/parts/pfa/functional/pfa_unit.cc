// SPDX-License-Identifier: BSD-3-Clause
// Fetching and evicting pages, and walks that wait; see pfa_unit.h.
#include "parts/pfa/functional/pfa_unit.h"

#include <algorithm>
#include <cstring>

namespace firesim::functional::pfa {
namespace {

constexpr const char *kName = "page-fault accelerator";
constexpr uint64_t kWindowBytes = 0x800'0000;
constexpr uint64_t kMostTries = 0xff;

}  // namespace

bool PfaUnit::asks() const {
  const auto waits = [this](const PageAndFrame &pair) { return pair.page == fetched_pair_.page; };
  return read_.is_due && std::none_of(leaving_.begin(), leaving_.end(), waits);
}

uint64_t PfaUnit::entry_address(uint32_t offset) const {
  return (shown_ & ~(kWindowBytes - 1)) | (offset & (kWindowBytes - 1));
}

uint64_t PfaUnit::load_entry(uint32_t offset) {
  uint64_t entry = 0;
  if (const uint8_t *at = memory_->read(entry_address(offset), sizeof entry, now_, kName)) {
    std::memcpy(&entry, at, sizeof entry);
  }
  return entry;
}

std::optional<uint64_t> PfaUnit::read_entry(uint32_t offset) {
  const uint64_t entry = load_entry(offset);
  const bool again = walked_ == offset;
  if (!again) ++walks_;
  if (again && std::exchange(answers_, false)) {
    walked_ = 0;
    return entry;
  }
  const bool starts =
      enabled_ != 0 && is_remote(entry) && !free_.empty() && fresh_.size() < kQueueDepth;
  if (!starts) {
    if (again) walked_ = 0;
    return entry;
  }
  if (fetches_ == For::kNobody) {
    walked_ = offset;
    begun_ = now_;
    start(For::kWalk, {page_of(entry), free_.front()});
  } else if (fetches_ == For::kSoftware) {
    walked_ = offset;
  }
  return std::nullopt;
}

void PfaUnit::start(For whom, PageAndFrame pair) {
  fetches_ = whom;
  fetched_pair_ = pair;
  asked_ = 0;
  ++read_.tag;
  read_.is_due = true;
}

bool PfaUnit::from_link(StreamFrame &frame, uint64_t cycle) {
  now_ = std::max(now_, cycle);
  const bool ours =
      enabled_ != 0 && frame.size() > 1 && frame[0] >> 16 == own_ && frame[1] >> 48 == kEtherType;
  if (ours && frame.size() > 3) arrive(frame);
  return !ours;
}

void PfaUnit::arrive(const StreamFrame &frame) {
  const uint64_t kind = frame[2], tag = frame[3];
  if (kind == kData && read_.is_awaited && tag == read_.tag) {
    read_.is_awaited = false;
    if (frame.size() == kHeadWords + kPageWords) {
      memory_->write(fetched_pair_.address(), frame.data() + kHeadWords, kPageBytes, now_, kName);
      end_fetch(true);
    } else {
      read_.is_due = true;  // it was no whole page
    }
  } else if (kind == kWritten && write_.is_awaited && tag == write_.tag) {
    end_eviction();
  }
}

void PfaUnit::end_fetch(bool arrived) {
  fetched_ += arrived ? 1 : 0;
  if (fetches_ == For::kSoftware) {
    failed_ = arrived ? 0 : 1;
  } else {
    waited_ += now_ - begun_;
    if (arrived) {
      change_entry();
    } else {
      answers_ = true;
    }
  }
  fetches_ = For::kNobody;
  released_ = true;
}

void PfaUnit::change_entry() {
  const auto offset = static_cast<uint32_t>(walked_);
  const uint64_t entry = local(load_entry(offset), fetched_pair_.frame);
  memory_->write(entry_address(offset), &entry, sizeof entry, now_, kName);
  free_.pop_front();
  fresh_.push_back(fetched_pair_);
  answers_ = true;
}

void PfaUnit::end_eviction() {
  leaving_.pop_front();
  ++evicted_;
  ++write_.tag;
  write_.is_awaited = false;
  write_.is_due = !leaving_.empty();
}

StreamFrame PfaUnit::next_frame(uint64_t cycle) {
  now_ = std::max(now_, cycle);
  const uint64_t deadline = now_ + timeout_ + 1;
  if (asks()) {
    repeated_ += asked_ == 0 ? 0 : 1;
    asked_ = std::min(asked_ + 1, kMostTries);
    read_ = {read_.tag, false, true, deadline};
    return Message{kRead, read_.tag, fetched_pair_.page}.frame(own_, peer_, kShortWords);
  }
  if (!writes()) return {};
  const PageAndFrame &pair = leaving_.front();
  repeated_ += write_.is_awaited ? 1 : 0;
  write_ = {write_.tag, false, true, deadline};
  StreamFrame frame =
      Message{kWrite, write_.tag, pair.page}.frame(own_, peer_, kHeadWords + kPageWords);
  if (const uint8_t *at = memory_->read(pair.address(), kPageBytes, now_, kName)) {
    std::memcpy(frame.data() + kHeadWords, at, kPageBytes);
  }
  return frame;
}

// An answer to a message that is to be sent again may still come.
void PfaUnit::expire(Exchange &exchange) {
  if (exchange.is_awaited && !exchange.is_due && now_ >= exchange.deadline) exchange.is_due = true;
}

void PfaUnit::advance(uint64_t cycle) {
  now_ = std::max(now_, cycle);
  expire(write_);
  expire(read_);
  if (read_.is_awaited && read_.is_due) {
    read_.is_awaited = false;
    if (tries_ != 0 && asked_ >= tries_) {
      read_.is_due = false;
      end_fetch(false);
    }
  }
}

uint64_t PfaUnit::next_event() const {
  uint64_t next = kNever;
  for (const Exchange *each : {&read_, &write_}) {
    if (each->is_awaited && !each->is_due) next = std::min(next, each->deadline);
  }
  return next;
}

}  // namespace firesim::functional::pfa
