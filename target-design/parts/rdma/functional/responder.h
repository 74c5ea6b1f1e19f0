// SPDX-License-Identifier: BSD-3-Clause
// Answers requests of peers: checks them, puts their data into memory, says what the peer is told.
// It judges a packet as Responder.scala does.
#pragma once

#include <array>
#include <optional>
#include <span>

#include "parts/rdma/functional/responses.h"

namespace firesim::functional::rdma {

class Responder {
 public:
  // Regions may be such that data is added to them in a NIC that reduces.
  Responder(const Surroundings &around, Responses &responses, bool reduces)
      : around_(around), responses_(&responses), reduces_(reduces) {}

  void configure(uint32_t qp);

  // What a queue pair that goes on elsewhere is told of messages, in words of the mailbox.
  static constexpr uint32_t kProgressWords = 4;
  std::array<uint64_t, kProgressWords> progress(uint32_t qp) const;
  void take_up(uint32_t qp, std::span<const uint64_t> words);
  uint32_t expected_psn(uint32_t qp) const { return contexts_[qp].psn; }

  struct Outcome {
    bool taken = false;      // it is a request to a queue pair of ours
    bool notified = false;   // it says that the queue pair's packets come marked to the peer
    bool completed = false;  // a message has a completion
  };
  Outcome take(const RxPacket &packet);

  void save(StateWriter &state) const;
  void load(StateReader &state);

 private:
  // What it knows of a queue pair.
  struct Context {
    uint32_t psn = 0;  // expected next
    uint32_t msn = 0;
    bool sends = false;     // within a SEND of several packets
    bool writes = false;    // within a WRITE of several packets
    uint32_t key = 0;       // of the region that the message goes to
    uint64_t address = 0;   // there, of the next payload
    uint32_t left = 0;      // bytes that the message, or its buffer, still has
    uint32_t received = 0;  // bytes of the message so far
    uint32_t work_id = 0;
    uint16_t index = 0;    // of the next receive request
    bool refused = false;  // the peer has been told to go back

    template <typename Field>
    void each(Field &&field) {
      field(psn, kPsnMask), field(msn, kPsnMask), field(sends), field(writes), field(key);
      field(address), field(left), field(received), field(work_id), field(index), field(refused);
    }
  };

  // A receive request of 32 bytes, as software writes it.
  struct Buffer {
    std::array<uint64_t, 4> words{};

    uint32_t id() const { return static_cast<uint32_t>(words[0]); }
    uint32_t key() const { return static_cast<uint32_t>(words[0] >> 32); }
    uint64_t address() const { return words[1]; }
    uint32_t bytes() const { return static_cast<uint32_t>(words[2]); }
  };

  // A packet that is judged, and what it is judged by.
  struct Case {
    const RxPacket &packet;
    const QpConfig &config;
    Context &context;
    Buffer buffer = {};      // if it takes one
    bool completed = false;  // with a completion

    bool is_send() const { return rdma::is_send(packet.opcode); }
    bool is_write() const { return rdma::is_write(packet.opcode); }
    bool is_read() const { return packet.opcode == kReadRequest; }
    bool begins() const { return begins_message(packet.opcode); }
    bool ends() const { return ends_message(packet.opcode); }
    bool needs_buffer() const {
      return (is_send() && begins()) || (is_write() && has_immediate(packet.opcode));
    }
    bool is_ordered() const;
    bool is_sized() const;
    // Bytes that the message still has with this packet, or its buffer has room for.
    uint32_t room() const;
    bool is_fitting() const;
    Access access() const;
  };

  void judge(Case &found);
  void judge_old(Case &found);
  void judge_next(Case &found);
  void accept(Case &found, uint64_t physical);
  void put(const Case &found, uint64_t physical);
  void complete(Case &found);
  bool fetch(Case &found);
  void tell(const Case &found, uint8_t syndrome, uint32_t psn);
  void read(const Case &found);
  void refuse(Case &found, uint8_t syndrome);
  bool reduces(const Case &found) const;

  Surroundings around_;
  Responses *responses_;
  bool reduces_;
  std::array<Context, kQps> contexts_;
};

}  // namespace firesim::functional::rdma
