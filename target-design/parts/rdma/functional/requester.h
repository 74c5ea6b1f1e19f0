// SPDX-License-Identifier: BSD-3-Clause
// Works off the send queues: fetches work requests, gives their packets, takes the responses. What
// it does, event by event, is what Requester.scala does.
#pragma once

#include <array>
#include <optional>

#include "parts/rdma/functional/counters.h"
#include "parts/rdma/functional/regions.h"
#include "parts/rdma/functional/window.h"

namespace firesim {
class StateWriter;
class StateReader;
}  // namespace firesim

namespace firesim::functional::rdma {

// What the requester and the responder work with, all of the same NIC.
struct Surroundings {
  QueuePairs &pairs;
  Regions &regions;
  CompletionQueues &completions;
  Dma &dma;
  Counters &counters;
};

class Requester {
 public:
  // Work requests may wait for messages in a NIC that reduces.
  Requester(const Surroundings &around, bool reduces) : around_(around), reduces_(reduces) {}

  // It begins with this work request.
  void configure(uint32_t qp, uint16_t start = 0);
  // The doorbell: there may be work requests.
  void ring(uint32_t qp);
  // Whether it is for a queue pair of ours.
  bool take(const RxPacket &response);
  // The timers that have run out by now.
  void expire();
  uint64_t next_timer() const;

  // From where on a queue pair that goes on elsewhere has to send again what is not acknowledged.
  struct Beginning {
    uint16_t work = 0;
    uint32_t psn = 0;
    bool sends_again = false;
  };
  Beginning beginning(uint32_t qp) const;

  // Queue pairs that have a packet to send, and are not waiting for a message.
  uint64_t ready() const { return ready_ & ~waiting_; }
  // The next packet of those in `may_go`, which take turns; none if all of them have to wait.
  std::optional<TxPacket> next_packet(uint64_t may_go);
  // A message has been received: work requests that wait look again.
  void message_received() { waiting_ = 0; }

  void save(StateWriter &state) const;
  void load(StateReader &state);

 private:
  static constexpr uint64_t kNever = UINT64_MAX;

  // A queue pair, and the oldest work request of it, while something happens to it.
  struct Event {
    uint32_t qp;
    const QpConfig &config;
    Window &window;
    bool moved = false;  // it has ended a work request
  };

  Event event(uint32_t qp) { return {qp, around_.pairs.configs[qp], windows_[qp]}; }
  void finish(const Event &event);
  void fetch(Event &event);
  bool begin(Event &event, const WorkEntry &entry);

  void set_timer(Event &event, bool runs);
  void advance(Event &event, uint32_t to);
  void complete(const Event &event, const Work &work, Status status);
  void succeed(Event &event);
  void fail(Event &event, const Work &work, Status status, bool first = true);
  void rewind(Event &event, uint32_t from);
  void go_back(Event &event, uint32_t from);
  bool take_one(Event &event, const RxPacket &response);
  void acknowledge(Event &event, const RxPacket &response, uint32_t done);
  void wait_for_buffer(Event &event, uint32_t reached, uint8_t code);
  void take_data(Event &event, const RxPacket &response);

  Surroundings around_;
  bool reduces_;
  std::array<Window, kQps> windows_;
  std::array<uint64_t, kQps> deadlines_ = [] {
    std::array<uint64_t, kQps> none;
    none.fill(kNever);
    return none;
  }();
  uint64_t asked_ = 0;    // may have work requests
  uint64_t ready_ = 0;    // have a packet to send
  uint64_t waiting_ = 0;  // for messages
  uint32_t turn_ = 0;     // the last one that had its turn
};

}  // namespace firesim::functional::rdma
