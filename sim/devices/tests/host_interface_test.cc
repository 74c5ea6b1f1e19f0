// SPDX-License-Identifier: BSD-3-Clause
// HTIF: every command of a program, against a memory of the test's own.
#include "devices/host_interface.h"

#include <cstring>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <map>

#include "devices/console.h"
#include "support.h"

namespace firesim::devices {
namespace {

constexpr uint64_t kBase = 0x80000000, kToHost = kBase + 0x1000, kFromHost = kBase + 0x1040;

class Rig {
 public:
  explicit Rig(bool has_fromhost = true)
      : console({{"log", (folder / "log").string()}}, "n: uart", "n", SimulationContext{}) {
    nlohmann::json settings = {{"tohost", kToHost},
                               {"memory_base", kBase},
                               {"memory_bytes", 1 << 16},
                               {"arguments", {"a.elf", "x=1", ""}}};
    if (has_fromhost) settings["fromhost"] = kFromHost;
    host = HostInterface::make(settings, "n: htif");
  }

  // One look of the host in `cycle`.
  void look(uint64_t cycle) {
    std::optional<HostInterface::Request> request = host->look();
    while (request) {
      ASSERT_EQ(request->address % 8, 0u);
      if (request->write) memory[request->address] = request->data;
      ++requests;
      request = host->answer(memory[request->address], cycle, end, &console);
    }
  }
  void text(uint64_t address, const std::string &what) {
    for (uint64_t i = 0; i < what.size(); ++i) {
      const uint64_t at = address + i;
      memory[at & ~7ull] |= uint64_t{static_cast<uint8_t>(what[i])} << 8 * (at % 8);
    }
  }
  void call(uint64_t at, uint64_t number, uint64_t a = 0, uint64_t b = 0, uint64_t c = 0) {
    memory[at] = number;
    memory[at + 8] = a;
    memory[at + 16] = b;
    memory[at + 24] = c;
    memory[kToHost] = at;
  }
  std::string printed() {
    console.flush();
    std::ifstream stream(folder / "log");
    return {std::istreambuf_iterator<char>(stream), {}};
  }

  TemporaryFolder folder;
  Console console;
  std::unique_ptr<HostInterface> host;
  std::map<uint64_t, uint64_t> memory;
  BladeEnd end;
  int requests = 0;
};

TEST(HostInterface, NothingIsDoneWithoutACommand) {
  Rig rig;
  rig.look(1024);
  EXPECT_EQ(rig.requests, 1);
  EXPECT_FALSE(rig.end.ended());
  EXPECT_EQ(HostInterface::next_look(0), 1024u);
  EXPECT_EQ(HostInterface::next_look(1024), 2048u);
}

TEST(HostInterface, AnOddValueEndsWithItsCode) {
  for (const auto &[value, code] : {std::pair<uint64_t, int>{1, 0}, {7, 3}, {2 * 1337 + 1, 1337}}) {
    Rig rig;
    rig.memory[kToHost] = value;
    rig.look(2048);
    EXPECT_EQ(rig.end.kind, BladeEnd::Kind::kFinished);
    EXPECT_EQ(rig.end.exit_code, code);
    EXPECT_EQ(rig.end.cycle, 2048u);
    EXPECT_EQ(rig.end.message, code == 0 ? "passed" : "failed with code " + std::to_string(code));
  }
}

TEST(HostInterface, WritesOfAnyPlaceAndLengthArePrintedAndAnswered) {
  for (uint64_t place = 0; place < 9; ++place) {
    for (const char *text : {"x", "a line\n", "more than two words of it\n"}) {
      Rig rig;
      rig.text(kBase + 0x3000 + place, std::string(text) + "not this");
      rig.call(kBase + 0x2000, 64, 1, kBase + 0x3000 + place, std::strlen(text));
      rig.look(1024);
      EXPECT_FALSE(rig.end.ended()) << rig.end.message;
      EXPECT_EQ(rig.printed(), text);
      EXPECT_EQ(rig.memory[kBase + 0x2000], std::strlen(text));
      EXPECT_EQ(rig.memory[kToHost], 0u);
      EXPECT_EQ(rig.memory[kFromHost], 1u);
    }
  }
}

TEST(HostInterface, ACallWaitsUntilTheLastAnswerIsTaken) {
  Rig rig;
  rig.text(kBase + 0x3000, "again");
  rig.call(kBase + 0x2000, 64, 2, kBase + 0x3000, 5);
  rig.memory[kFromHost] = 1;
  rig.look(1024);
  EXPECT_EQ(rig.printed(), "");
  EXPECT_EQ(rig.memory[kToHost], kBase + 0x2000);
  rig.memory[kFromHost] = 0;
  rig.look(2048);
  EXPECT_EQ(rig.printed(), "again");
}

TEST(HostInterface, OtherFilesAreNotOpenAndExitEnds) {
  Rig rig;
  rig.call(kBase + 0x2000, 64, 3, kBase + 0x3000, 5);
  rig.look(1024);
  EXPECT_EQ(rig.memory[kBase + 0x2000], static_cast<uint64_t>(-9));
  rig.memory[kFromHost] = 0;
  rig.call(kBase + 0x2000, 93, 5);
  rig.look(2048);
  EXPECT_EQ(rig.end.exit_code, 5);
}

TEST(HostInterface, TheTerminalTakesCharacters) {
  Rig rig(false);
  for (const char letter : std::string("ok\n")) {
    rig.memory[kToHost] = 1ull << 56 | 1ull << 48 | static_cast<uint8_t>(letter);
    rig.look(1024);
    EXPECT_EQ(rig.memory[kToHost], 0u);
  }
  rig.memory[kToHost] = 1ull << 56;  // a character, please
  rig.look(1024);
  EXPECT_EQ(rig.memory[kToHost], 0u);
  EXPECT_EQ(rig.printed(), "ok\n");
}

TEST(HostInterface, WhatIsNotOfferedEndsWithASentence) {
  const auto message = [](bool has_fromhost, auto &&command) {
    Rig rig(has_fromhost);
    command(rig);
    rig.look(1024);
    EXPECT_EQ(rig.end.exit_code, 1);
    return rig.end.message;
  };
  EXPECT_EQ(message(true, [](Rig &rig) { rig.memory[kToHost] = 2; }),
            "wrote 0x2 to tohost, expected code << 1 | 1, or the address in memory of a system "
            "call's arguments");
  EXPECT_EQ(message(true, [](Rig &rig) { rig.call(kBase + 0x2000, 81); }),
            "asked the host for system call 81 by tohost, expected " + known_calls());
  EXPECT_EQ(message(true, [](Rig &rig) { rig.call(kBase + 0x2000, 80, 1, kBase - 8); }),
            "asked the host by system call 80 of tohost to put 128 bytes at 0x7ffffff8, expected "
            "a place inside its memory");
  EXPECT_EQ(message(true, [](Rig &rig) { rig.call(kBase + 0x2000, 64, 1, 0x1000, 5); }),
            "asked the host to write 5 bytes at 0x1000 by tohost, expected them inside its memory");
  EXPECT_EQ(message(false, [](Rig &rig) { rig.call(kBase + 0x2000, 64, 1, kBase, 5); }),
            "wrote 0x80002000 to tohost, a system call, but the program has no symbol fromhost, "
            "expected one for the answer");
  EXPECT_EQ(message(true, [](Rig &rig) { rig.memory[kToHost] = 2ull << 56; }),
            "wrote 0x200000000000000 to tohost, command 0 of device 2, expected device 0 (exit, "
            "system calls) or 1 (terminal)");
}

// The bytes of memory from `address` on.
std::string bytes(Rig &rig, uint64_t address, uint64_t count) {
  std::string found;
  for (uint64_t at = address; at < address + count; ++at) {
    found += static_cast<char>(rig.memory[at & ~7ull] >> 8 * (at % 8));
  }
  return found;
}

TEST(HostInterface, KnownCallsAreListedByNumber) {
  EXPECT_EQ(known_calls(),
            "17 (getcwd), 25 (fcntl), 34 (mkdirat), 35 (unlinkat), 37 (linkat), 38 (renameat), 46 "
            "(ftruncate), 48 (faccessat), 49 (chdir), 56 (openat), 57 (close), 62 (lseek), 63 "
            "(read), 64 (write), 67 (pread), 68 (pwrite), 79 (fstatat), 80 (fstat), 93 (exit), 276 "
            "(renameat2), 291 (statx), 1039 (lstat) or 2011 (getmainvars)");
}

TEST(HostInterface, CallsOfFilesKnowTheThreeThatAreOpen) {
  struct Case {
    uint64_t number, first;
    int64_t expected;
  };
  constexpr int64_t kBad = -9, kNone = -2, kSeek = -29;
  for (const auto &[number, first, expected] : std::initializer_list<Case>{{57, 1, 0},
                                                                           {57, 3, kBad},
                                                                           {62, 0, kSeek},
                                                                           {62, 3, kBad},
                                                                           {63, 0, 0},
                                                                           {63, 1, kBad},
                                                                           {67, 0, kSeek},
                                                                           {68, 9, kBad},
                                                                           {46, 2, -22},
                                                                           {56, 0, kNone},
                                                                           {79, 0, kNone},
                                                                           {48, 0, kNone},
                                                                           {1039, 0, kNone},
                                                                           {34, 0, -30},
                                                                           {25, 1, -22}}) {
    Rig rig;
    rig.call(kBase + 0x2000, number, first);
    rig.look(1024);
    EXPECT_FALSE(rig.end.ended()) << rig.end.message;
    EXPECT_EQ(static_cast<int64_t>(rig.memory[kBase + 0x2000]), expected) << number;
    EXPECT_EQ(rig.memory[kFromHost], 1u);
  }
}

TEST(HostInterface, WhatACallReturnsInMemoryLiesWhereItWasAskedFor) {
  for (uint64_t place = 0; place < 8; ++place) {
    Rig rig;
    const uint64_t at = kBase + 0x3000 + place;
    rig.text(kBase + 0x3000, std::string(24, 'x'));
    rig.call(kBase + 0x2000, 17, at, 2);
    rig.look(1024);
    EXPECT_EQ(rig.memory[kBase + 0x2000], 2u);
    EXPECT_EQ(bytes(rig, kBase + 0x3000, 16),
              std::string(place, 'x') + '/' + '\0' + std::string(14 - place, 'x'));
  }
}

TEST(HostInterface, TheConsoleIsATerminalAndAProgramHasArguments) {
  Rig rig;
  rig.call(kBase + 0x2000, 80, 1, kBase + 0x3004);
  rig.look(1024);
  EXPECT_EQ(rig.memory[kBase + 0x2000], 0u);
  EXPECT_EQ(bytes(rig, kBase + 0x3004 + 16, 2), "\x90\x21");  // 020620
  rig.memory[kFromHost] = 0;
  rig.call(kBase + 0x2000, 2011, kBase + 0x4000, 58);
  rig.look(2048);
  EXPECT_EQ(static_cast<int64_t>(rig.memory[kBase + 0x2000]), -12);
  rig.memory[kFromHost] = 0;
  rig.call(kBase + 0x2000, 2011, kBase + 0x4000, 59);
  rig.look(3072);
  constexpr uint64_t kTexts = kBase + 0x4000 + 6 * 8;
  const std::vector<uint64_t> expected{3, kTexts, kTexts + 6, kTexts + 10, 0, 0};
  for (uint64_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(rig.memory[kBase + 0x4000 + 8 * i], expected[i]) << i;
  }
  EXPECT_EQ(bytes(rig, kTexts, 11), std::string("a.elf\0x=1\0\0", 11));
}

// The host is another one, loaded with what the last one saved, before each answer.
void look_with_a_new_host_each_time(Rig &rig) {
  std::optional<HostInterface::Request> request = rig.host->look();
  while (request) {
    if (request->write) rig.memory[request->address] = request->data;
    StateWriter writer;
    writer.section("htif", 1);
    rig.host->save(writer);
    rig.host = Rig().host;
    StateReader reader("test", writer);
    reader.section("htif", 1);
    rig.host->load(reader);
    reader.finish();
    request = rig.host->answer(rig.memory[request->address], 1024, rig.end, &rig.console);
  }
}

TEST(HostInterface, ASavedOneGoesOnWithinACommand) {
  Rig rig;
  rig.text(kBase + 0x3004, "kept while it was written\n");
  rig.call(kBase + 0x2000, 64, 1, kBase + 0x3004, 26);
  look_with_a_new_host_each_time(rig);
  EXPECT_EQ(rig.printed(), "kept while it was written\n");
  EXPECT_EQ(rig.memory[kFromHost], 1u);
  rig.memory[kFromHost] = 0;
  rig.call(kBase + 0x2000, 80, 0, kBase + 0x3004);
  look_with_a_new_host_each_time(rig);
  EXPECT_EQ(bytes(rig, kBase + 0x3004 + 16, 2), "\x90\x21");
  EXPECT_EQ(bytes(rig, kBase + 0x3004, 4), std::string(4, '\0'));
  EXPECT_EQ(rig.memory[kFromHost], 1u);
}

TEST(HostInterface, SymbolsOutsideMemoryAreRefused) {
  const auto made = [](uint64_t tohost) {
    HostInterface::make({{"tohost", tohost}, {"memory_base", kBase}, {"memory_bytes", 4096}},
                        "n: htif");
  };
  EXPECT_EQ(refusal([&] { made(kBase + 4088); }), "");
  EXPECT_NE(refusal([&] { made(kBase + 4092); }).find("n: htif"), std::string::npos);
  EXPECT_NE(refusal([&] { made(kBase + 4096); }).find("tohost"), std::string::npos);
  EXPECT_EQ(HostInterface::make(nullptr, "n: htif"), nullptr);
}

}  // namespace
}  // namespace firesim::devices
