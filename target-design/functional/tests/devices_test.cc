// SPDX-License-Identifier: BSD-3-Clause
// Registers, UART and block device.
#include <fstream>
#include <sstream>

#include "device_bench.h"
#include "functional/blade/bus.h"
#include "functional/devices/block_device.h"
#include "functional/devices/uart.h"

namespace firesim::functional {
namespace {

class TestFolder {
 public:
  TestFolder()
      : path_(std::filesystem::temp_directory_path() /
              ("functional-devices-" + std::to_string(::getpid()))) {
    std::filesystem::create_directories(path_);
    context.description_directory = context.results_directory = path_;
  }
  ~TestFolder() { std::filesystem::remove_all(path_); }
  void write(const std::string &name, const std::string &text) const {
    std::ofstream(path_ / name) << text;
  }
  std::string read(const std::string &name) const {
    std::stringstream text;
    text << std::ifstream(path_ / name).rdbuf();
    return text.str();
  }
  SimulationContext context;

 private:
  std::filesystem::path path_;
};

struct UartBench {
  explicit UartBench(const std::string &input = "") {
    folder.write("keys", input);
    console.emplace(nlohmann::json{{"log", "uart.log"}, {"input", "keys"}}, "node0", "node0",
                    folder.context);
    uart.emplace(*console);
  }
  TestFolder folder;
  std::optional<devices::Console> console;
  std::optional<Uart> uart;
};

TEST(Uart, OneCharacterLeavesACycleOnceEnabled) {
  UartBench bench;
  Uart &uart = *bench.uart;
  uart.advance(100);
  for (int i = 0; i < 17; ++i) uart.write(0, 4, static_cast<uint64_t>('a' + i));
  EXPECT_EQ(uart.read(0, 4), 0x8000'0000u);  // full: the 17th is lost
  EXPECT_EQ(uart.next_event(), kNever);
  uart.write(8, 4, 1 | 3 << 16);
  uart.write(0x10, 4, 1);
  EXPECT_FALSE(uart.interrupt());
  EXPECT_EQ(uart.next_event(), 101u);
  uart.advance(113);
  EXPECT_FALSE(uart.interrupt());  // 3 left, not below the watermark
  uart.advance(114);
  EXPECT_TRUE(uart.interrupt());
  uart.advance(200);
  bench.console->flush();
  EXPECT_EQ(bench.folder.read("uart.log"), "abcdefghijklmnop");
}

TEST(Uart, InputComesWhenEnabledAndStopsWhenFull) {
  UartBench bench("0123456789abcdefXY");
  Uart &uart = *bench.uart;
  uart.advance(50);
  EXPECT_EQ(uart.read(4, 4), 0x8000'0000u);
  uart.write(0xc, 4, 1 | 1 << 16);
  uart.write(0x10, 4, 2);
  uart.advance(51);
  EXPECT_FALSE(uart.interrupt());
  uart.advance(52);
  EXPECT_TRUE(uart.interrupt());
  uart.advance(100);
  EXPECT_EQ(uart.next_event(), kNever);
  EXPECT_EQ(uart.bytes_in(), 16u);
  EXPECT_EQ(uart.read(4, 1), static_cast<uint64_t>('0'));
  EXPECT_EQ(uart.next_event(), 101u);
}

TEST(Registers, WritesMustCoverAndUnknownOnesReadAsZero) {
  UartBench bench;
  Uart &uart = *bench.uart;
  uart.write(0x18, 4, 0x12345);
  EXPECT_EQ(uart.read(0x18, 4), 0x2345u);
  uart.write(0x18, 2, 0);  // half of the register
  EXPECT_EQ(uart.read(0x18, 2), 0x2345u);
  EXPECT_EQ(uart.read(0x19, 1), 0x23u);
  EXPECT_EQ(uart.read(0x20, 8), 0u);
  uart.write(8, 8, uint64_t{1} << 32 | 1);  // two registers at once
  EXPECT_EQ(uart.read(8, 8), uint64_t{1} << 32 | 1);
}

TEST(BootRom, EntersDramWithHartAndDeviceTree) {
  EXPECT_EQ(read_boot_rom(0, 4), 0xf1402573u);
  EXPECT_EQ(read_boot_rom(24, 2), 0x8067u);
  EXPECT_EQ(read_boot_rom(26, 4), 2u);
  EXPECT_EQ(read_boot_rom(0x8000, 8), 0u);
}

struct BlockBench {
  BlockBench() : disk({{"size_sectors", 100}, {"latency_cycles", 1000}}, "disk", folder.context) {}

  uint64_t start(uint64_t address, uint32_t sector, uint32_t count, bool write) {
    device.write(0, 8, address);
    device.write(8, 4, sector);
    device.write(0x10, 4, count);
    device.write(0x18, 4, write ? 1 : 0);
    return device.read(0x20, 4);
  }

  TestFolder folder;
  TestMemory memory;
  devices::Disk disk;
  BlockDevice device{disk, memory.memory};
};

TEST(BlockDevice, RequestsAreDoneInTheirExactCycle) {
  BlockBench bench;
  BlockDevice &device = bench.device;
  for (int i = 0; i < 128; ++i) bench.memory.words[i] = 7000 + static_cast<uint64_t>(i);
  device.write(0x50, 4, 1);
  device.advance(50);
  EXPECT_EQ(bench.start(kDramBase + 3, 10, 2, true), 0u);  // rounded down
  EXPECT_EQ(device.read(0x28, 4), 1u);
  // 128 words from cycle 51 on, and the acknowledgement.
  EXPECT_EQ(device.next_event(), 50u + 128 + 1000);
  device.advance(1177);
  EXPECT_FALSE(device.interrupt());
  device.advance(1178);
  EXPECT_TRUE(device.interrupt());
  EXPECT_EQ(device.read(0x38, 4), 1u);
  EXPECT_EQ(device.read(0x30, 8), uint64_t{1} << 63);
  EXPECT_EQ(device.read(0x30, 8), 0u);
  EXPECT_EQ(bench.start(kDramBase + 4096, 11, 1, false), 0u);
  EXPECT_EQ(bench.start(kDramBase + 8192, 10, 1, false), 1u);
  EXPECT_EQ(device.next_event(), 1178u + 1000 + 63);
  device.advance(1178 + 1000 + 63);
  EXPECT_EQ(bench.memory.words[512], 7064u);
  EXPECT_EQ(bench.memory.words[1024], 0u);
  EXPECT_EQ(device.next_event(), 1178u + 1000 + 127);  // reads are served one after the other
  device.advance(5000);
  EXPECT_EQ(bench.memory.words[1024], 7000u);
}

TEST(BlockDevice, WhatDoesNotFitIsRefused) {
  BlockBench bench;
  EXPECT_EQ(bench.start(kDramBase, 0, 0, false), 0xffff'ffffu);
  EXPECT_EQ(bench.start(kDramBase, 0, 17, false), 0xffff'ffffu);
  EXPECT_EQ(bench.start(kDramBase, 99, 2, false), 0xffff'ffffu);
  EXPECT_EQ(bench.start(kDramBase, UINT32_MAX, 2, false), 0xffff'ffffu);
  EXPECT_EQ(bench.start(kDramBase, 98, 2, false), 0u);
  EXPECT_EQ(bench.start(kDramBase, 0, 1, false), 1u);
  EXPECT_EQ(bench.start(kDramBase, 0, 1, false), 0xffff'ffffu);  // both trackers are busy
}

TEST(BlockDevice, TrackersWaitForRoomAmongTheCompletions) {
  BlockBench bench;
  for (int i = 0; i < 2; ++i) bench.start(kDramBase, 0, 1, false);
  bench.device.advance(5000);
  for (int i = 0; i < 2; ++i) bench.start(kDramBase, 0, 1, false);
  bench.device.advance(10'000);
  EXPECT_EQ(bench.device.read(0x38, 4), 2u);
  EXPECT_EQ(bench.device.read(0x28, 4), 0u);
  bench.device.read(0x30, 8);
  EXPECT_EQ(bench.device.read(0x38, 4), 2u);
  EXPECT_EQ(bench.device.read(0x28, 4), 1u);
}

TEST(BlockDevice, MemoryThatDoesNotExistEndsTheBlade) {
  BlockBench bench;
  bench.start(kDramBase + TestMemory::kBytes - 8, 0, 1, false);
  bench.device.advance(2000);
  EXPECT_EQ(bench.memory.end.kind, devices::BladeEnd::Kind::kAssert);
  EXPECT_NE(bench.memory.end.message.find("the block device writes memory that does not exist"),
            std::string::npos);
}

}  // namespace
}  // namespace firesim::functional
