// SPDX-License-Identifier: BSD-3-Clause
// Keeps a stretch of memory; see memory_image.h.
#include "bridges/memory/memory_image.h"

#include <fmt/format.h>

#include <fstream>
#include <stdexcept>
#include <vector>

namespace firesim::bridges {

using namespace devices;

MemoryImage::MemoryImage(Config &config, const GuestMemory &memory,
                         const SimulationContext &simulation) {
  if (!config.has("image")) return;
  Config image(config.child("image"), config.child_where("image"));
  const uint64_t address = image.required_integer("address", 0, UINT64_MAX >> 1);
  bytes_ = image.required_integer("bytes", 1, memory.size_bytes());
  if (!memory.contains(address, bytes_)) {
    image.fail("address", fmt::format("{} bytes inside the memory of {} bytes at 0x{:x}", bytes_,
                                      memory.size_bytes(), memory.base()));
  }
  offset_ = address - memory.base();
  file_ = simulation.output_path(image.required_text("file"));
  image.finish();
}

void MemoryImage::write(
    const std::function<void(uint64_t offset, std::span<uint8_t> bytes)> &read) const {
  if (file_.empty()) return;
  std::vector<uint8_t> bytes(bytes_);
  read(offset_, bytes);
  std::ofstream stream(file_, std::ios::binary);
  stream.write(reinterpret_cast<const char *>(bytes.data()), static_cast<std::streamsize>(bytes_));
  if (!stream.flush()) {
    throw std::runtime_error(fmt::format("cannot write {}", file_.string()));
  }
}

}  // namespace firesim::bridges
