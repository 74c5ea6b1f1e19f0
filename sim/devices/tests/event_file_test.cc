// SPDX-License-Identifier: BSD-3-Clause
// The bytes of a timeline's events, and what becomes of those that have no room.
#include "devices/event_file.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "devices/console_lines.h"
#include "devices/disk_requests.h"

namespace firesim::devices {
namespace {

using namespace std::string_literals;

class EventFileTest : public testing::Test {
 protected:
  ~EventFileTest() override { std::filesystem::remove(path_); }
  std::string written() const {
    std::ifstream stream(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
  }

  const std::filesystem::path path_ =
      std::filesystem::path(testing::TempDir()) / ("events-" + std::to_string(getpid()));
};

TEST_F(EventFileTest, WritesDifferencesOfCycles) {
  {
    EventFile file(path_, 1000);
    const uint32_t track = file.name(EventFile::kNone, "hart0");
    const uint32_t frame = file.name(track, "f");
    EXPECT_EQ(track, 1u);
    EXPECT_EQ(frame, 2u);
    file.slice(frame, 100, 103);  // zigzag of 100 is 200, of two bytes
    file.slice(track, 103, 104);
    file.instant(frame, 102);  // two cycles back
  }
  EXPECT_EQ(written(),
            "FSEVENT1\x00\x05hart0\x04\x01"
            "f\x09\xc8\x01\x03\x05\x00\x01\x0a\x03"s);
}

TEST_F(EventFileTest, CountsWhatHasNoRoom) {
  {
    EventFile file(path_, 62);
    const uint32_t track = file.name(EventFile::kNone, "t");  // 59 bytes are left
    for (uint64_t cycle = 0; cycle < 100; ++cycle) file.slice(track, cycle, cycle + 1);
    EXPECT_EQ(file.name(track, "new"), EventFile::kNone);
  }
  // Of events of 3 bytes, 10 fit while there is room for one of 30: at 59, 56, … 32 bytes.
  std::string expected = "FSEVENT1\x00\x01t"s;
  for (int i = 0; i < 10; ++i) expected += "\x05\x00\x01"s;
  // The other 90: 90 << 2 | 3 is 363; the first of them is where the last one ended.
  EXPECT_EQ(written(), expected + "\xeb\x02\x00"s);
}

TEST_F(EventFileTest, LinesAreInstantsAtTheirLastByte) {
  {
    ConsoleLines lines(std::make_unique<EventFile>(path_, 1000));
    uint64_t cycle = 10;
    for (const char byte : std::string("a\r\n\nb")) lines.put(byte, cycle++);
  }
  EXPECT_EQ(written(),
            "FSEVENT1\x00\x07"
            "console\x04\x01"
            "a\x0a\x18\x04\x01"
            "b\x0e\x04"s);
}

TEST_F(EventFileTest, RequestsOfADisk) {
  {
    DiskRequests requests(std::make_unique<EventFile>(path_, 1000));
    requests.end(3, 5);  // was under way before
    requests.begin(3, true, 7, 2, 8);
    requests.end(3, 11);
  }
  EXPECT_EQ(written(),
            "FSEVENT1\x00\x0a"
            "disk tag 3\x04\x0cwrite 2 at 7\x09\x10\x03"s);
}

}  // namespace
}  // namespace firesim::devices
