// SPDX-License-Identifier: BSD-3-Clause
// HTIF: every command of a program, against a memory of the test's own.
#include "devices/host_interface.h"

#include <cstring>
#include <fstream>
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
    nlohmann::json settings = {
        {"tohost", kToHost}, {"memory_base", kBase}, {"memory_bytes", 1 << 16}};
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
  EXPECT_EQ(message(true, [](Rig &rig) { rig.call(kBase + 0x2000, 80); }),
            "asked the host for system call 80 by tohost, expected 64 (write) or 93 (exit)");
  EXPECT_EQ(message(true, [](Rig &rig) { rig.call(kBase + 0x2000, 64, 1, 0x1000, 5); }),
            "asked the host to write 5 bytes at 0x1000 by tohost, expected them inside its memory");
  EXPECT_EQ(message(false, [](Rig &rig) { rig.call(kBase + 0x2000, 64, 1, kBase, 5); }),
            "wrote 0x80002000 to tohost, a system call, but the program has no symbol fromhost, "
            "expected one for the answer");
  EXPECT_EQ(message(true, [](Rig &rig) { rig.memory[kToHost] = 2ull << 56; }),
            "wrote 0x200000000000000 to tohost, command 0 of device 2, expected device 0 (exit, "
            "system calls) or 1 (terminal)");
}

TEST(HostInterface, ASavedOneGoesOnWithinACommand) {
  Rig rig;
  rig.text(kBase + 0x3004, "kept while it was written\n");
  rig.call(kBase + 0x2000, 64, 1, kBase + 0x3004, 26);
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
  EXPECT_EQ(rig.printed(), "kept while it was written\n");
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
