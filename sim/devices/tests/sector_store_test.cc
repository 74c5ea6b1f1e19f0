// SPDX-License-Identifier: BSD-3-Clause
//
// Disks that are refused leave nothing behind.
#include "devices/sector_store.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <fstream>
#include <iterator>

namespace firesim::devices {
namespace {

size_t open_files() {
  size_t count = 0;
  for (const auto &entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    static_cast<void>(entry);
    ++count;
  }
  return count;
}

class SectorStoreTest : public testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directories(folder_); }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  const std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("firesim-disk-" + std::to_string(getpid()));
};

// Found by libFuzzer, which had no descriptors left.
TEST_F(SectorStoreTest, ARefusedImageIsClosed) {
  const std::filesystem::path image = folder_ / "image", fifo = folder_ / "fifo";
  std::ofstream(image) << "no whole sector";
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  const size_t before = open_files();
  for (int i = 0; i < 10; ++i) {
    EXPECT_THROW(SectorStore(image, "", 0, "disk"), ConfigError);
    EXPECT_THROW(SectorStore(fifo, "", 0, "disk"), ConfigError);
    EXPECT_THROW(SectorStore("", folder_ / "none/overlay", 8, "disk"), ConfigError);
  }
  EXPECT_EQ(open_files(), before);
}

// Whoever puts an overlay over its image has to know what was written: zeros may have been.
TEST_F(SectorStoreTest, WhatWasWrittenIsNotedBesideTheOverlay) {
  const std::filesystem::path overlay = folder_ / "overlay";
  const std::array<uint8_t, kSectorBytes> zeros{};
  SectorStore store("", overlay, 100, "disk");
  for (const uint32_t sector : {7u, 3u, 4u, 5u, 99u, 100u, 4u}) store.write(sector, zeros.data());
  store.note_written();
  std::ifstream noted(folder_ / "overlay.sectors");
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(noted), {}), "3 3\n7 1\n99 1\n");
  SectorStore("", "", 8, "disk").note_written();  // in memory: nothing to note
}

}  // namespace
}  // namespace firesim::devices
