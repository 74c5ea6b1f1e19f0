// SPDX-License-Identifier: BSD-3-Clause
// The block device: latency to the cycle, copy-on-write, bad images and bad requests.
#include "bridges/block_device/block_device.h"

#include <fstream>

#include "bench.h"

namespace firesim::bridges {
namespace {

std::vector<BenchPort> block_ports() {
  return {{"req_valid", 1, false, true}, {"req_write", 1, false},  {"req_sector", 32, false},
          {"req_count", 16, false},      {"req_tag", 8, false},    {"wdata_valid", 1, false, true},
          {"wdata_bits", 64, false},     {"wdata_tag", 8, false},  {"rdata_ready", 1, false},
          {"wack_ready", 1, false},      {"req_ready", 1, true},   {"wdata_ready", 1, true},
          {"rdata_valid", 1, true},      {"rdata_bits", 64, true}, {"rdata_tag", 8, true},
          {"wack_valid", 1, true},       {"wack_tag", 8, true},    {"info_sectors", 32, true},
          {"info_max_request", 16, true}};
}

struct Disk {
  Disk(const Disk &) = delete;
  explicit Disk(const nlohmann::json &config) : bench("block_device", block_ports()) {
    std::ofstream image(bench.folder() / "disk.img", std::ios::binary);
    for (uint32_t word = 0; word < 4 * kSectorBytes / 8; ++word) {
      const uint64_t value = word;
      image.write(reinterpret_cast<const char *>(&value), 8);
    }
    image.close();
    driver = bench.make<BlockDeviceDriver>(config);
    bench.set("rdata_ready", 1);
    bench.set("wack_ready", 1);
  }

  void request(bool write, uint32_t sector, uint32_t count, uint32_t tag) {
    bench.set("req_valid", 1);
    bench.set("req_write", write);
    bench.set("req_sector", sector);
    bench.set("req_count", count);
    bench.set("req_tag", tag);
    bench.cycle(*driver);
    bench.set("req_valid", 0);
  }
  // Runs until `port` is 1; returns that cycle.
  uint64_t wait(const std::string &port) {
    for (int i = 0; i < 10'000 && bench.get(port) == 0; ++i) bench.cycle(*driver);
    return bench.now;
  }
  std::vector<uint64_t> read(uint32_t sector, uint32_t count) {
    request(false, sector, count, 1);
    wait("rdata_valid");
    std::vector<uint64_t> words;
    for (; bench.get("rdata_valid") != 0; bench.cycle(*driver)) {
      words.push_back(bench.get("rdata_bits"));
    }
    return words;
  }
  void write(uint32_t sector, uint64_t first) {
    request(true, sector, 1, 2);
    bench.set("wdata_valid", 1);
    bench.set("wdata_tag", 2);
    for (uint64_t i = 0; i < kSectorBytes / 8; ++i) {
      bench.set("wdata_bits", first + i);
      bench.cycle(*driver);
    }
    bench.set("wdata_valid", 0);
    wait("wack_valid");
    EXPECT_EQ(bench.get("wack_tag"), 2u);
    bench.cycle(*driver);
  }

  Bench bench;
  std::unique_ptr<BlockDeviceDriver> driver;
};

TEST(BlockDevice, ReadLatencyIsExactAndBeatsFollowEachOther) {
  Disk disk({{"image", "disk.img"}, {"latency_cycles", 100}});
  EXPECT_EQ(disk.bench.get("info_sectors"), 4u);
  disk.request(false, 1, 2, 9);
  EXPECT_EQ(disk.wait("rdata_valid"), 100u);
  for (uint64_t i = 0; i < 128; ++i) {
    ASSERT_EQ(disk.bench.get("rdata_valid"), 1u);
    ASSERT_EQ(disk.bench.get("rdata_bits"), 64 + i);
    ASSERT_EQ(disk.bench.get("rdata_tag"), 9u);
    disk.bench.cycle(*disk.driver);
  }
  EXPECT_EQ(disk.bench.get("rdata_valid"), 0u);
}

TEST(BlockDevice, WriteIsAcknowledgedAfterTheLatency) {
  Disk disk({{"size_sectors", 8}, {"latency_cycles", 30}});
  disk.request(true, 0, 1, 2);
  disk.bench.set("wdata_valid", 1);
  disk.bench.set("wdata_tag", 2);
  for (int i = 0; i < 64; ++i) disk.bench.cycle(*disk.driver);
  disk.bench.set("wdata_valid", 0);
  EXPECT_EQ(disk.wait("wack_valid"), 64u + 30);  // the last beat went in cycle 64
}

TEST(BlockDevice, WritesGoToTheOverlayOnly) {
  for (const bool file : {false, true}) {
    nlohmann::json config = {{"image", "disk.img"}, {"latency_cycles", 1}, {"size_sectors", 6}};
    if (file) config["overlay"] = "node0/disk.overlay";
    Disk disk(config);
    disk.write(2, 5000);
    EXPECT_EQ(disk.read(2, 1).front(), 5000u);
    EXPECT_EQ(disk.read(1, 1).front(), 64u);
    EXPECT_EQ(disk.read(5, 1).front(), 0u);  // beyond the image
    std::ifstream image(disk.bench.folder() / "disk.img", std::ios::binary);
    image.seekg(2 * kSectorBytes);
    uint64_t word = 0;
    image.read(reinterpret_cast<char *>(&word), 8);
    EXPECT_EQ(word, 128u);
  }
}

TEST(BlockDevice, BackPressure) {
  Disk disk({{"image", "disk.img"}, {"latency_cycles", 5}});
  disk.bench.set("rdata_ready", 0);
  disk.request(false, 0, 1, 3);
  for (int i = 0; i < 50; ++i) disk.bench.cycle(*disk.driver);
  EXPECT_EQ(disk.bench.get("rdata_bits"), 0u);
  disk.bench.set("rdata_ready", 1);
  disk.bench.cycle(*disk.driver);
  EXPECT_EQ(disk.bench.get("rdata_bits"), 1u);
}

TEST(BlockDevice, BadRequestsAreNamed) {
  Disk disk(nlohmann::json{{"size_sectors", 8}});
  try {
    disk.request(false, 0, 17, 3);
    FAIL();
  } catch (const std::runtime_error &error) {
    EXPECT_STREQ(error.what(),
                 "node0: bridges.block_device: the target asked for 17 sectors in cycle 0, "
                 "expected 1 to 16");
  }
}

TEST(BlockDevice, BadImagesAreRefused) {
  EXPECT_EQ(refusal([] {
              Disk disk({{"image", "disk.img"}, {"size_sectors", 2}});
            }).substr(0, 50),
            "node0: bridges.block_device: size_sectors is 2, bu");
  EXPECT_NE(refusal([] {
              Disk disk(nlohmann::json{{"image", "none.img"}});
            }).find("cannot be opened"),
            std::string::npos);
  TemporaryFolder folder;
  const std::string odd = folder / "odd.img";
  std::ofstream(odd) << "abc";
  EXPECT_EQ(refusal([&] { SectorStore store(odd, "", 0, "n"); }),
            "n: image " + odd + " has 3 bytes, expected a multiple of 512 above 0");
}

}  // namespace
}  // namespace firesim::bridges
