// A plain AXI4 memory for the SoC's test bench: fixed latency, one data beat a cycle.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <cstring>
#include <deque>
#include <stdexcept>
#include <string>
#include <vector>

namespace bench {

constexpr uint64_t kBeatBytes = 8;

struct Request {
  uint32_t id = 0;
  uint64_t address = 0;
  uint32_t beats = 0;
  uint64_t ready_cycle = 0;  // first cycle in which the answer may start
};

/// Serves reads and writes in order, each `latency_cycles` after it was accepted. Requests wait in
/// queues of at most `kQueueLimit`.
class AxiMemory {
 public:
  static constexpr size_t kQueueLimit = 64;

  AxiMemory(uint64_t base, uint64_t size_bytes, uint64_t latency_cycles)
      : base_(base), latency_cycles_(latency_cycles), bytes_(size_bytes) {}

  void load(const std::vector<uint8_t> &image) {
    if (image.size() > bytes_.size()) throw std::runtime_error("the image does not fit the memory");
    std::copy(image.begin(), image.end(), bytes_.begin());
  }

  uint8_t *at(uint64_t address, uint64_t length) {
    if (address < base_ || address + length > base_ + bytes_.size())
      throw std::runtime_error("access outside the memory: " + std::to_string(address));
    return bytes_.data() + (address - base_);
  }

  /// Drives the SoC's inputs for this cycle from the state at its beginning.
  template <typename Top>
  void drive(Top &top, uint64_t cycle) {
    top.mem_ar_ready = reads_.size() < kQueueLimit;
    top.mem_aw_ready = writes_.size() < kQueueLimit;
    top.mem_w_ready = !writes_.empty();
    const bool read_ready = !reads_.empty() && reads_.front().ready_cycle <= cycle;
    top.mem_r_valid = read_ready;
    if (read_ready) {
      const Request &request = reads_.front();
      top.mem_r_id = request.id;
      top.mem_r_resp = 0;
      top.mem_r_last = read_beat_ + 1 == request.beats;
      uint64_t data = 0;
      std::memcpy(&data, at(request.address + kBeatBytes * read_beat_, kBeatBytes), kBeatBytes);
      top.mem_r_data = data;
    }
    top.mem_b_valid = !answers_.empty() && answers_.front().ready_cycle <= cycle;
    if (!answers_.empty()) top.mem_b_id = answers_.front().id;
    top.mem_b_resp = 0;
  }

  /// Takes note of the handshakes of this cycle.
  template <typename Top>
  void step(const Top &top, uint64_t cycle) {
    if (top.mem_r_valid && top.mem_r_ready && ++read_beat_ == reads_.front().beats) {
      reads_.pop_front();
      read_beat_ = 0;
    }
    if (top.mem_b_valid && top.mem_b_ready) answers_.pop_front();
    if (top.mem_w_valid && top.mem_w_ready) write_beat(top, cycle);
    if (top.mem_ar_valid && top.mem_ar_ready)
      reads_.push_back(
          accept(top.mem_ar_id, top.mem_ar_addr, top.mem_ar_len, top.mem_ar_size, cycle));
    if (top.mem_aw_valid && top.mem_aw_ready)
      writes_.push_back(
          accept(top.mem_aw_id, top.mem_aw_addr, top.mem_aw_len, top.mem_aw_size, cycle));
  }

 private:
  Request accept(uint32_t id, uint64_t address, uint32_t len, uint32_t size, uint64_t cycle) const {
    if (len != 0 && (size != 3 || address % (kBeatBytes * (len + 1)) != 0))
      throw std::runtime_error("a memory burst that is narrow or not aligned to its size");
    return {id, address & ~(kBeatBytes - 1), len + 1, cycle + latency_cycles_};
  }

  template <typename Top>
  void write_beat(const Top &top, uint64_t cycle) {
    Request &request = writes_.front();
    uint8_t *target = at(request.address + kBeatBytes * written_beats_, kBeatBytes);
    for (uint64_t byte = 0; byte < kBeatBytes; ++byte)
      if (top.mem_w_strb >> byte & 1)
        target[byte] = static_cast<uint8_t>(top.mem_w_data >> 8 * byte);
    const bool last = ++written_beats_ == request.beats;
    if (last != static_cast<bool>(top.mem_w_last))
      throw std::runtime_error("w_last at a wrong beat");
    if (!last) return;
    request.ready_cycle = cycle + latency_cycles_;
    answers_.push_back(request);
    writes_.pop_front();
    written_beats_ = 0;
  }

  uint64_t base_;
  uint64_t latency_cycles_;
  std::vector<uint8_t> bytes_;
  std::deque<Request> reads_;
  std::deque<Request> writes_;
  std::deque<Request> answers_;
  uint32_t read_beat_ = 0;
  uint32_t written_beats_ = 0;
};

}  // namespace bench
