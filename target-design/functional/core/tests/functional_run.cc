// SPDX-License-Identifier: BSD-3-Clause
// Runs one bare-metal ELF file on one hart:
//   functional-run [--log FILE] [--from PC --to PC] [--max-cycles N] [--cut-seed S] [--time]
//                 [--load FILE ADDRESS]... [--translate-after N] ELF
// --log writes every instruction and trap as TraceRV's text, --from and --to the part between the
// first instructions at these addresses. --cut-seed calls run() for random numbers of cycles, which
// must not change anything, nor must how often a block is interpreted before it is translated
// (--translate-after; -1: it is not). --load puts a file into memory as it is. --time prints
// instructions and seconds of processor time to stderr.
#include <algorithm>
#include <cstdio>
#include <ctime>
#include <exception>
#include <random>
#include <stdexcept>
#include <utility>
#include <vector>

#include "bare_machine.h"

namespace {

using firesim::functional::BareMachine;
using firesim::functional::Retired;

constexpr uint64_t kDramBytes = 256 << 20;

struct Options {
  const char *elf = nullptr;
  const char *log = nullptr;
  uint64_t from = 0, to = ~uint64_t{0};
  uint64_t max_cycles = 1'000'000'000'000;
  uint64_t cut_seed = 0;  // 0: no cuts
  std::vector<std::pair<const char *, uint64_t>> loads;
  int32_t translate_after = firesim::functional::kTranslateAfter;
  bool time = false;
};

class Log : public firesim::functional::RetireObserver {
 public:
  Log(const char *path, uint64_t from, uint64_t to)
      : file_(std::fopen(path, "w")), from_(from), to_(to), on_(from == 0) {
    if (file_ == nullptr) throw std::runtime_error(std::string(path) + ": cannot be written.");
  }
  ~Log() override { std::fclose(file_); }
  Log(const Log &) = delete;
  Log &operator=(const Log &) = delete;

  void retired(const Retired &event) override {
    if (!event.exception && event.pc == from_) on_ = true;
    if (!event.exception && event.pc == to_) on_ = false;
    if (!on_) return;
    if (event.exception) {
      std::fprintf(file_, "core   0: %s %lu, epc 0x%016lx, tval 0x%016lx cycle %lu\n",
                   event.interrupt ? "interrupt" : "exception", event.cause, event.pc, event.tval,
                   event.cycle);
    } else {
      std::fprintf(file_, "core   0: %u 0x%016lx (0x%08x) cycle %lu\n", event.privilege, event.pc,
                   event.instruction, event.cycle);
    }
  }

 private:
  std::FILE *file_;
  uint64_t from_, to_;
  bool on_;
};

Options parse(int argc, char **argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const auto value = [&]() -> const char * {
      if (i + 1 == argc) throw std::runtime_error(word + ": a value is missing.");
      return argv[++i];
    };
    if (word == "--log") {
      options.log = value();
    } else if (word == "--from") {
      options.from = std::stoull(value(), nullptr, 0);
    } else if (word == "--to") {
      options.to = std::stoull(value(), nullptr, 0);
    } else if (word == "--max-cycles") {
      options.max_cycles = std::stoull(value(), nullptr, 0);
    } else if (word == "--cut-seed") {
      options.cut_seed = std::stoull(value(), nullptr, 0);
    } else if (word == "--load") {
      const char *file = value();
      options.loads.emplace_back(file, std::stoull(value(), nullptr, 0));
    } else if (word == "--translate-after") {
      options.translate_after = std::stoi(value());
    } else if (word == "--time") {
      options.time = true;
    } else {
      options.elf = argv[i];
    }
  }
  if (options.elf == nullptr) throw std::runtime_error("found no ELF file, expected one.");
  return options;
}

void run_in_pieces(BareMachine &machine, const Options &options) {
  std::mt19937_64 random(options.cut_seed);
  while (!machine.ended() && machine.cycle() < options.max_cycles) {
    // Mostly short pieces, which end in the middle of blocks.
    const uint64_t piece = options.cut_seed == 0 ? options.max_cycles : random() % 200 + 1;
    machine.run(std::min(options.max_cycles, machine.cycle() + piece));
  }
}

int run(const Options &options) {
  BareMachine machine(kDramBytes);
  machine.shared().set_translate_after(options.translate_after < 0
                                           ? firesim::functional::kNeverTranslated
                                           : options.translate_after);
  machine.load_elf(options.elf);
  for (const auto &[file, address] : options.loads) machine.load_raw(file, address);
  const std::clock_t begin = std::clock();
  if (options.log != nullptr) {
    Log log(options.log, options.from, options.to);
    machine.hart().set_observer(&log);
    machine.run(options.max_cycles);
    machine.hart().set_observer(nullptr);
  } else {
    run_in_pieces(machine, options);
  }
  const double taken_s = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  std::fputs(machine.console().c_str(), stdout);
  if (options.time) {
    std::fprintf(stderr, "{\"instructions\": %lu, \"seconds\": %.6f}\n",
                 machine.hart().state().minstret, taken_s);
  }
  if (!machine.ended()) {
    std::fprintf(stderr, "%s: did not end within %lu cycles; pc is 0x%lx.\n", options.elf,
                 options.max_cycles, machine.hart().state().pc);
    return 3;
  }
  return machine.exit_code() == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char **argv) {
  try {
    return run(parse(argc, argv));
  } catch (const std::exception &error) {
    std::fprintf(stderr, "functional-run: %s\n", error.what());
    return 2;
  }
}
