// SPDX-License-Identifier: BSD-3-Clause
// The content of a blade's disk, whatever engine evaluates the blade: 512-byte sectors from an
// image that is never written; writes go to a copy-on-write overlay, a sparse file or memory.
#pragma once

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/registry.h"
#include "devices/config.h"
#include "devices/disk_requests.h"

namespace firesim::devices {

constexpr uint32_t kSectorBytes = 512;

// The disk's content. Sectors the target wrote shadow those of the image.
class SectorStore {
 public:
  // `image` may be empty (a disk of zeroes), `overlay` may be empty (writes stay in memory).
  // `size_sectors` 0 = size of the image. An overlay file is made anew, with the disk's size.
  // Throws ConfigError, starting with `where`.
  SectorStore(const std::filesystem::path &image, const std::filesystem::path &overlay,
              uint32_t size_sectors, const std::string &where);
  ~SectorStore();
  SectorStore(const SectorStore &) = delete;
  SectorStore &operator=(const SectorStore &) = delete;

  uint32_t size_sectors() const { return size_sectors_; }
  // `data` is 512 bytes. Throws std::runtime_error when the host's disk fails.
  void read(uint32_t sector, uint8_t *data) const;
  void write(uint32_t sector, const uint8_t *data);

  // The sectors written so far; `load` puts them over an image of the same size.
  void save(StateWriter &state) const;
  void load(StateReader &state);
  // Says beside an overlay file which of its sectors were written: `OVERLAY.sectors`, a line "first
  // count" for each range. Throws std::runtime_error when that cannot be written.
  void note_written() const;

 private:
  SectorStore(std::string where, uint32_t size_sectors);

  std::string where_;
  std::filesystem::path overlay_path_;
  int image_ = -1;
  int overlay_ = -1;
  uint32_t image_sectors_ = 0;
  uint32_t size_sectors_ = 0;
  std::vector<bool> written_;
  std::unordered_map<uint32_t, std::unique_ptr<uint8_t[]>> memory_;
};

// The settings of a block device. Keys: image, overlay (paths), size_sectors, latency_cycles
// (4096), max_request_sectors (16), timeline (of an EventFile).
struct Disk {
  // Throws ConfigError, starting with `where`.
  Disk(const nlohmann::json &settings, const std::string &where,
       const SimulationContext &simulation);

  uint64_t latency_cycles;
  uint32_t max_request_sectors;
  std::unique_ptr<SectorStore> store;
  std::unique_ptr<DiskRequests> requests;  // null where no timeline is wanted
};

}  // namespace firesim::devices
