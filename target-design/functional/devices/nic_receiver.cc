// SPDX-License-Identifier: BSD-3-Clause
// Packet buffer and writer; see nic_receiver.h.
#include "functional/devices/nic_receiver.h"

#include <algorithm>

#include "core/state.h"
#include "functional/devices/toeplitz.h"

namespace firesim::functional {
namespace {

constexpr uint64_t kNoCycle = UINT64_MAX;
constexpr uint64_t kAddressMask = 0xffff'ffff'fff8;

template <typename T>
void save_queue(StateWriter &state, const std::deque<T> &queue) {
  state.u64s(std::vector<uint64_t>(queue.begin(), queue.end()));
}

template <typename T>
void load_queue(StateReader &state, std::deque<T> &queue, uint64_t most) {
  queue.clear();
  for (const uint64_t entry : state.u64s(most)) queue.push_back(static_cast<T>(entry));
}

}  // namespace

void NicReceiver::request(uint32_t queue, uint64_t address) {
  std::deque<uint64_t> &requests = queues_[queue].requests;
  if (requests.size() == kQueueDepth) return;
  requests.push_back(address & kAddressMask);
  start_write(now_);
}

uint32_t NicReceiver::take_completion(uint32_t queue) {
  std::deque<uint32_t> &completions = queues_[queue].completions;
  if (completions.empty()) return 0;
  const uint32_t completion = completions.front();
  completions.pop_front();
  // A packet that was written and waited for room.
  const bool written = writing_ && write_start_ + lengths_.front() <= now_;
  if (written && owners_.front() == queue) finish_write(now_);
  return completion;
}

bool NicReceiver::at_rest() const {
  const auto has_completions = [](const Queue &queue) { return !queue.completions.empty(); };
  return !writing_ && std::none_of(queues_.begin(), queues_.end(), has_completions);
}

uint32_t NicReceiver::owner_of(std::span<const uint64_t> packet) const {
  if (queues_.size() == 1) return 0;
  const std::optional<uint32_t> hash = flow_hash(packet);
  if (!hash) return 0;
  const uint32_t entry = *hash % kIndirections;
  const uint64_t queue = table_[entry / 32] >> (2 * (entry % 32)) & 3;
  return static_cast<uint32_t>(queue % queues_.size());
}

uint64_t NicReceiver::next_event() const {
  if (writing_) return has_room() ? write_start_ + lengths_.front() : kNoCycle;
  // A packet that waits for a buffer of its queue holds up all others.
  if (!lengths_.empty()) return kNoCycle;
  const auto has_requests = [](const Queue &queue) { return !queue.requests.empty(); };
  const bool any = std::any_of(queues_.begin(), queues_.end(), has_requests);
  return any ? input_.first_packet_end() : kNoCycle;
}

uint64_t NicReceiver::used(uint64_t cycle) const {
  const uint64_t held = words_.size() - first_word_;
  if (!writing_ || cycle <= write_start_) return held;
  return held - std::min<uint64_t>(lengths_.front(), cycle - write_start_ - 1);
}

// Arrivals and the writer in order of time; within a cycle, arrivals first.
void NicReceiver::advance(uint64_t cycle) {
  now_ = std::max(now_, cycle);
  for (;;) {
    const uint64_t arrival = input_.empty() ? kNoCycle : input_.front().cycle;
    const bool finishes = writing_ && has_room();
    const uint64_t finish = finishes ? write_start_ + lengths_.front() : kNoCycle;
    if (std::min(arrival, finish) > now_) return;
    if (arrival > finish) {
      finish_write(finish);
      continue;
    }
    const uint64_t until = std::min(now_, finish);
    take_flits(
        static_cast<uint32_t>(std::min<uint64_t>(input_.front().length, until - arrival + 1)));
  }
}

// Takes the first flits of the earliest run. Nothing else happens in their cycles but that the
// writer frees words.
void NicReceiver::take_flits(uint32_t count) {
  const FlitTimeline::Run run = input_.front();
  const uint64_t *data = input_.data();
  const bool last = run.last && count == run.length;
  const uint32_t plain = last ? count - 1 : count;  // flits that do not end the packet
  const bool fit = !dropping_ && used(run.cycle) + plain < kBufferWords &&
                   arriving_words_ + plain < kMostFrameWords;
  if (fit) {
    words_.insert(words_.end(), data, data + plain);
    arriving_words_ += plain;
  } else {
    for (uint32_t i = 0; i < plain; ++i) take_flit(data + i, run.cycle + i, false);
  }
  if (last) take_flit(data + plain, run.cycle + plain, true);
  flits_ += count;
  input_.pop(count);
}

void NicReceiver::take_flit(const uint64_t *data, uint64_t cycle, bool last) {
  const bool fits = used(cycle) < kBufferWords && arriving_words_ < kMostFrameWords;
  const bool stored = !dropping_ && fits;
  if (stored) {
    words_.push_back(*data);
    ++arriving_words_;
  }
  if (!stored) {  // what has been stored of the packet goes
    words_.resize(words_.size() - arriving_words_);
    arriving_words_ = 0;
  }
  dropping_ = !last && !stored;
  if (!last) return;
  ++packets_;
  // The packet being written has left the queue of lengths.
  const size_t waiting = lengths_.size() - (writing_ ? 1 : 0);
  if (stored && waiting < kMostPackets) {
    lengths_.push_back(arriving_words_);
    owners_.push_back(owner_of({words_.data() + words_.size() - arriving_words_, arriving_words_}));
    arriving_words_ = 0;
    start_write(cycle);
    return;
  }
  words_.resize(words_.size() - arriving_words_);
  arriving_words_ = 0;
  ++drops_;
}

void NicReceiver::start_write(uint64_t cycle) {
  if (writing_ || lengths_.empty() || oldest().requests.empty()) return;
  writing_ = true;
  address_ = oldest().requests.front();
  oldest().requests.pop_front();
  write_start_ = cycle;
}

void NicReceiver::finish_write(uint64_t cycle) {
  const uint32_t words = lengths_.front();
  memory_->write(address_, words_.data() + first_word_, uint64_t{words} * 8, cycle, "NIC");
  const std::span<const uint64_t> packet(words_.data() + first_word_, words);
  const uint32_t sum = sums_ ? internet_sum(packet, kSumStart) : 0;
  oldest().completions.push_back(sum << 16 | words * 8);
  lengths_.pop_front();
  owners_.pop_front();
  writing_ = false;
  first_word_ += words;
  if (first_word_ == words_.size() || first_word_ >= kBufferWords) {
    words_.erase(words_.begin(), words_.begin() + static_cast<ptrdiff_t>(first_word_));
    first_word_ = 0;
  }
  start_write(cycle);
}

std::vector<Flit> NicReceiver::unread(bool &cut) const {
  std::vector<Flit> all;
  size_t word = first_word_;
  for (const uint32_t length : lengths_) {
    for (uint32_t i = 0; i < length; ++i) all.push_back({words_[word++], i + 1 == length});
  }
  for (; word < words_.size(); ++word) all.push_back({words_[word], false});
  cut = dropping_;
  for (const Flit &flit : input_.flits()) {
    if (!cut) all.push_back(flit);
    cut = cut && !flit.last;
  }
  return all;
}

void NicReceiver::save(StateWriter &state) const {
  input_.save(state);
  state.u64(now_);
  state.u64s({words_.data() + first_word_, words_.size() - first_word_});
  save_queue(state, lengths_);
  state.u64(arriving_words_);
  state.boolean(dropping_);
  save_queue(state, queues_[0].requests);
  save_queue(state, queues_[0].completions);
  state.boolean(writing_);
  state.u64(address_);
  state.u64(write_start_);
  state.u64(drops_);
  state.u64(flits_);
  state.u64(packets_);
}

void NicReceiver::load(StateReader &state) {
  input_.load(state);
  // What comes next comes later.
  if (input_.end_cycle() > state.cycle().value_or(UINT64_MAX))
    state.fail("found flits that have not arrived yet");
  now_ = state.past_cycle();
  words_ = state.u64s(kBufferWords + kMostFrameWords);
  first_word_ = 0;
  load_queue(state, lengths_, kMostPackets + 1);
  owners_.assign(lengths_.size(), 0);  // without load_queues
  arriving_words_ = static_cast<uint32_t>(state.u64(kMostFrameWords));
  dropping_ = state.boolean();
  load_queue(state, queues_[0].requests, kQueueDepth);
  load_queue(state, queues_[0].completions, kQueueDepth);
  writing_ = state.boolean();
  address_ = state.u64(kAddressMask);
  write_start_ = state.past_cycle();
  drops_ = static_cast<uint32_t>(state.u64(UINT32_MAX));
  flits_ = state.u64();
  packets_ = state.u64();
  uint64_t held = arriving_words_;
  for (const uint32_t length : lengths_) held += length;
  if (held != words_.size() || (writing_ && lengths_.empty())) {
    state.fail("the packets in the NIC do not match their data");
  }
}

void NicReceiver::save_queues(StateWriter &state) const {
  state.section("nic_queues", 1);
  save_queue(state, owners_);
  state.u64s({table_.data(), table_.size()});
  for (size_t i = 1; i < queues_.size(); ++i) {
    save_queue(state, queues_[i].requests);
    save_queue(state, queues_[i].completions);
  }
}

void NicReceiver::load_queues(StateReader &state) {
  state.section("nic_queues", 1);
  load_queue(state, owners_, lengths_.size());
  const auto unknown = [this](uint32_t owner) { return owner >= queues_.size(); };
  if (owners_.size() != lengths_.size() || std::any_of(owners_.begin(), owners_.end(), unknown)) {
    state.fail("the packets in the NIC do not match its receive queues");
  }
  const std::vector<uint64_t> table = state.u64s(kTableWords);
  if (table.size() != kTableWords) state.fail("found part of the NIC's indirection table");
  std::copy(table.begin(), table.end(), table_.begin());
  for (size_t i = 1; i < queues_.size(); ++i) {
    load_queue(state, queues_[i].requests, kQueueDepth);
    load_queue(state, queues_[i].completions, kQueueDepth);
  }
}

}  // namespace firesim::functional
