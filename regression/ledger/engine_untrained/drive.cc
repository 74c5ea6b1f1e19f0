// SPDX-License-Identifier: BSD-3-Clause
//
// drive [MODEL.so] IMAGE CYCLES: runs a design with Rocket Chip's own harness and its own memory.
//
// SIDE_HEADER has the class `Side`: one side of a comparison. Every side begins with the program in
// its memory, is in reset for as many cycles, and then runs. Printed is what must be equal on all
// sides, the output of every cycle and the memory in the end, each as a hash, and the processor
// time of the cycles after reset.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <iterator>
#include <vector>

#include SIDE_HEADER

namespace {

constexpr uint64_t kPrime = 0x100000001b3, kStart = 0xcbf29ce484222325;  // FNV-1a
constexpr int kResetCycles = 16;

uint64_t hash_of(const std::vector<uint8_t> &bytes) {
  uint64_t hash = kStart;
  for (const uint8_t byte : bytes) hash = (hash ^ byte) * kPrime;
  return hash;
}

double processor_s() {
  timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

}  // namespace

int main(int argc, char **argv) {
  if (argc < 3) return 2;
  std::ifstream file(argv[argc - 2], std::ios::binary);
  std::vector<uint8_t> image{std::istreambuf_iterator<char>(file), {}};
  const uint64_t cycles = std::strtoull(argv[argc - 1], nullptr, 10);
  Side side(argv[1]);
  side.write(image);
  side.set_reset(true);
  for (int cycle = 0; cycle < kResetCycles; ++cycle) side.step();
  side.set_reset(false);
  uint64_t outputs = kStart;
  const double began = processor_s();
  for (uint64_t cycle = 0; cycle < cycles; ++cycle) {
    side.step();
    outputs = (outputs ^ side.output()) * kPrime;
  }
  const double cpu_s = processor_s() - began;
  side.read(image);
  std::printf("{\"outputs\": \"%016llx\", \"memory\": \"%016llx\", \"cpu_s\": %.6f}\n",
              static_cast<unsigned long long>(outputs),
              static_cast<unsigned long long>(hash_of(image)), cpu_s);
  return 0;
}
