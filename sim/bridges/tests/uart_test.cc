// SPDX-License-Identifier: BSD-3-Clause
// The UART: log, input file, terminal.
#include "bridges/uart/uart.h"

#include <fcntl.h>
#include <termios.h>
#include <unistd.h>

#include <fstream>
#include <sstream>

#include "bench.h"

namespace firesim::bridges {
namespace {

std::vector<BenchPort> uart_ports() {
  return {{"out_valid", 1, false, true}, {"out_bits", 8, false}, {"in_ready", 1, false},
          {"out_ready", 1, true},        {"in_valid", 1, true},  {"in_bits", 8, true}};
}

std::string content(const std::filesystem::path &file) {
  std::ifstream stream(file);
  std::stringstream text;
  text << stream.rdbuf();
  return text.str();
}

void print(Bench &bench, UartDriver &driver, const std::string &text) {
  bench.set("out_valid", 1);
  for (const char c : text) {
    bench.set("out_bits", static_cast<uint8_t>(c));
    bench.cycle(driver);
  }
  bench.set("out_valid", 0);
}

TEST(Uart, LogIsWrittenAtTheEndOfALine) {
  Bench bench("uart", uart_ports());
  auto driver = bench.make<UartDriver>({{"log", "node0/uart.log"}});
  EXPECT_EQ(bench.get("out_ready"), 1u);
  print(bench, *driver, "hello\nwor");
  EXPECT_EQ(content(bench.folder() / "node0/uart.log"), "hello\n");
  driver->finish(0);
  EXPECT_EQ(content(bench.folder() / "node0/uart.log"), "hello\nwor");
}

TEST(Uart, InputFileWaitsForTheTarget) {
  Bench bench("uart", uart_ports());
  std::ofstream(bench.folder() / "keys") << "ab";
  auto driver = bench.make<UartDriver>({{"input", "keys"}});
  bench.cycle(*driver);
  EXPECT_EQ(bench.get("in_valid"), 1u);
  EXPECT_EQ(bench.get("in_bits"), 'a');
  for (int i = 0; i < 5; ++i) bench.cycle(*driver);
  EXPECT_EQ(bench.get("in_bits"), 'a');
  bench.set("in_ready", 1);
  bench.cycle(*driver);
  EXPECT_EQ(bench.get("in_bits"), 'b');
  bench.cycle(*driver);
  EXPECT_EQ(bench.get("in_valid"), 0u);
  EXPECT_EQ(driver->statistics()["bytes_in"], 2);
  EXPECT_TRUE(bench.status().deterministic);
}

TEST(Uart, TerminalGoesBothWaysAndMarksTheRun) {
  Bench bench("uart", uart_ports());
  auto driver = bench.make<UartDriver>({{"pty", "console"}});
  const int terminal = open((bench.folder() / "console").c_str(), O_RDWR | O_NOCTTY);
  ASSERT_GE(terminal, 0);
  print(bench, *driver, "login\n");
  // The kernel may hand over what was written in several pieces.
  std::string text;
  for (char piece[16]; text.size() < 6;) {
    const ssize_t count = read(terminal, piece, sizeof piece);
    ASSERT_GT(count, 0);
    text.append(piece, static_cast<size_t>(count));
  }
  EXPECT_EQ(text, "login\n");
  ASSERT_EQ(write(terminal, "x", 1), 1);
  bench.set("in_ready", 1);
  bool seen = false;
  for (int i = 0; i < 50'000'000 && !seen; ++i) {
    bench.cycle(*driver);
    seen = bench.get("in_valid") != 0 && bench.get("in_bits") == 'x';
  }
  EXPECT_TRUE(seen);
  EXPECT_FALSE(bench.status().deterministic);
  close(terminal);
  driver.reset();
  EXPECT_FALSE(std::filesystem::is_symlink(bench.folder() / "console"));
}

TEST(Uart, MissingInputIsRefused) {
  Bench bench("uart", uart_ports());
  EXPECT_EQ(refusal([&] {
              bench.make<UartDriver>({{"input", "none"}});
            }),
            "node0: bridges.uart.input: found \"none\", expected a readable file");
}

}  // namespace
}  // namespace firesim::bridges
