// SPDX-License-Identifier: BSD-3-Clause
// What a host and a simulated PCI function say to each other over a Unix socket of packets.
//
// Each access is one packet of the host's. A load is answered by one packet with what was loaded,
// 8 bytes for each load; a store has no answer, as on PCIe. Both ends are on one computer, so
// numbers are as it has them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace firesim::hostlib {

enum class PciAccess : uint32_t { kLoad = 1, kStore = 2, kLoadWords = 3, kStoreWord = 4 };

struct PciRequest {
  PciAccess access;
  uint32_t bar;
  uint32_t address;
  uint32_t count;  // of the words to load, else 1
  uint64_t value;  // to store, else 0
};

inline constexpr size_t kMostPciWords = 8;  // in a request

// A socket of packets connected to `path`, or with `listens` one that is there for others. The path
// may be of any length. Throws std::runtime_error, starting with `path`.
int pci_socket(const std::string &path, bool listens);

}  // namespace firesim::hostlib
