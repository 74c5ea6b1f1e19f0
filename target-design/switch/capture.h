// SPDX-License-Identifier: BSD-3-Clause
//
// Packet capture of a switch in the pcapng format: nanosecond resolution, one interface per port,
// the target cycle as a comment on each packet. A packet is recorded when its final flit arrives
// ("inbound") and when it leaves on a port ("outbound"), so drops and queueing can be seen; or at
// one of the two alone, so that each packet is there once for whoever looks for repetitions. A
// packet has the same number (option epb_packetid) where it came in and wherever it left. The
// bytes are those of the frame, without the two pad bytes in front of it; the link's rounding up
// to whole flits shows as a trailer.
//
// Only whole blocks are ever written, so the file can be read whatever happens to the process.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "switch/packet.h"
#include "switch/switch_config.h"

namespace firesim {

class PacketCapture {
 public:
  // Throws std::runtime_error if the file cannot be written.
  PacketCapture(const std::string &path, const std::string &switch_name, uint32_t ports,
                uint64_t clock_hz, CaptureSide side);
  ~PacketCapture();
  PacketCapture(const PacketCapture &) = delete;
  PacketCapture &operator=(const PacketCapture &) = delete;

  void inbound(uint32_t port, uint64_t cycle, const Packet &packet) {
    record(port, cycle, packet, kInbound);
  }
  void outbound(uint32_t port, uint64_t cycle, const Packet &packet) {
    record(port, cycle, packet, kOutbound);
  }

  // Ends an advance: sorts what was recorded by (cycle, direction, port) and writes it, so that the
  // file does not depend on how time was cut.
  void end_advance();

 private:
  enum Direction : uint32_t { kInbound = 1, kOutbound = 2 };  // the values of pcapng's flags
  struct Record {
    uint64_t cycle = 0;
    Direction direction = kInbound;
    uint32_t port = 0;
    size_t offset = 0;  // of the block in `blocks_`
    size_t bytes = 0;
  };

  void record(uint32_t port, uint64_t cycle, const Packet &packet, Direction direction);
  void write_whole(const std::string &bytes);

  const std::string path_;
  const uint64_t clock_hz_;
  const uint32_t sides_;  // bits of `Direction`
  int file_ = -1;
  uint64_t written_bytes_ = 0;
  std::vector<Record> records_;
  std::string blocks_;  // of the present advance, in the order they were recorded
  std::string sorted_;
};

}  // namespace firesim
