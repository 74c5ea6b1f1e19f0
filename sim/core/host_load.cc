// SPDX-License-Identifier: BSD-3-Clause
//
// How busy the host is, read from /proc. See the header.
#include "core/host_load.h"

#include <sched.h>
#include <time.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <tuple>

namespace firesim {

namespace {

std::string text_of(const char *path) {
  const std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

uint32_t usable_cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) == 0) return static_cast<uint32_t>(CPU_COUNT(&set));
  const long count = sysconf(_SC_NPROCESSORS_ONLN);  // more than the set has room for
  return count > 0 ? static_cast<uint32_t>(count) : 0;
}

uint64_t resident_bytes() {
  std::istringstream pages(text_of("/proc/self/statm"));
  uint64_t size = 0;
  uint64_t resident = 0;
  pages >> size >> resident;
  return pages ? resident * static_cast<uint64_t>(sysconf(_SC_PAGESIZE)) : 0;
}

double process_cpu_s() {
  timespec used{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  return static_cast<double>(used.tv_sec) + static_cast<double>(used.tv_nsec) * 1e-9;
}

}  // namespace

uint64_t memory_line_bytes(const std::string &text, const std::string &name) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.compare(0, name.size() + 1, name + ":") != 0) continue;
    return std::strtoull(line.c_str() + name.size() + 1, nullptr, 10) * 1024;
  }
  return 0;
}

std::pair<uint64_t, uint64_t> network_bytes(const std::string &text) {
  std::pair<uint64_t, uint64_t> sent_received;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const size_t colon = line.find(':');
    if (colon == std::string::npos) continue;  // the two lines of headings
    std::istringstream name_field(line.substr(0, colon));
    std::string name;
    name_field >> name;
    if (name == "lo") continue;
    // Received: bytes packets errs drop fifo frame compressed multicast; then the same of sent.
    std::istringstream fields(line.substr(colon + 1));
    uint64_t numbers[9] = {};
    for (uint64_t &number : numbers) fields >> number;
    if (!fields) continue;
    sent_received.first += numbers[8];
    sent_received.second += numbers[0];
  }
  return sent_received;
}

HostLoad host_load() {
  HostLoad found;
  found.cores = usable_cores();
  found.load = std::strtod(text_of("/proc/loadavg").c_str(), nullptr);
  const std::string memory = text_of("/proc/meminfo");
  found.memory_bytes = memory_line_bytes(memory, "MemTotal");
  found.available_bytes = memory_line_bytes(memory, "MemAvailable");
  found.resident_bytes = resident_bytes();
  found.cpu_s = process_cpu_s();
  std::tie(found.sent_bytes, found.received_bytes) = network_bytes(text_of("/proc/net/dev"));
  return found;
}

}  // namespace firesim
