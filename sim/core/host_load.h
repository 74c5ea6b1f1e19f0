// SPDX-License-Identifier: BSD-3-Clause
//
// How busy the host of this process is: its load, memory and network, and what of them is ours.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

namespace firesim {

// What the kernel does not say is 0.
struct HostLoad {
  uint32_t cores = 0;            // that this process may use
  double load = 0;               // processes that run or wait for a core, over the last minute
  uint64_t memory_bytes = 0;     // of the host
  uint64_t available_bytes = 0;  // of its memory
  uint64_t resident_bytes = 0;   // memory of this process
  double cpu_s = 0;              // processor time of this process
  uint64_t sent_bytes = 0;       // over all networks but loopback, since the host was started
  uint64_t received_bytes = 0;
};

// Reads /proc.
HostLoad host_load();

// A line of the text of /proc/meminfo in bytes; 0 when there is none of this name.
uint64_t memory_line_bytes(const std::string &text, const std::string &name);
// Bytes sent and received, by the text of /proc/net/dev.
std::pair<uint64_t, uint64_t> network_bytes(const std::string &text);

}  // namespace firesim
