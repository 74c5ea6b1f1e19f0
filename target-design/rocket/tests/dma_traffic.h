// Streams cache lines through the SoC's DMA port, as fast as the port takes them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <stdexcept>

namespace bench {

/// Writes a pattern line by line and reads other lines back, each direction on its own ids.
class DmaTraffic {
 public:
  static constexpr uint64_t kLineBytes = 64;
  static constexpr uint32_t kBeats = 8;
  static constexpr uint32_t kIds = 16;  // of 32: half for each direction
  static constexpr uint64_t kWindowLines = 1024;

  DmaTraffic(uint64_t read_base, uint64_t write_base, bool reads, bool writes)
      : read_base_(read_base), write_base_(write_base), reads_(reads), writes_(writes) {}

  static uint64_t pattern(uint64_t address) { return address * 0x9e3779b97f4a7c15ull; }

  template <typename Top>
  void drive(Top &top, bool enabled) {
    const uint32_t read_id = next_read_ % kIds;
    top.dma_ar_valid = enabled && reads_ && !read_busy_[read_id];
    top.dma_ar_id = read_id;
    top.dma_ar_addr = read_base_ + line(next_read_);
    top.dma_ar_len = kBeats - 1;
    top.dma_ar_size = 3;
    top.dma_ar_burst = 1;
    top.dma_r_ready = 1;

    const uint32_t write_id = next_write_ % kIds;
    top.dma_aw_valid = enabled && writes_ && !write_busy_[write_id] && next_write_ == next_data_;
    top.dma_aw_id = kIds + write_id;
    top.dma_aw_addr = write_base_ + line(next_write_);
    top.dma_aw_len = kBeats - 1;
    top.dma_aw_size = 3;
    top.dma_aw_burst = 1;
    top.dma_w_valid = next_data_ < next_write_ || (top.dma_aw_valid && next_data_ == next_write_);
    top.dma_w_data = pattern(write_base_ + line(next_data_) + 8 * write_beat_);
    top.dma_w_strb = 0xff;
    top.dma_w_last = write_beat_ + 1 == kBeats;
    top.dma_b_ready = 1;
  }

  template <typename Top>
  void step(const Top &top) {
    if (top.dma_ar_valid && top.dma_ar_ready) {
      read_busy_[top.dma_ar_id] = true;
      read_address_[top.dma_ar_id] = top.dma_ar_addr;
      ++next_read_;
    }
    if (top.dma_aw_valid && top.dma_aw_ready) {
      write_busy_[top.dma_aw_id - kIds] = true;
      ++next_write_;
    }
    if (top.dma_w_valid && top.dma_w_ready && ++write_beat_ == kBeats) {
      write_beat_ = 0;
      ++next_data_;
    }
    if (top.dma_r_valid && top.dma_r_ready) read_beat(top.dma_r_id, top.dma_r_data, top.dma_r_last);
    if (top.dma_b_valid && top.dma_b_ready) {
      write_busy_.at(top.dma_b_id - kIds) = false;
      bytes_written_ += kLineBytes;
    }
    if (top.dma_r_valid && top.dma_r_resp) throw std::runtime_error("DMA read error response");
    if (top.dma_b_valid && top.dma_b_resp) throw std::runtime_error("DMA write error response");
  }

  uint64_t bytes_read() const { return bytes_read_; }
  uint64_t bytes_written() const { return bytes_written_; }

 private:
  static uint64_t line(uint64_t number) { return number % kWindowLines * kLineBytes; }

  void read_beat(uint32_t id, uint64_t data, bool last) {
    const uint64_t address = read_address_.at(id) + 8 * read_beats_.at(id);
    if (data != pattern(address)) throw std::runtime_error("DMA read returned wrong data");
    if (last != (++read_beats_[id] == kBeats)) throw std::runtime_error("r_last at a wrong beat");
    bytes_read_ += 8;
    if (last) {
      read_beats_[id] = 0;
      read_busy_[id] = false;
    }
  }

  uint64_t read_base_;
  uint64_t write_base_;
  bool reads_;
  bool writes_;
  std::array<bool, kIds> read_busy_{};
  std::array<bool, kIds> write_busy_{};
  std::array<uint64_t, kIds> read_address_{};
  std::array<uint32_t, kIds> read_beats_{};
  uint64_t next_read_ = 0;
  uint64_t next_write_ = 0;  // the next line whose address is still to be sent
  uint64_t next_data_ = 0;   // the next line whose data is not all sent
  uint32_t write_beat_ = 0;
  uint64_t bytes_read_ = 0;
  uint64_t bytes_written_ = 0;
};

}  // namespace bench
