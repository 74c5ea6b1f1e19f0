// SPDX-License-Identifier: BSD-3-Clause
// Loading files into the target's memory, and refusing those that do not fit.
#include "devices/guest_memory.h"

#include <fstream>

#include "support.h"

namespace firesim::devices {
namespace {

constexpr uint64_t kBase = 0x80000000;

std::string file_with(const TemporaryFolder &folder, const std::string &name,
                      const std::string &content) {
  std::ofstream(folder / name, std::ios::binary) << content;
  return folder / name;
}

TEST(GuestMemory, StartsAtZeroAndLoadsRaw) {
  TemporaryFolder folder;
  GuestMemory memory(kBase, 1 << 20);
  EXPECT_EQ(*memory.at(kBase + 12345), 0);
  memory.load_raw(file_with(folder, "a", "hello"), kBase + 100, "n");
  EXPECT_EQ(std::string(reinterpret_cast<char *>(memory.at(kBase + 100)), 5), "hello");
}

TEST(GuestMemory, LoadsElfSegments) {
  GuestMemory memory(kBase, 1 << 20);
  memory.load_elf(CALL_DEMO, "n");
  uint32_t first = 0;
  std::memcpy(&first, memory.at(kBase), 4);
  EXPECT_NE(first, 0u);
}

TEST(GuestMemory, RefusesOverlapAndOutOfRange) {
  TemporaryFolder folder;
  GuestMemory memory(kBase, 4096);
  const std::string a = file_with(folder, "a", std::string(100, 'a'));
  const std::string b = file_with(folder, "b", std::string(100, 'b'));
  memory.load_raw(a, kBase, "n");
  EXPECT_EQ(
      refusal([&] { memory.load_raw(b, kBase + 99, "n"); }),
      "n: " + b + " at 0x80000063 to 0x800000c7 overlaps " + a + " at 0x80000000 to 0x80000064");
  EXPECT_EQ(refusal([&] { memory.load_raw(b, kBase + 4000, "n"); }),
            "n: " + b +
                " wants 100 bytes at 0x80000fa0, but the memory is 4096 bytes at "
                "0x80000000");
}

TEST(GuestMemory, RefusesOtherFiles) {
  TemporaryFolder folder;
  GuestMemory memory(kBase, 1 << 20);
  const std::string end = ", expected a 64-bit RISC-V executable ELF file";
  const std::string text = file_with(folder, "text", "no ELF");
  EXPECT_EQ(refusal([&] { memory.load_elf(text, "n"); }),
            "n: " + text + " is not an ELF file" + end);
  EXPECT_EQ(refusal([&] { memory.load_elf("/proc/self/exe", "n"); }),
            "n: /proc/self/exe is for ELF machine 62" + end);
  EXPECT_EQ(refusal([&] { memory.load_elf(folder / "none", "n"); }),
            "n: cannot read " + (folder / "none").string());
  std::string elf(std::istreambuf_iterator<char>(std::ifstream(CALL_DEMO).rdbuf()), {});
  elf.resize(200);
  const std::string cut = file_with(folder, "cut", elf);
  EXPECT_EQ(refusal([&] { memory.load_elf(cut, "n"); }).substr(0, 3), "n: ");
}

}  // namespace
}  // namespace firesim::devices
