// SPDX-License-Identifier: BSD-3-Clause
// Send queues; see requester.h. Whatever happens to a queue pair is one event.
#include "parts/rdma/functional/requester.h"

#include <algorithm>
#include <bit>

#include "parts/rdma/functional/state_fields.h"

namespace firesim::functional::rdma {
namespace {

uint64_t bit(uint32_t qp) { return uint64_t{1} << qp; }

// Cycles at 3.2 GHz of IBTA's code: 4.096 us << code, 1.8 s at most.
uint64_t timeout_cycles(uint32_t code) { return uint64_t{13107} << std::min(code, 17u); }

// Of a negative acknowledgement "not ready", in steps of 0.01 ms.
uint64_t not_ready_cycles(uint32_t code) {
  constexpr uint32_t kSteps[] = {65536, 1,    2,    3,     4,     6,     8,     12,
                                 16,    24,   32,   48,    64,    96,    128,   192,
                                 256,   384,  512,  768,   1024,  1536,  2048,  3072,
                                 4096,  6144, 8192, 12288, 16384, 24576, 32768, 49152};
  return uint64_t{kSteps[code & 31]} * 32'000;
}

}  // namespace

void Requester::configure(uint32_t qp, uint16_t start) {
  windows_[qp] = Window();
  Window &window = windows_[qp];
  window.oldest = window.next = window.most = window.end = around_.pairs.configs[qp].send_psn();
  window.head = window.send = window.tail = start;
  deadlines_[qp] = kNever;
  for (uint64_t *set : {&asked_, &ready_, &waiting_}) *set &= ~bit(qp);
}

Requester::Beginning Requester::beginning(uint32_t qp) const {
  const Window &window = windows_[qp];
  if (window.is_empty()) return {window.head, window.oldest, false};
  return {window.head, window.at(window.head).first_psn, true};
}

void Requester::ring(uint32_t qp) {
  asked_ |= bit(qp);
  Event now = event(qp);
  finish(now);
}

// What could not be fetched before may be now, and there may be something to send.
void Requester::finish(const Event &event) {
  Event again = event;
  fetch(again);
  const bool sendable = again.window.sendable(again.config);
  ready_ = (ready_ & ~bit(again.qp)) | (sendable ? bit(again.qp) : 0);
}

void Requester::fetch(Event &event) {
  Window &window = event.window;
  while ((asked_ & bit(event.qp)) != 0 && !window.is_full()) {
    if (around_.pairs.work[event.qp] == window.tail) {
      asked_ &= ~bit(event.qp);
      return;
    }
    WorkEntry entry;
    around_.dma.read(event.config.send_entry(window.tail), entry.words.data(), sizeof entry.words);
    if (!begin(event, entry)) return;
  }
}

// One that is refused has to wait until those before it have ended: false.
bool Requester::begin(Event &event, const WorkEntry &entry) {
  Window &window = event.window;
  const Access access{entry.local_key(),
                      entry.address(),
                      entry.bytes(),
                      event.config.domain(),
                      entry.opcode() == kWorkRead ? kLocalWrite : uint8_t{0},
                      event.config.physical()};
  const std::optional<uint64_t> physical = around_.regions.find(access);
  const Work work(entry, physical.value_or(0), event.config, window.end);
  const bool flushed = around_.pairs.has_failed(event.qp) || !event.config.enabled();
  const bool too_long = entry.bytes() >> 31 != 0;
  const bool refused = flushed || !entry.known() || too_long || !physical;
  if (!window.is_empty() && (refused || !window.fits(work.packets))) {
    window.blocked = true;
    return false;
  }
  if (refused) {
    const Status status = flushed          ? Status::kFlushed
                          : !entry.known() ? Status::kLocalOperation
                          : too_long       ? Status::kLocalLength
                                           : Status::kLocalProtection;
    fail(event, work, status, !flushed);
    return true;
  }
  if (window.is_empty()) {
    window.retries = event.config.retries();
    window.not_ready_retries = event.config.not_ready_retries();
  }
  window.at(window.tail) = work;
  ++window.tail;
  window.end = work.end_psn();
  window.blocked = false;
  return true;
}

std::optional<TxPacket> Requester::next_packet(uint64_t may_go) {
  uint64_t candidates = ready() & may_go;
  while (candidates != 0) {
    const uint64_t after = turn_ == kQps - 1 ? 0 : candidates & ~uint64_t{0} << (turn_ + 1);
    turn_ = static_cast<uint32_t>(std::countr_zero(after != 0 ? after : candidates));
    candidates &= ~bit(turn_);
    Event now = event(turn_);
    Window &window = now.window;
    const Work &work = window.at(window.send);
    const uint16_t received = around_.pairs.received[work.awaited_qp];
    if (reduces_ && work.awaits() && static_cast<int16_t>(received - work.awaited) < 0) {
      waiting_ |= bit(now.qp);
      continue;
    }
    const TxPacket packet = work.packet(now.qp, now.config, window.next);
    const uint32_t end = work.end_psn();
    const uint32_t sent = work.is_read() ? end : psn_add(window.next, 1);
    window.next = sent;
    if (psn_distance(window.oldest, sent) > psn_distance(window.oldest, window.most)) {
      window.most = sent;
    }
    if (sent == end) {
      if (work.is_read()) ++window.reads;
      ++window.send;
      if (!window.timed) set_timer(now, true);
    }
    finish(now);
    return packet;
  }
  return std::nullopt;
}

void Requester::set_timer(Event &event, bool runs) {
  const bool counts = runs && event.config.timeout_code() != 0;
  deadlines_[event.qp] =
      counts ? around_.dma.cycle() + timeout_cycles(event.config.timeout_code()) : kNever;
  event.window.timed = runs;
}

// There is progress: up to `to`, within or at the end of the oldest work request.
void Requester::advance(Event &event, uint32_t to) {
  Window &window = event.window;
  const bool begun = window.send == window.head;  // not wholly sent, or to be sent again
  const uint32_t oldest = window.oldest;
  window.oldest = to;
  window.retries = event.config.retries();
  window.not_ready_retries = event.config.not_ready_retries();
  window.gap = false;
  if (begun && psn_distance(oldest, to) > psn_distance(oldest, window.next)) window.next = to;
}

void Requester::complete(const Event &event, const Work &work, Status status) {
  around_.completions.add(work.completion(event.qp, event.config, status));
}

// The oldest work request ends as it should.
void Requester::succeed(Event &event) {
  Window &window = event.window;
  const Work work = window.at(window.head);
  const bool sent = window.send != window.head;
  advance(event, work.end_psn());
  ++window.head;
  window.waits = false;
  if (!sent) window.send = window.head;
  if (sent && work.is_read()) --window.reads;
  set_timer(event, sent && window.send != window.head);
  event.moved = true;
  if (work.signaled()) complete(event, work, Status::kSuccess);
}

// The oldest work request, or the one being fetched, ends; those behind it are fetched again, and
// flushed.
void Requester::fail(Event &event, const Work &work, Status status, bool first) {
  const Work failed = work;
  const uint16_t others = event.window.head + 1;
  if (first) around_.pairs.fail(event.qp);
  event.window = Window();
  event.window.head = event.window.send = event.window.tail = others;
  set_timer(event, false);
  asked_ |= bit(event.qp);
  complete(event, failed, status);
}

// Everything from `from` on, which is of the oldest work request, is to be sent again.
void Requester::rewind(Event &event, uint32_t from) {
  Window &window = event.window;
  window.oldest = from;
  window.next = from;
  window.send = window.head;
  window.reads = 0;
  waiting_ &= ~bit(event.qp);  // what is sent again has waited already
  set_timer(event, false);     // until the last packet has gone
}

void Requester::go_back(Event &event, uint32_t from) {
  Window &window = event.window;
  const bool progress = event.moved || from != window.oldest;
  if (window.retries == 0 && !progress) {
    fail(event, window.at(window.head), Status::kRetriesExceeded);
    return;
  }
  const uint8_t left = progress ? event.config.retries() : window.retries - 1;
  rewind(event, from);
  window.gap = true;
  window.retries = left;
  around_.counters.count(kWentBack);
}

bool Requester::take(const RxPacket &response) {
  if (!is_for(around_.pairs, response)) return false;
  Event now = event(response.qp);
  while (take_one(now, response)) continue;
  finish(now);
  return true;
}

// Whether the response says something of the next work request, too.
bool Requester::take_one(Event &event, const RxPacket &response) {
  Window &window = event.window;
  const uint32_t delta = psn_distance(window.oldest, response.psn);
  if (delta >= psn_distance(window.oldest, window.most)) return false;
  const Work &work = window.at(window.head);
  const bool is_ack = response.opcode == kAcknowledge;
  const bool positive = is_ack && response.syndrome() >> 5 == 0;
  // How much of the oldest packet and of those behind is done, and how much is left.
  const uint32_t done = psn_add(delta, positive ? 1 : 0);
  const uint32_t left = psn_distance(window.oldest, work.end_psn());
  if (work.is_read() && done != 0) {  // responses of a READ, before this one
    if (!window.gap) go_back(event, window.oldest);
    return false;
  }
  if (!work.is_read() && done >= left) {
    succeed(event);
    return !positive || done != left;
  }
  if (is_ack) {
    acknowledge(event, response, done);
  } else if (work.is_read()) {
    take_data(event, response);
  }
  return false;
}

// It says something of the oldest work request, and nothing of those behind.
void Requester::acknowledge(Event &event, const RxPacket &response, uint32_t done) {
  Window &window = event.window;
  const Work &work = window.at(window.head);
  const uint32_t reached = psn_add(window.oldest, done);
  const uint8_t syndrome = response.syndrome();
  if (syndrome >> 5 == 0) {
    advance(event, reached);
    if (!window.waits) set_timer(event, window.send != window.head);
  } else if (syndrome >> 5 == 1 && !window.waits) {
    wait_for_buffer(event, reached, syndrome & 31);
  } else if (syndrome == kSequenceError) {
    go_back(event, reached);
  } else if (syndrome == kInvalidRequest) {
    fail(event, work, Status::kRemoteInvalid);
  } else if (syndrome == kAccessError) {
    fail(event, work, Status::kRemoteAccess);
  } else if (syndrome == kOperationError) {
    fail(event, work, Status::kRemoteOperation);
  }
}

void Requester::wait_for_buffer(Event &event, uint32_t reached, uint8_t code) {
  Window &window = event.window;
  around_.counters.count(kNotReadyReceived);
  if (window.not_ready_retries == 0) {
    fail(event, window.at(window.head), Status::kNotReadyExceeded);
    return;
  }
  rewind(event, reached);
  if (window.not_ready_retries != 7) --window.not_ready_retries;
  window.waits = true;
  deadlines_[event.qp] = around_.dma.cycle() + not_ready_cycles(code);
}

void Requester::take_data(Event &event, const RxPacket &response) {
  Window &window = event.window;
  const Work &work = window.at(window.head);
  const uint32_t before = work.offset(event.config, window.oldest);
  if (response.bytes() != std::min(work.bytes - before, event.config.mtu())) return;
  around_.dma.write(work.address + before, response.payload.data(), response.bytes());
  if (psn_distance(window.oldest, work.end_psn()) == 1) {
    succeed(event);
    return;
  }
  advance(event, psn_add(window.oldest, 1));
  set_timer(event, window.send != window.head);
}

uint64_t Requester::next_timer() const {
  return *std::min_element(deadlines_.begin(), deadlines_.end());
}

void Requester::expire() {
  for (uint32_t qp = 0; qp < kQps; ++qp) {
    if (deadlines_[qp] > around_.dma.cycle()) continue;
    deadlines_[qp] = kNever;
    around_.counters.count(kTimedOut);
    Event now = event(qp);
    if (now.window.is_empty()) continue;
    if (now.window.waits) {
      now.window.waits = false;
      now.window.timed = false;
    } else {
      go_back(now, now.window.oldest);
    }
    finish(now);
  }
}

void Requester::save(StateWriter &state) const {
  state.section("rdma_requester", 1);
  for (const Window &window : windows_) save_fields(state, window);
  for (const uint64_t value : deadlines_) state.u64(value);
  for (const uint64_t value : {asked_, ready_, waiting_, uint64_t{turn_}}) state.u64(value);
}

void Requester::load(StateReader &state) {
  state.section("rdma_requester", 1);
  for (Window &window : windows_) load_fields(state, window);
  for (uint64_t &value : deadlines_) value = state.u64();
  for (uint64_t *value : {&asked_, &ready_, &waiting_}) *value = state.u64();
  turn_ = static_cast<uint32_t>(state.u64(kQps - 1));
}

}  // namespace firesim::functional::rdma
