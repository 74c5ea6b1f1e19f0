// SPDX-License-Identifier: BSD-3-Clause
// Block device driver: 512-byte sectors from an image that is never written; writes go to a
// copy-on-write overlay, a sparse file or memory.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "driver.h"

namespace firesim::bridges {

constexpr uint32_t kSectorBytes = 512;

// The disk's content. Sectors the target wrote shadow those of the image.
class SectorStore {
 public:
  // `image` may be empty (a disk of zeroes), `overlay` may be empty (writes stay in memory).
  // `size_sectors` 0 = size of the image. An overlay file is made anew, with the disk's size.
  // Throws ConfigError, starting with `where`.
  SectorStore(const std::filesystem::path& image, const std::filesystem::path& overlay,
              uint32_t size_sectors, const std::string& where);
  ~SectorStore();
  SectorStore(const SectorStore&) = delete;
  SectorStore& operator=(const SectorStore&) = delete;

  uint32_t size_sectors() const { return size_sectors_; }
  // `data` is 512 bytes. Throws std::runtime_error when the host's disk fails.
  void read(uint32_t sector, uint8_t* data) const;
  void write(uint32_t sector, const uint8_t* data);

  // The sectors that were written. The image is not part of a state: it must not change.
  void save(StateWriter& state) const;
  void load(StateReader& state);

 private:
  std::string where_;
  int image_ = -1;
  int overlay_ = -1;
  uint32_t image_sectors_ = 0;
  uint32_t size_sectors_ = 0;
  std::vector<bool> written_;
  std::unordered_map<uint32_t, std::unique_ptr<uint8_t[]>> memory_;
};

// Keys: image, overlay (paths), size_sectors, latency_cycles, max_request_sectors.
//
// Reads are served in order: one accepted in cycle t delivers its first beat in cycle
// t + latency_cycles at the earliest, then one beat a cycle. Write data is taken at one beat a
// cycle, for any tag; a write whose last beat is taken in cycle t is acknowledged in cycle
// t + latency_cycles at the earliest. Sectors beyond the end read as zeroes and ignore writes.
class BlockDeviceDriver final : public Driver {
 public:
  explicit BlockDeviceDriver(const DriverContext& context);
  void step(uint64_t cycle) override;
  nlohmann::json statistics() const override;
  void save(StateWriter& state) const override;
  void load(StateReader& state) override;

 private:
  static constexpr size_t kTags = 256;
  static constexpr uint32_t kBeatsPerSector = kSectorBytes / 8;

  // A request by tag. `beats` counts those left to move; 0 = the tag is free.
  struct Request {
    uint32_t beats = 0;
    uint32_t sector = 0;  // of the next beat
    bool write = false;
    bool acknowledge = false;  // written, waiting to be acknowledged
    alignas(8) uint8_t data[kSectorBytes] = {};
  };
  struct Due {
    uint8_t tag;
    uint64_t cycle;
  };
  // A first-in first-out queue that holds every tag once.
  struct Queue {
    Due items[kTags];
    size_t head = 0;
    size_t count = 0;
    Due& front() { return items[head]; }
    void push(Due due) { items[(head + count++) % kTags] = due; }
    void pop() {
      head = (head + 1) % kTags;
      --count;
    }
  };

  void configure(const DriverContext& context);
  void take_request(uint64_t cycle);
  void take_write_beat(uint64_t cycle);
  void offer_read_beat(uint64_t cycle);
  void offer_acknowledgement(uint64_t cycle);
  [[noreturn]] void fail(const std::string& what) const;

  OutputBit req_valid_, req_write_;
  OutputPort req_sector_, req_count_, req_tag_;
  OutputBit wdata_valid_;
  OutputPort wdata_bits_, wdata_tag_;
  OutputBit rdata_ready_, wack_ready_;
  InputPort req_ready_, wdata_ready_, rdata_valid_, rdata_bits_, rdata_tag_, wack_valid_, wack_tag_;
  InputPort info_sectors_, info_max_request_;

  std::string where_;
  std::unique_ptr<SectorStore> store_;
  uint64_t latency_cycles_ = 0;
  uint32_t max_request_sectors_ = 0;
  std::vector<Request> requests_;
  Queue reads_, acknowledgements_;
  uint64_t read_count_ = 0, write_count_ = 0, sectors_read_ = 0, sectors_written_ = 0;
};

}  // namespace firesim::bridges
