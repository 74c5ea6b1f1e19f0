// SPDX-License-Identifier: BSD-3-Clause
// The content of a block device: image, overlay file or overlay in memory; see sector_store.h.
#include "devices/sector_store.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "core/atomic_file.h"
#include "core/state.h"

namespace firesim::devices {
namespace {

[[noreturn]] void fail(const std::string &where, const std::string &what) {
  throw ConfigError(fmt::format("{}: {}", where, what));
}

// Sectors in the open image.
uint32_t image_size_sectors(int file, const std::string &path, const std::string &where) {
  struct stat facts {};
  if (fstat(file, &facts) != 0 || !S_ISREG(facts.st_mode)) {
    fail(where, fmt::format("image {} is not a regular file", path));
  }
  const auto bytes = static_cast<uint64_t>(facts.st_size);
  if (bytes == 0 || bytes % kSectorBytes != 0) {
    fail(where,
         fmt::format("image {} has {} bytes, expected a multiple of 512 above 0", path, bytes));
  }
  if (bytes / kSectorBytes > UINT32_MAX) {
    fail(where, fmt::format("image {} has {} bytes, expected less than 2 TiB", path, bytes));
  }
  return static_cast<uint32_t>(bytes / kSectorBytes);
}

void transfer(ssize_t done, const char *what, const std::string &where) {
  if (done == kSectorBytes) return;
  throw std::runtime_error(fmt::format("{}: cannot {}: {}", where, what,
                                       done < 0 ? std::strerror(errno) : "file is cut short"));
}

}  // namespace

SectorStore::SectorStore(std::string where, uint32_t size_sectors)
    : where_(std::move(where)), size_sectors_(size_sectors) {}

SectorStore::SectorStore(const std::filesystem::path &image, const std::filesystem::path &overlay,
                         uint32_t size_sectors, const std::string &where)
    : SectorStore(where, size_sectors) {  // from here on what is open is closed, whatever is thrown
  if (!image.empty()) {
    image_ = open(image.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);  // a FIFO does not hold us up
    if (image_ < 0) {
      fail(where,
           fmt::format("image {} cannot be opened: {}", image.string(), std::strerror(errno)));
    }
    image_sectors_ = image_size_sectors(image_, image.string(), where);
    if (size_sectors_ == 0) size_sectors_ = image_sectors_;
    if (size_sectors_ < image_sectors_) {
      fail(where, fmt::format("size_sectors is {}, but image {} has {} sectors", size_sectors_,
                              image.string(), image_sectors_));
    }
  }
  written_.resize(size_sectors_);
  if (overlay.empty()) return;
  overlay_path_ = overlay;
  overlay_ = open(overlay.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (overlay_ < 0 || ftruncate(overlay_, static_cast<off_t>(size_sectors_) * kSectorBytes) != 0) {
    fail(where,
         fmt::format("overlay {} cannot be made: {}", overlay.string(), std::strerror(errno)));
  }
}

SectorStore::~SectorStore() {
  if (image_ >= 0) close(image_);
  if (overlay_ >= 0) close(overlay_);
}

void SectorStore::read(uint32_t sector, uint8_t *data) const {
  const off_t offset = static_cast<off_t>(sector) * kSectorBytes;
  if (sector < size_sectors_ && written_[sector]) {
    if (overlay_ < 0) {
      std::memcpy(data, memory_.at(sector).get(), kSectorBytes);
    } else {
      transfer(pread(overlay_, data, kSectorBytes, offset), "read the overlay", where_);
    }
  } else if (sector < image_sectors_) {
    transfer(pread(image_, data, kSectorBytes, offset), "read the image", where_);
  } else {
    std::memset(data, 0, kSectorBytes);
  }
}

void SectorStore::write(uint32_t sector, const uint8_t *data) {
  if (sector >= size_sectors_) return;
  written_[sector] = true;
  if (overlay_ >= 0) {
    const off_t offset = static_cast<off_t>(sector) * kSectorBytes;
    transfer(pwrite(overlay_, data, kSectorBytes, offset), "write the overlay", where_);
    return;
  }
  std::unique_ptr<uint8_t[]> &copy = memory_[sector];
  if (!copy) copy = std::make_unique<uint8_t[]>(kSectorBytes);
  std::memcpy(copy.get(), data, kSectorBytes);
}

void SectorStore::save(StateWriter &state) const {
  state.section("disk", 1);
  state.u64(size_sectors_);
  state.u64(image_sectors_);
  std::vector<uint64_t> sectors;
  for (uint64_t sector = 0; sector < written_.size(); ++sector) {
    if (written_[sector]) sectors.push_back(sector);
  }
  state.u64s(sectors);
  uint8_t data[kSectorBytes];
  for (const uint64_t sector : sectors) {
    read(static_cast<uint32_t>(sector), data);
    state.bytes(data, sizeof data);
  }
}

void SectorStore::load(StateReader &state) {
  state.section("disk", 1);
  state.expect("the size of the disk in sectors", size_sectors_);
  state.expect("the size of the disk's image in sectors", image_sectors_);
  uint8_t data[kSectorBytes];
  for (const uint64_t sector : state.u64s(size_sectors_)) {
    if (sector >= size_sectors_) state.fail("a sector lies beyond the end of the disk");
    state.bytes_into(data, sizeof data);
    write(static_cast<uint32_t>(sector), data);
  }
}

void SectorStore::note_written() const {
  if (overlay_ < 0) return;
  std::string text;
  for (uint64_t sector = 0; sector < written_.size(); ++sector) {
    if (!written_[sector]) continue;
    const uint64_t first = sector;
    while (sector < written_.size() && written_[sector]) ++sector;
    text += fmt::format("{} {}\n", first, sector - first);
  }
  write_file_atomically(overlay_path_.string() + ".sectors", text);
}

Disk::Disk(const nlohmann::json &settings, const std::string &where,
           const SimulationContext &simulation) {
  Config config(settings, where);
  const auto image = config.text("image");
  const auto overlay = config.text("overlay");
  const auto size = config.integer("size_sectors", 0, 0, UINT32_MAX);
  latency_cycles = config.integer("latency_cycles", 4096, 1, 1'000'000'000);
  max_request_sectors =
      static_cast<uint32_t>(config.integer("max_request_sectors", 16, 1, UINT16_MAX));
  if (auto file = EventFile::make(config, simulation)) {
    requests = std::make_unique<DiskRequests>(std::move(file));
  }
  config.finish();
  store = std::make_unique<SectorStore>(image ? simulation.input_path(*image) : "",
                                        overlay ? simulation.output_path(*overlay) : "",
                                        static_cast<uint32_t>(size), where);
}

}  // namespace firesim::devices
