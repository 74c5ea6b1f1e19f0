// SPDX-License-Identifier: BSD-3-Clause
//
// Clocks a blade that runs alone under plain Verilator until its program finishes, and prints the
// cycles simulated and the CPU time they took as one JSON object.
#include <sys/resource.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>

#include "VBlade.h"
#include "verilated.h"

namespace {

constexpr uint64_t kResetCycles = 16;
constexpr uint64_t kMaxCycles = 1'000'000'000;

double cpu_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval &time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

}  // namespace

int main(int argc, char **argv) {
  VerilatedContext context;
  context.commandArgs(argc, argv);
  const auto blade = std::make_unique<VBlade>(&context);
  blade->clock = 0;
  blade->reset = 1;
  blade->eval();
  const double started = cpu_seconds();
  uint64_t cycle = 0;
  for (; !context.gotFinish() && cycle < kMaxCycles; ++cycle) {
    blade->reset = cycle < kResetCycles;
    blade->clock = 1;
    blade->eval();
    blade->clock = 0;
    blade->eval();
  }
  const double spent = cpu_seconds() - started;
  blade->final();
  if (!context.gotFinish()) {
    std::fprintf(stderr, "the program did not finish in %llu cycles\n",
                 static_cast<unsigned long long>(kMaxCycles));
    return EXIT_FAILURE;
  }
  std::printf("{\"cycles\": %llu, \"cpu_s\": %.6f}\n", static_cast<unsigned long long>(cycle),
              spent);
  return EXIT_SUCCESS;
}
