// SPDX-License-Identifier: BSD-3-Clause
// What a target prints is in the file a bounded number of cycles later, while the run goes on.
#include "bridges/prints.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>

namespace firesim::bridges {
namespace {

using nlohmann::json;

std::string text_in(const std::filesystem::path &file) {
  std::ifstream stream(file);
  return {std::istreambuf_iterator<char>(stream), {}};
}

TEST(Prints, AreInTheFileWhileTheRunGoesOn) {
  const std::string folder =
      std::filesystem::temp_directory_path() / ("firesim-prints-" + std::to_string(getpid()));
  std::filesystem::create_directories(folder);
  SimulationContext context;
  context.results_directory = folder;
  Config config(json{{"file", "prints.log"}}, "node");
  uint8_t printing = 0;
  const FiresimPort port{"prints", 1, 0, &printing};
  const PrintDriver::Source source{{"", {{"a", std::nullopt}}}, {"", 0, 0, nullptr}};
  const BladeStatus status;
  Window window(config, {}, status);
  PrintDriver driver(config, context, port, {source}, std::move(window));

  EXPECT_EQ(driver.exchange(16), kNever);
  printing = 1;
  const uint64_t due = 100 + kMostPrintDelayCycles;
  EXPECT_EQ(driver.exchange(100), due);
  EXPECT_EQ(driver.exchange(101), due);
  EXPECT_EQ(text_in(folder + "/prints.log"), "");
  printing = 0;
  EXPECT_EQ(driver.exchange(due), kNever);
  EXPECT_EQ(text_in(folder + "/prints.log"), "100: aa");
  printing = 1;
  EXPECT_EQ(driver.exchange(due + 5), due + 5 + kMostPrintDelayCycles);
  driver.finish(due + 6);
  EXPECT_EQ(text_in(folder + "/prints.log"), "100: aaa");
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace firesim::bridges
