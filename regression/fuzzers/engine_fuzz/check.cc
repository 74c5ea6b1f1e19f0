// SPDX-License-Identifier: BSD-3-Clause
//
// batch FOLDER CYCLES: runs each netlist of the batch on the inputs that the oracle recorded in
// FOLDER/NAME.vcd and compares all outputs before each rising edge of `clock`. Prints
// `differs NAME PORT CYCLE` for the first difference of each output, `differs NAME (undefined) 0`
// for a netlist whose code does what C++ leaves undefined, at the end `compared BITS UNKNOWN_BITS`.
// Bits that the oracle calls unknown are not compared.

#include "check.h"

#include <csetjmp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <unordered_map>
#include <vector>

namespace {

uint64_t compared_bits = 0;
uint64_t unknown_bits = 0;

[[noreturn]] void fail(const std::string &what) {
  std::fprintf(stderr, "check: %s\n", what.c_str());
  std::exit(2);
}

std::string read_file(const std::string &path) {
  std::FILE *file = std::fopen(path.c_str(), "rb");
  if (file == nullptr) fail("cannot read " + path);
  std::string text;
  char part[65536];
  for (size_t bytes = 0; (bytes = std::fread(part, 1, sizeof part, file)) > 0;) {
    text.append(part, bytes);
  }
  std::fclose(file);
  return text;
}

// A port and its value in the VCD, most significant bit first.
struct Port {
  const model::PortEntry *entry;
  unsigned char *storage;
  std::string value;
  bool differed = false;
};

size_t storage_bits(uint32_t width) {
  for (size_t bits : {8, 16, 32, 64}) {
    if (width <= bits) return bits;
  }
  return (width + 63) / 64 * 64;
}

void set(Port &port) {
  const size_t width = port.value.size();
  for (size_t bit = 0; bit < width; ++bit) {
    const auto mask = static_cast<unsigned char>(1u << bit % 8);
    unsigned char &byte = port.storage[bit / 8];
    const char value = port.value[width - 1 - bit];
    if (value != '0' && value != '1') fail(std::string("no value of input ") + port.entry->name);
    byte = static_cast<unsigned char>(value == '1' ? byte | mask : byte & ~mask);
  }
}

// Whether all known bits are equal and the unused ones are 0.
bool equal(const Port &port) {
  const size_t width = port.value.size();
  const size_t bits = storage_bits(port.entry->width_bits);
  for (size_t bit = 0; bit < bits; ++bit) {
    const char expected = bit < width ? port.value[width - 1 - bit] : '0';
    if (expected != '0' && expected != '1') {
      ++unknown_bits;
      continue;
    }
    ++compared_bits;
    if ((port.storage[bit / 8] >> (bit % 8) & 1) != expected - '0') return false;
  }
  return true;
}

// One netlist beside its VCD.
class Check {
 public:
  Check(const Netlist &netlist, const std::string &folder) : netlist_(netlist) {
    text_ = read_file(folder + "/" + netlist.name + ".vcd");
    const size_t bytes = (netlist.state_bytes + 63) / 64 * 64;
    state_ = static_cast<unsigned char *>(std::aligned_alloc(64, bytes));
    std::memset(state_, 0, bytes);
    netlist.initialize(state_);
  }
  ~Check() { std::free(state_); }
  Check(const Check &) = delete;
  Check &operator=(const Check &) = delete;

  // Returns the number of cycles.
  uint64_t run() {
    std::unordered_map<std::string, Port *> by_name;
    for (size_t index = 0; index < netlist_.port_count; ++index) {
      const model::PortEntry &entry = netlist_.ports[index];
      ports_.push_back({&entry, state_ + entry.offset, std::string(entry.width_bits, 'x')});
    }
    for (Port &port : ports_) by_name[port.entry->name] = &port;
    size_t at = 0;
    while (at < text_.size()) {
      size_t end = text_.find('\n', at);
      if (end == std::string::npos) end = text_.size();
      const std::string line = text_.substr(at, end - at);
      at = end + 1;
      if (line.rfind("$var", 0) == 0) {
        declare(line, by_name);
      } else if (line[0] == 'b') {
        change(line);
      } else if (line[0] == '#') {
        step();
      }
    }
    step();
    if (found_ != ports_.size()) fail(std::string(netlist_.name) + ": the VCD lacks ports");
    return cycles_;
  }

 private:
  // "$var wire 8 n5 name [7:0] $end"
  void declare(const std::string &line, std::unordered_map<std::string, Port *> &by_name) {
    char code[32], name[64];
    if (std::sscanf(line.c_str(), "$var %*s %*d %31s %63s", code, name) != 2) fail(line);
    if (std::strcmp(name, "clock") == 0) clock_ = code;
    const auto port = by_name.find(name);
    if (port == by_name.end()) return;
    of_code_[code] = port->second;
    ++found_;
  }

  // "b0101 n5": takes effect at once, but for a rising clock, before which outputs are compared.
  void change(const std::string &line) {
    const size_t space = line.find(' ');
    changes_.emplace_back(line.substr(space + 1), line.substr(1, space - 1));
  }

  void step() {
    bool rises = false;
    for (const auto &[code, value] : changes_) {
      if (code == clock_) rises = value == "1";
    }
    if (rises) compare();
    for (const auto &[code, value] : changes_) {
      const auto port = of_code_.find(code);
      if (port == of_code_.end()) continue;
      port->second->value = value;
    }
    changes_.clear();
  }

  void compare() {
    for (Port &port : ports_) {
      if (port.entry->is_input != 0) set(port);
    }
    netlist_.cycle(state_);
    for (Port &port : ports_) {
      if (port.entry->is_input != 0 || port.differed || equal(port)) continue;
      port.differed = true;
      std::printf("differs %s %s %llu\n", netlist_.name, port.entry->name,
                  static_cast<unsigned long long>(cycles_));
    }
    ++cycles_;
  }

  const Netlist &netlist_;
  std::string text_;
  unsigned char *state_;
  std::vector<Port> ports_;
  std::unordered_map<std::string, Port *> of_code_;
  std::vector<std::pair<std::string, std::string>> changes_;
  std::string clock_;
  size_t found_ = 0;
  uint64_t cycles_ = 0;
};

// Where a trap of the compiler's checks leads: past the netlist that ran into it.
sigjmp_buf after_trap;

void trapped(int) { siglongjmp(after_trap, 1); }

}  // namespace

int main(int argc, char **argv) {
  if (argc != 3) fail("usage: batch FOLDER CYCLES");
  const uint64_t cycles = std::strtoull(argv[2], nullptr, 10);
  std::signal(SIGILL, trapped);
  for (volatile size_t index = 0; index < kNetlistCount; index = index + 1) {
    const Netlist &netlist = kNetlists[index];
    if (sigsetjmp(after_trap, 1) != 0) {
      std::printf("differs %s (undefined) 0\n", netlist.name);
      continue;
    }
    if (Check(netlist, argv[1]).run() != cycles) {
      fail(std::string(netlist.name) + ": the VCD lacks cycles");
    }
  }
  std::printf("compared %llu %llu\n", static_cast<unsigned long long>(compared_bits),
              static_cast<unsigned long long>(unknown_bits));
  return 0;
}
