// SPDX-License-Identifier: BSD-3-Clause
//
// A blade that replays a traffic file: kind "traffic".
//
// Traffic file, one line per packet or per series of packets; `#` starts a comment:
//
//     # cycle  destination        bytes  [repeat count gap_cycles]
//     1000     00:12:6D:00:00:03  1518
//     2000     ff:ff:ff:ff:ff:ff  64     repeat 10 200
//     3000     frame              00126d000003000000000001080045...
//
// `cycle` is that of the first flit; lines are in order of cycle, and a packet whose turn comes
// while another is being sent follows it at once. `bytes` is the frame from the destination address
// on (6 to 65,535), without the two pad bytes on the wire. After `frame` stands a whole frame from
// the destination address on, two hexadecimal digits a byte, in place of a made one. `repeat` sends
// `count` packets with `gap_cycles` empty cycles between them.
//
// Description keys: "mac" (source address), "file", and optionally "end_cycle". The blade ends,
// with exit code 0, in the cycle of its last flit or in `end_cycle`, whichever is later. Packets
// that arrive are counted until the run is over.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/registry.h"

namespace firesim {

struct TrafficLine {
  uint64_t cycle = 0;
  uint64_t destination = 0;  // byte 0 of the address in bits 7:0
  uint32_t bytes = 0;
  uint64_t count = 1;
  uint64_t gap_cycles = 0;
  std::vector<uint64_t> frame;  // its flits, when the line gives it whole
};

// Reads a traffic file. Throws DescriptionError with file, line, what was found and expected.
std::vector<TrafficLine> read_traffic_file(const std::string &path);

class TrafficBlade : public Model {
 public:
  TrafficBlade(std::string name, uint64_t source_mac, std::vector<TrafficLine> lines,
               uint64_t end_cycle);

  uint32_t port_count() const override { return 1; }
  void advance(uint64_t start_cycle, uint32_t cycles, std::span<Batch> inputs,
               std::span<Batch> outputs) override;
  nlohmann::json statistics() const override;

  std::optional<std::string> can_save() const override { return std::nullopt; }
  std::string fingerprint() const override;
  void save(StateWriter &state) const override;
  void load(StateReader &state, uint64_t cycle) override;
  // Lines whose cycle has passed are left out.
  void start_at(uint64_t cycle) override;

 private:
  void receive(const Batch &batch);
  void send(Batch &batch);
  void start_packet(uint64_t cycle);
  bool exhausted() const { return next_line_ == lines_.size() && packet_.empty(); }

  const uint64_t source_mac_;
  const std::vector<TrafficLine> lines_;
  const uint64_t end_cycle_;

  size_t next_line_ = 0;
  uint64_t sent_of_line_ = 0;
  uint64_t next_cycle_ = 0;       // the next packet starts no sooner
  std::vector<uint64_t> packet_;  // being sent; empty between packets
  uint32_t packet_sent_flits_ = 0;

  uint64_t packets_sent_ = 0;
  uint64_t bytes_sent_ = 0;
  uint64_t last_sent_cycle_ = 0;
  uint64_t packets_received_ = 0;
  uint64_t bytes_received_ = 0;
  uint64_t first_arrival_cycle_ = 0;
  uint64_t last_arrival_cycle_ = 0;
};

std::unique_ptr<Model> make_traffic_blade(const nlohmann::json &entry,
                                          const SimulationContext &context);

}  // namespace firesim
