// SPDX-License-Identifier: BSD-3-Clause
// NIC registers; see nic.h.
#include "functional/devices/nic.h"

#include <algorithm>

#include "core/state.h"

namespace firesim::functional {
namespace {

constexpr uint32_t kSendRequest = 0x00, kReceiveRequest = 0x08, kSendComplete = 0x10;
constexpr uint32_t kReceiveComplete = 0x18, kCounts = 0x20, kMac = 0x28, kInterruptMask = 0x30;
constexpr uint32_t kRate = 0x38, kDrops = 0x40, kMaxFrame = 0x48;
constexpr uint32_t kFeatures = 0x50, kSendChecksum = 0x58, kModeration = 0x60;
constexpr uint32_t kTable = 0x80;
// Of each receive queue beyond the first, at the offsets of the first one's.
constexpr uint32_t kQueuePage = 0x100;
constexpr uint64_t kThereIsOne = uint64_t{1} << 63;

constexpr RegisterInfo kRegisters[] = {{kSendRequest, 8, RegisterInfo::kWrite},
                                       {kReceiveRequest, 8, RegisterInfo::kWrite},
                                       {kSendComplete, 8, RegisterInfo::kRead},
                                       {kReceiveComplete, 8, RegisterInfo::kRead},
                                       {kCounts, 4, RegisterInfo::kRead},
                                       {kMac, 8, RegisterInfo::kRead},
                                       {kInterruptMask, 4, RegisterInfo::kReadWrite},
                                       {kRate, 4, RegisterInfo::kReadWrite},
                                       {kDrops, 4, RegisterInfo::kRead},
                                       {kMaxFrame, 4, RegisterInfo::kRead},
                                       // Of a NIC with features.
                                       {kFeatures, 4, RegisterInfo::kRead},
                                       {kSendChecksum, 4, RegisterInfo::kWrite},
                                       {kModeration, 4, RegisterInfo::kReadWrite}};
constexpr size_t kUsualRegisters = 10;

// Of each receive queue; those of the ones beyond the first.
constexpr RegisterInfo kQueueRegisters[] = {{kReceiveRequest, 8, RegisterInfo::kWrite},
                                            {kReceiveComplete, 8, RegisterInfo::kRead},
                                            {kCounts, 4, RegisterInfo::kRead},
                                            {kInterruptMask, 4, RegisterInfo::kReadWrite},
                                            {kModeration, 4, RegisterInfo::kReadWrite}};

std::vector<RegisterInfo> registers_of(const NicFeatures &features) {
  const std::span<const RegisterInfo> all = kRegisters;
  const auto first = features.any() ? all : all.first(kUsualRegisters);
  std::vector<RegisterInfo> found(first.begin(), first.end());
  if (features.queues == 1) return found;
  for (uint32_t i = 0; i < NicReceiver::kTableWords; ++i) {
    found.push_back({static_cast<uint16_t>(kTable + 8 * i), 8, RegisterInfo::kReadWrite});
  }
  for (uint32_t queue = 1; queue < features.queues; ++queue) {
    for (RegisterInfo info : kQueueRegisters) {
      info.offset = static_cast<uint16_t>(info.offset + queue * kQueuePage);
      found.push_back(info);
    }
  }
  return found;
}

}  // namespace

void Nic::set_features(NicFeatures features) {
  features_ = features;
  registers_ = registers_of(features);
  lines_.resize(features.queues);
  receiver_.spread(features.queues);
  if (features.checksum) receiver_.make_sums();
}

void Nic::add_stage(StreamStage &stage) {
  if (!socket_) {
    socket_ =
        std::make_unique<StreamSocket>(sender_.rate(), delay_cycles_, receiver_.input(), output_);
    sender_.redirect(socket_->from_dma());
  }
  socket_->add(stage);
}

// In steps, as what becomes pending is held back from its own cycle on, and stages see frames in
// their cycles.
void Nic::advance(uint64_t cycle) {
  while (features_.moderation || socket_) {
    const uint64_t next = next_change();
    if (next >= cycle) break;
    advance_to(next);
  }
  advance_to(cycle);
}

void Nic::advance_to(uint64_t cycle) {
  sender_.advance(cycle);
  if (socket_) {
    socket_->advance(cycle);
    sender_.hold(socket_->is_full());
  }
  receiver_.advance(cycle);
  now_ = std::max(now_, cycle);
  note_pending();
}

uint64_t Nic::next_change() const {
  const uint64_t next = std::min(sender_.next_event(), receiver_.next_event());
  return socket_ ? std::min({next, sender_.packet_end(), socket_->next_event()}) : next;
}

bool Nic::pending(uint32_t line) const {
  const uint32_t waiting =
      (sends_complete(line) != 0 ? 1u : 0) | (receiver_.completions(line) != 0 ? 2u : 0);
  return (waiting & lines_[line].mask) != 0;
}

void Nic::note_pending() {
  for (uint32_t line = 0; line < lines_.size(); ++line) {
    uint64_t &since = lines_[line].pending_since;
    if (!pending(line)) {
      since = kNever;
    } else if (since == kNever) {
      since = now_;
    }
  }
}

uint64_t Nic::held_until(uint32_t line) const {
  const uint32_t moderation = lines_[line].moderation, packets = moderation >> 24;
  const uint32_t waiting = sends_complete(line) + receiver_.completions(line);
  const bool many = packets != 0 && waiting >= packets;
  return lines_[line].pending_since + (many ? 0 : moderation & 0xff'ffff);
}

uint64_t Nic::next_event() const {
  uint64_t next = next_change();
  for (uint32_t line = 0; line < lines_.size(); ++line) {
    if (lines_[line].moderation == 0 || lines_[line].pending_since == kNever) continue;
    if (held_until(line) > now_) next = std::min(next, held_until(line));
  }
  return next;
}

bool Nic::raises(uint32_t line) const {
  return pending(line) && (lines_[line].moderation == 0 || held_until(line) <= now_);
}

uint64_t Nic::read_register(uint32_t offset) {
  switch (offset) {
    case kSendComplete: {
      const bool found = sender_.take_completion();
      note_pending();
      return found ? kThereIsOne : 0;
    }
    case kMac:
      return mac_;
    case kRate:
      return socket_ ? socket_->rate() : sender_.rate();
    case kDrops:
      return receiver_.drops();
    case kMaxFrame:
      return NicReceiver::kMostFrameWords * 8;
    case kFeatures:
      return features_.word();
    default:
      if (offset >= kTable && offset < kQueuePage) return receiver_.table((offset - kTable) / 8);
      return read_queue(offset / kQueuePage, offset % kQueuePage);
  }
}

uint64_t Nic::read_queue(uint32_t queue, uint32_t offset) {
  switch (offset) {
    case kReceiveComplete: {
      const uint32_t found = receiver_.take_completion(queue);
      note_pending();
      return found == 0 ? 0 : kThereIsOne | uint64_t{found >> 16} << 32 | (found & 0xffff);
    }
    case kCounts: {
      const uint32_t free_sends = queue == 0 ? sender_.free_requests() : 0;
      return free_sends | receiver_.free_requests(queue) << 8 | sends_complete(queue) << 16 |
             receiver_.completions(queue) << 24;
    }
    case kInterruptMask:
      return lines_[queue].mask;
    default:
      return lines_[queue].moderation;
  }
}

void Nic::write_register(uint32_t offset, uint64_t value) {
  switch (offset) {
    case kSendRequest:
      sender_.request(value);
      break;
    case kSendChecksum:
      if (features_.checksum) sender_.ask_for_checksum(static_cast<uint32_t>(value));
      break;
    case kRate:
      if (socket_) {
        socket_->set_rate(static_cast<uint32_t>(value));
      } else {
        sender_.set_rate(static_cast<uint32_t>(value));
      }
      break;
    default:
      if (offset >= kTable && offset < kQueuePage) {
        receiver_.set_table((offset - kTable) / 8, value);
      } else {
        write_queue(offset / kQueuePage, offset % kQueuePage, value);
      }
  }
}

void Nic::write_queue(uint32_t queue, uint32_t offset, uint64_t value) {
  switch (offset) {
    case kReceiveRequest:
      receiver_.request(queue, value);
      break;
    case kInterruptMask:
      lines_[queue].mask = value & 3;
      note_pending();
      break;
    default:
      if (features_.moderation) lines_[queue].moderation = static_cast<uint32_t>(value);
  }
}

nlohmann::json Nic::statistics() const {
  if (socket_) {
    const StreamSocket::Counts &counts = socket_->counts();
    return {{"flits_in", counts.flits_in},
            {"flits_out", counts.flits_out},
            {"packets_dropped", receiver_.drops()},
            {"packets_in", counts.packets_in},
            {"packets_out", counts.packets_out}};
  }
  return {{"flits_in", receiver_.flits()},
          {"flits_out", sender_.flits()},
          {"packets_dropped", receiver_.drops()},
          {"packets_in", receiver_.packets()},
          {"packets_out", sender_.packets()}};
}

void Nic::save(StateWriter &state) const {
  state.section("nic", 1);
  state.u64(lines_[0].mask);
  output_.save(state);
  sender_.save(state);
  receiver_.save(state);
  if (features_.any()) save_features(state);
  if (socket_) socket_->save(state);
}

void Nic::save_features(StateWriter &state) const {
  state.section("nic_features", 1);
  state.u64(features_.word());
  state.u64(lines_[0].moderation);
  state.u64(lines_[0].pending_since);
  sender_.save_checksums(state);
  if (features_.queues == 1) return;
  receiver_.save_queues(state);
  for (size_t i = 1; i < lines_.size(); ++i) {
    state.u64(lines_[i].mask);
    state.u64(lines_[i].moderation);
    state.u64(lines_[i].pending_since);
  }
}

void Nic::load(StateReader &state) {
  state.section("nic", 1);
  lines_[0].mask = static_cast<uint32_t>(state.u64(3));
  output_.load(state);
  if (!output_.empty() && output_.front().cycle < state.cycle().value_or(0)) {
    state.fail("found a flit that should be on the link");
  }
  sender_.load(state);
  receiver_.load(state);
  if (state.next_section_is("nic_features")) load_features(state);
  if (socket_) {
    socket_->load(state);
    sender_.hold(socket_->is_full());
  }
}

void Nic::load_features(StateReader &state) {
  state.section("nic_features", 1);
  load_feature_word(state);
  lines_[0].moderation = static_cast<uint32_t>(state.u64(features_.moderation ? UINT32_MAX : 0));
  lines_[0].pending_since = state.u64();
  sender_.load_checksums(state);
  if (features_.queues == 1) return;
  receiver_.load_queues(state);
  for (size_t i = 1; i < lines_.size(); ++i) {
    lines_[i].mask = static_cast<uint32_t>(state.u64(3));
    lines_[i].moderation = static_cast<uint32_t>(state.u64(features_.moderation ? UINT32_MAX : 0));
    lines_[i].pending_since = state.u64();
  }
}

void Nic::load_feature_word(StateReader &state) {
  const uint64_t features = state.u64(NicFeatures{true, true, NicReceiver::kMostQueues}.word());
  const auto queues = std::max(static_cast<uint32_t>(features >> devices::kNicQueuesShift), 1u);
  if ((queues & (queues - 1)) != 0 || (features & 0xfc) != 0) {
    state.fail("found a NIC with features that there are not");
  }
  set_features({.checksum = (features & devices::kNicChecksum) != 0,
                .moderation = (features & devices::kNicModeration) != 0,
                .queues = queues});
}

}  // namespace firesim::functional
