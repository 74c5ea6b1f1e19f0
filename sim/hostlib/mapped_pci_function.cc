// SPDX-License-Identifier: BSD-3-Clause
// Maps the resource files of a PCI function; see mapped_pci_function.h.
//
// The kernel maps a file `resourceN` without caching or combining, so loads and stores reach the
// function one by one, in the program's order, in the size in which they are written here.
#include "hostlib/mapped_pci_function.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <stdexcept>

#include "core/check.h"
#include "hostlib/part_lock.h"

namespace firesim::hostlib {
namespace {

std::string reason() { return std::strerror(errno); }

// What a file like `vendor` says, without its 0x; empty when there is none.
std::string number_in(const std::string &path) {
  std::ifstream file(path);
  std::string text;
  file >> text;
  return text.rfind("0x", 0) == 0 ? text.substr(2) : "";
}

}  // namespace

MappedPciFunction::MappedPciFunction(const std::string &device, const PciNeeds &needs)
    : device_(device) {
  check_id(needs.id);
  try {
    for (const auto &[bar, range] : needs.ranges) map(bar, range);
  } catch (...) {
    unmap();
    throw;
  }
}

MappedPciFunction::~MappedPciFunction() { unmap(); }

// Loads may change a function that is not ours, so none is made before this.
void MappedPciFunction::check_id(const std::string &id) const {
  const std::string vendor = number_in(device_ + "/vendor"), kind = number_in(device_ + "/device");
  if (vendor.empty() || kind.empty()) {
    throw std::runtime_error(
        fmt::format("{}: found no PCI function, expected its folder in /sys/bus/pci/devices, or "
                    "the socket of a simulated board",
                    device_));
  }
  if (vendor + ":" + kind != id) {
    throw std::runtime_error(
        fmt::format("{}: found the PCI function {}:{}, expected {}", device_, vendor, kind, id));
  }
}

void MappedPciFunction::map(int bar, const PciRange &range) {
  const std::string path = fmt::format("{}/resource{}", device_, bar);
  Mapping &made = bars_[bar];
  made.file = open(path.c_str(), O_RDWR | O_SYNC | O_CLOEXEC);
  if (made.file < 0) throw std::runtime_error(path + ": cannot be opened: " + reason());
  if (!lock_part(made.file, range.first, range.bytes)) {
    throw std::runtime_error(path + ": found it in use by another run or another node");
  }
  struct stat found {};
  const size_t least = range.first + range.bytes;
  if (fstat(made.file, &found) != 0 || static_cast<size_t>(found.st_size) < least) {
    throw std::runtime_error(fmt::format("{}: found a BAR of {} bytes, expected {} or more", path,
                                         found.st_size, least));
  }
  void *place = mmap(nullptr, range.bytes, PROT_READ | PROT_WRITE, MAP_SHARED, made.file,
                     static_cast<off_t>(range.first));
  if (place == MAP_FAILED) throw std::runtime_error(path + ": cannot be mapped: " + reason());
  made.bytes = static_cast<volatile uint8_t *>(place);
  made.count = range.bytes;
}

void MappedPciFunction::unmap() {
  for (auto &[bar, made] : bars_) {
    if (made.bytes != nullptr) munmap(const_cast<uint8_t *>(made.bytes), made.count);
    if (made.file >= 0) close(made.file);
  }
}

template <typename Number>
volatile Number &MappedPciFunction::at(int bar, uint32_t address) {
  const auto found = bars_.find(bar);
  FIRESIM_CHECK(found != bars_.end() && address % sizeof(Number) == 0 &&
                    address + sizeof(Number) <= found->second.count,
                "an access lies in what was mapped of a BAR");
  return *reinterpret_cast<volatile Number *>(found->second.bytes + address);
}

uint32_t MappedPciFunction::load(int bar, uint32_t address) { return at<uint32_t>(bar, address); }

void MappedPciFunction::store(int bar, uint32_t address, uint32_t value) {
  at<uint32_t>(bar, address) = value;
}

void MappedPciFunction::load_words(int bar, uint32_t address, std::span<uint64_t> words) {
  for (uint64_t &word : words) {
    word = at<uint64_t>(bar, address);
    address += sizeof(word);
  }
}

void MappedPciFunction::store_word(int bar, uint32_t address, uint64_t value) {
  at<uint64_t>(bar, address) = value;
}

}  // namespace firesim::hostlib
