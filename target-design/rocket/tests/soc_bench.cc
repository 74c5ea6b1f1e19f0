// SPDX-License-Identifier: BSD-3-Clause
// Runs a program on the SoC alone, with a plain memory, and writes the commit trace of hart 0.
//
//   soc_bench IMAGE TRACE LATENCY_CYCLES MAX_CYCLES DMA
//
// IMAGE is loaded at 0x8000'0000. A store to the finisher's place ends the run with the stored
// value; one 8 bytes above the UART's base sets the interrupt lines. DMA is any of the letters r
// and w, or -: lines are streamed through the DMA port in these directions from cycle
// kDmaStartCycle on. Prints one JSON object. Each line of TRACE: cycle, "commit", "trap" or
// "interrupt", pc, instruction, privilege, cause, tval.
// SPDX-License-Identifier: BSD-3-Clause

#include <cinttypes>
#include <cstdio>
#include <exception>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>

#include "Vsoc.h"
#include "address_map.h"
#include "axi_memory.h"
#include "dma_traffic.h"

namespace bench {
namespace {

constexpr uint64_t kMemoryBase = FIRESIM_DRAM;
constexpr uint64_t kMemoryBytes = 16 << 20;
constexpr uint64_t kReadBase = kMemoryBase + (8 << 20);
constexpr uint64_t kWriteBase = kMemoryBase + (12 << 20);
constexpr uint64_t kResetCycles = 16;
constexpr uint64_t kDmaStartCycle = 2000;
constexpr uint64_t kExitRegister = FIRESIM_FINISHER;
constexpr uint64_t kInterruptRegister = FIRESIM_UART + 8;

/// Device registers: takes one single-beat request at a time, answers in the next cycle.
class Registers {
 public:
  template <typename Top>
  void drive(Top &top) const {
    top.mmio_ar_ready = !read_pending_;
    top.mmio_r_valid = read_pending_;
    top.mmio_r_id = read_id_;
    top.mmio_r_data = 0;
    top.mmio_r_resp = 0;
    top.mmio_r_last = 1;
    top.mmio_aw_ready = !have_address_;
    top.mmio_w_ready = have_address_ && !write_pending_;
    top.mmio_b_valid = write_pending_;
    top.mmio_b_id = write_id_;
    top.mmio_b_resp = 0;
    top.interrupts = interrupts_;
  }

  template <typename Top>
  void step(const Top &top) {
    if (top.mmio_r_valid && top.mmio_r_ready) read_pending_ = false;
    if (top.mmio_b_valid && top.mmio_b_ready) write_pending_ = have_address_ = false;
    if (top.mmio_ar_valid && top.mmio_ar_ready) {
      if (top.mmio_ar_len) throw std::runtime_error("a burst on the device port");
      read_pending_ = true;
      read_id_ = top.mmio_ar_id;
    }
    if (top.mmio_w_valid && top.mmio_w_ready) {
      store(top.mmio_w_data);
      write_pending_ = true;
    }
    if (top.mmio_aw_valid && top.mmio_aw_ready) {
      if (top.mmio_aw_len) throw std::runtime_error("a burst on the device port");
      have_address_ = true;
      write_id_ = top.mmio_aw_id;
      address_ = top.mmio_aw_addr;
    }
  }

  bool ended() const { return ended_; }
  uint64_t exit_value() const { return exit_value_; }

 private:
  void store(uint64_t data) {
    if (address_ == kInterruptRegister) interrupts_ = data & 0xff;
    if (address_ == kExitRegister) {
      ended_ = true;
      exit_value_ = data & 0xffff'ffff;
    }
  }

  bool read_pending_ = false;
  bool have_address_ = false;
  bool write_pending_ = false;
  uint32_t read_id_ = 0;
  uint32_t write_id_ = 0;
  uint64_t address_ = 0;
  uint8_t interrupts_ = 0;
  bool ended_ = false;
  uint64_t exit_value_ = 0;
};

void write_trace(std::FILE *file, const Vsoc &top, uint64_t cycle) {
  if (top.trace_0_valid && top.trace_0_exception)
    throw std::runtime_error("an instruction committed and trapped in the same cycle");
  if (!top.trace_0_valid && !top.trace_0_exception) return;
  const char *kind = top.trace_0_valid ? "commit" : top.trace_0_interrupt ? "interrupt" : "trap";
  std::fprintf(file, "%" PRIu64 " %s %" PRIx64 " %x %u %" PRIu64 " %" PRIx64 "\n", cycle, kind,
               static_cast<uint64_t>(top.trace_0_pc), top.trace_0_instruction,
               top.trace_0_privilege, static_cast<uint64_t>(top.trace_0_cause),
               static_cast<uint64_t>(top.trace_0_tval));
}

void run(char **arguments) {
  std::ifstream file(arguments[0], std::ios::binary);
  if (!file) throw std::runtime_error(std::string("cannot read ") + arguments[0]);
  const std::vector<uint8_t> image{std::istreambuf_iterator<char>(file), {}};
  std::unique_ptr<std::FILE, int (*)(std::FILE *)> trace(std::fopen(arguments[1], "w"),
                                                         std::fclose);
  if (!trace) throw std::runtime_error(std::string("cannot write ") + arguments[1]);
  const uint64_t latency_cycles = std::stoull(arguments[2]);
  const uint64_t max_cycles = std::stoull(arguments[3]);
  const std::string directions = arguments[4];

  AxiMemory memory(kMemoryBase, kMemoryBytes, latency_cycles);
  memory.load(image);
  for (uint64_t offset = 0; offset < DmaTraffic::kWindowLines * DmaTraffic::kLineBytes;
       offset += 8) {
    const uint64_t word = DmaTraffic::pattern(kReadBase + offset);
    std::memcpy(memory.at(kReadBase + offset, 8), &word, 8);
  }
  DmaTraffic dma(kReadBase, kWriteBase, directions.find('r') != std::string::npos,
                 directions.find('w') != std::string::npos);
  Registers registers;
  Vsoc top;

  uint64_t cycle = 0;
  for (; cycle < max_cycles && !registers.ended(); ++cycle) {
    top.clock = 0;
    top.reset = cycle < kResetCycles;
    memory.drive(top, cycle);
    registers.drive(top);
    dma.drive(top, cycle >= kDmaStartCycle);
    top.eval();
    if (!top.reset) {
      write_trace(trace.get(), top, cycle);
      memory.step(top, cycle);
      registers.step(top);
      dma.step(top);
    }
    top.clock = 1;
    top.eval();
  }
  std::printf("{\"cycles\": %" PRIu64 ", \"ended\": %s, \"exit_value\": %" PRIu64
              ", \"dma_start_cycle\": %" PRIu64 ", \"dma_bytes_read\": %" PRIu64
              ", \"dma_bytes_written\": %" PRIu64 "}\n",
              cycle, registers.ended() ? "true" : "false", registers.exit_value(), kDmaStartCycle,
              dma.bytes_read(), dma.bytes_written());
}

}  // namespace
}  // namespace bench

int main(int count, char **arguments) {
  if (count != 6) {
    std::fprintf(stderr, "usage: soc_bench IMAGE TRACE LATENCY_CYCLES MAX_CYCLES DMA\n");
    return 2;
  }
  try {
    bench::run(arguments + 1);
  } catch (const std::exception &error) {
    std::fprintf(stderr, "soc_bench: %s\n", error.what());
    return 1;
  }
  return 0;
}
