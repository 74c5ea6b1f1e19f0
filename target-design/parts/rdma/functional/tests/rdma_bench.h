// SPDX-License-Identifier: BSD-3-Clause
// Two RDMA NICs of functional nodes with memory of their own, and their drivers; a packet of the
// wire between them may be lost.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <set>
#include <vector>

#include "core/state.h"
#include "functional/tests/device_bench.h"
#include "parts/rdma/functional/opcodes.h"
#include "parts/rdma/functional/rdma_nic.h"

namespace firesim::functional::rdma {

struct End {
  static constexpr uint32_t kQp = 2, kKey = 0x107, kDomain = 9, kDepth = 4;  // log2 of the last
  static constexpr uint64_t kWork = kDramBase + 0x1000, kBuffers = kDramBase + 0x2000;
  static constexpr uint64_t kSent = kDramBase + 0x3000, kReceived = kDramBase + 0x4000;
  static constexpr uint64_t kData = kDramBase + 0x10000, kDataBytes = 0x10000;
  static constexpr uint64_t kRemote = 0x7000'0000'0000;

  explicit End(uint32_t number, const RdmaNic::Options &has = {})
      : ip(0x0a00'0000 + number), mac(0x6d12'00 + (uint64_t{number} << 40)), options(has) {
    nic = std::make_unique<RdmaNic>(memory.memory, options);
  }

  void command(uint32_t code, uint32_t index, const std::vector<uint64_t> &words) {
    for (uint32_t i = 0; i < words.size(); ++i) nic->write(0x80 + 8 * i, 8, words[i]);
    nic->write(0x18, 4, index << 16 | code);
  }

  struct Settings {
    uint32_t mtu_code = 0, timeout_code = 0, retries = 7, psn = 0xff'fffe;
  };
  void connect(const End &peer, const Settings &settings) {
    nic->write(0x08, 8, mac);
    nic->write(0x10, 4, ip);
    nic->write(0x00, 4, 1);
    const uint64_t depth = uint64_t{kDepth} << 56;
    command(4, 4, {kSent | depth});
    command(4, 5, {kReceived | depth});
    command(
        1, kQp,
        {3 | settings.mtu_code << 8 | settings.timeout_code << 16 | settings.retries << 21 |
             7u << 24 | uint64_t{1} << 27 | uint64_t{kDomain} << 32 | uint64_t{0xffff} << 48,
         peer.mac | uint64_t{0xc000} << 48, peer.ip | uint64_t{kQp} << 32,
         settings.psn | uint64_t{settings.psn} << 32, kWork | depth, kBuffers | depth, 4 | 5 << 8});
  }
  void give_region(uint64_t rights, uint64_t reduction = 0, uint64_t place = kData) {
    command(2, kKey >> 8,
            {(kKey & 0xff) | rights << 8 | reduction << 12 | uint64_t{kDomain} << 32, kRemote,
             kDataBytes, place});
  }

  uint8_t *at(uint64_t address) {
    return reinterpret_cast<uint8_t *>(memory.words.data()) + (address - kDramBase);
  }
  uint64_t &word(uint64_t address) { return memory.words[(address - kDramBase) / 8]; }
  std::vector<uint8_t> data(uint64_t offset, uint64_t bytes) {
    return {at(kData + offset), at(kData + offset) + bytes};
  }

  // Data at `local` of this end, `remote` of the other one's.
  // With `awaited`, when so many messages have been received.
  void post(uint32_t opcode, uint64_t local, uint64_t remote, uint64_t bytes, uint32_t key = kKey,
            uint32_t awaited = 0) {
    const uint64_t entry = kWork + 64 * (posted % (1 << kDepth));
    const uint64_t address = kData + local, there = kRemote + remote;
    word(entry) = posted | address << 32;
    word(entry + 8) = address >> 32 | bytes << 32;
    const uint64_t flags = awaited == 0 ? 1 : 9;
    word(entry + 16) = opcode | flags << 8 | uint64_t{kQp} << 16 | there << 32;
    word(entry + 24) = there >> 32 | uint64_t{key} << 32;
    word(entry + 32) = awaited;
    word(entry + 48) = 0x55aa;
    nic->write(0x20, 4, ++posted << 16 | kQp);
  }
  void offer(uint64_t local, uint64_t bytes) {
    const uint64_t entry = kBuffers + 32 * (offered % (1 << kDepth));
    word(entry) = offered;
    word(entry + 8) = kData + local;
    word(entry + 16) = bytes;
    nic->write(0x28, 4, ++offered << 16 | kQp);
  }

  // Entries of a completion queue that are new, by the phase bit.
  struct Entry {
    uint32_t id, bytes, immediate;
    uint8_t opcode, status, flags;
  };
  std::vector<Entry> completions(uint64_t queue) {
    std::vector<Entry> found;
    for (uint32_t &taken = seen[queue];; ++taken) {
      const uint64_t entry = queue + 32 * (taken % (1 << kDepth));
      const bool phase = (taken >> kDepth) % 2 == 0;
      if ((word(entry + 24) >> 63 != 0) != phase) return found;
      found.push_back({static_cast<uint32_t>(word(entry)), static_cast<uint32_t>(word(entry) >> 32),
                       static_cast<uint32_t>(word(entry + 8)),
                       static_cast<uint8_t>(word(entry + 16) >> 24),
                       static_cast<uint8_t>(word(entry + 16) >> 32),
                       static_cast<uint8_t>(word(entry + 16) >> 40)});
    }
  }
  uint32_t counter(Counter which) { return static_cast<uint32_t>(nic->read(0xc0 + 8 * which, 4)); }

  std::vector<uint8_t> state() const {
    StateWriter writer;
    nic->save(writer);
    return writer.data();
  }
  // Goes on with another NIC, which has loaded the state of this one.
  void replace() {
    StateWriter writer;
    nic->save(writer);
    nic = std::make_unique<RdmaNic>(memory.memory, options);
    StateReader reader("test", writer);
    nic->load(reader);
    reader.finish();
  }

  PartSteps steps() const {
    PartSteps made;
    RegisterSteps told(0, made);
    nic->restore(told);
    return made;
  }
  // Goes on with another NIC, which software brings where this one stands; that must be possible.
  void take_up(uint64_t cycle) {
    ASSERT_EQ(nic->obstacle(), "");
    const PartSteps made = steps();
    nic = std::make_unique<RdmaNic>(memory.memory, options);
    nic->advance(cycle);
    follow(made.first, *nic);
    EXPECT_EQ(steps(), made);
  }

  TestMemory memory;
  std::unique_ptr<RdmaNic> nic;
  uint32_t ip;
  uint64_t mac;
  RdmaNic::Options options;
  uint32_t posted = 0, offered = 0;
  std::map<uint64_t, uint32_t> seen;
};

// Both ends, and packets from one to the other, one at a time.
struct Wire {
  explicit Wire(const End::Settings &settings, const RdmaNic::Options &options = {})
      : client(1, options), server(2, options) {
    client.connect(server, settings);
    server.connect(client, settings);
  }

  // Until nobody has anything to do within `cycles`.
  void run(uint64_t cycles = 0) {
    const uint64_t end = now + cycles;
    for (;;) {
      const bool sent = move(client, server, 0), answered = move(server, client, 1);
      if (sent || answered) continue;
      const uint64_t next = std::min(client.nic->next_event(), server.nic->next_event());
      if (next > end) return;
      now = std::max(next, now + 1);
      client.nic->advance(now);
      server.nic->advance(now);
    }
  }
  // A packet of each, if there is one.
  void step() {
    move(client, server, 0);
    move(server, client, 1);
  }
  std::vector<uint8_t> opcodes(uint32_t direction) const {
    std::vector<uint8_t> found;
    for (const StreamFrame &frame : sent[direction]) {
      found.push_back(static_cast<uint8_t>(frame[5] >> 32));
    }
    return found;
  }

  End client, server;
  uint64_t now = 100;
  std::vector<StreamFrame> sent[2];
  std::set<size_t> lost[2];  // by index

 private:
  bool move(End &from, End &to, uint32_t direction) {
    if (!from.nic->has_frame()) return false;
    ++now;
    from.nic->advance(now);
    to.nic->advance(now);
    StreamFrame frame = from.nic->next_frame(now);
    if (frame.empty()) return false;
    sent[direction].push_back(frame);
    if (!lost[direction].contains(sent[direction].size() - 1)) {
      EXPECT_FALSE(to.nic->from_link(frame, now));
    }
    return true;
  }
};

}  // namespace firesim::functional::rdma
