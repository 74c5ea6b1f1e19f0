// SPDX-License-Identifier: BSD-3-Clause
// The parts of a functional blade: what a description may say of them, and that a blade has those
// it lists and no others.
#include "functional/blade/parts.h"

#include <gtest/gtest.h>

#include <cstring>

#include "core/state.h"
#include "functional/blade/blade_model.h"
#include "functional/warm_start/warm_start.h"

namespace firesim::functional {
namespace {

using nlohmann::json;

std::string refusal(const json &parts) {
  try {
    read_parts(parts, "n: parts", SimulationContext{});
  } catch (const DescriptionError &error) {
    return error.what();
  }
  return "";
}

TEST(Parts, OfADescriptionThatListsNoneAreTheUsualOnes) {
  const auto parts = read_parts(nullptr, "n: parts", SimulationContext{});
  ASSERT_EQ(parts.size(), 4u);
  EXPECT_EQ(parts[3].base, kFinisherBase);
  EXPECT_EQ(unusual(parts), "");
  json listed = json::array();
  for (auto part = parts.rbegin(); part != parts.rend(); ++part) {  // the order means nothing
    listed.push_back({{"kind", part->kind}, {"at", part->base}, {"interrupt", part->interrupt}});
  }
  EXPECT_EQ(unusual(read_parts(listed, "n: parts", SimulationContext{})), "");
  listed.erase(0);
  EXPECT_EQ(unusual(read_parts(listed, "n: parts", SimulationContext{})),
            "uart at 0x60000000, block_device at 0x60001000, nic at 0x60002000");
}

TEST(Parts, ThatCannotBeAreRefusedWithTheirPlace) {
  const json uart = {{"kind", "uart"}, {"at", kUartBase}, {"interrupt", 1}};
  const auto mine = [](uint64_t at, uint32_t interrupt, const char *name) {
    return json{{"kind", "mine"},
                {"name", name},
                {"at", at},
                {"interrupt", interrupt},
                {"library", "/none.so"}};
  };
  EXPECT_EQ(refusal({uart, mine(kUartBase + 0x1000, 4, "a")}), "");
  EXPECT_EQ(refusal({uart, mine(kUartBase, 4, "a")}), "n: parts[1]: \"a\" overlaps \"uart\"");
  EXPECT_EQ(refusal({uart, mine(kUartBase + 0x1000, 1, "a")}),
            "n: parts[1]: \"a\" has the interrupt of \"uart\"");
  EXPECT_EQ(refusal({uart, mine(kUartBase + 0x1000, 4, "uart")}),
            "n: parts[1]: found \"uart\" twice");
  const auto nic = [](const json &queues, const json &more) {
    return json{{"kind", "nic"},
                {"at", kNicBase},
                {"interrupt", 3},
                {"options", {{"queues", queues}}},
                {"more_interrupts", more}};
  };
  EXPECT_EQ(refusal({uart, nic(2, {6})}), "");
  EXPECT_EQ(refusal({nic(2, {6}), mine(kUartBase, 6, "a")}),
            "n: parts[1]: \"a\" has the interrupt of \"nic\"");
  EXPECT_NE(refusal({uart, nic(4, {6})}).find("3 for 4 queues"), std::string::npos);
  EXPECT_NE(refusal({uart, nic(3, {6, 7})}).find("1, 2 or 4 queues"), std::string::npos);
  EXPECT_NE(refusal({uart, nic(2, {9})}).find("numbers from 1 to 8"), std::string::npos);
  EXPECT_NE(refusal({uart, nic(2, {"x"})}).find("numbers from 1 to 8"), std::string::npos);
  EXPECT_NE(refusal({{{"kind", "mine"}, {"at", kUartBase}}}).find("library"), std::string::npos);
  EXPECT_NE(
      refusal({{{"kind", "finisher"}, {"at", kUartBase}, {"interrupt", 2}}}).find("interrupt"),
      std::string::npos);
  EXPECT_NE(refusal({{{"kind", "uart"}, {"at", kDramBase}}}).find("at"), std::string::npos);
  EXPECT_NE(refusal(json::object()).find("expected a list"), std::string::npos);
}

json node(const json &parts) {
  return {{"name", "n"},
          {"kind", "functional"},
          {"parts", parts},
          {"bridges", {{"memory", {{"base", kDramBase}, {"size_bytes", 1 << 20}}}}}};
}

TEST(Parts, ABladeWithoutANicHasNoPortAndReadsZeroThere) {
  const json parts = {{{"kind", "uart"}, {"at", kUartBase}, {"interrupt", 1}},
                      {{"kind", "finisher"}, {"at", kFinisherBase}}};
  FunctionalBlade blade(node(parts), SimulationContext{});
  EXPECT_EQ(blade.port_count(), 0u);
  uint64_t value = 1;
  EXPECT_TRUE(blade.bus().read(kNicBase + 0x48, 4, 20, value));  // MAX_FRAME
  EXPECT_EQ(value, 0u);
  EXPECT_TRUE(blade.bus().write(kUartBase + 0x18, 4, 20, 7));
  EXPECT_TRUE(blade.bus().read(kUartBase + 0x18, 4, 21, value));
  EXPECT_EQ(value, 7u);
  blade.advance(0, 4096, {}, {});
  EXPECT_NE(blade.fingerprint().find("parts uart at 0x60000000, finisher at"), std::string::npos);
}

TEST(Parts, AModelThatCannotBeLoadedIsRefused) {
  const json mine = {{"kind", "mine"}, {"at", kUartBase}, {"library", "/none.so"}};
  try {
    FunctionalBlade blade(node(json::array({mine})), SimulationContext{});
    FAIL();
  } catch (const DescriptionError &error) {
    EXPECT_EQ(std::strncmp(error.what(), "cannot load the model of the part mine: ", 40), 0);
  }
}

TEST(Parts, OfRtlThatGoesOnFromANodeAreThoseOfTheNode) {
  const json parts = {{{"kind", "uart"}, {"at", kUartBase}, {"interrupt", 1}},
                      {{"kind", "finisher"}, {"at", kFinisherBase}}};
  const json description = node(parts);
  const SimulationContext context{};
  FunctionalBlade blade(description, context);
  StateWriter writer;
  blade.save(writer);
  StateReader reader("saved", writer);
  const std::string name = "n";
  try {
    warm_start(reader, {name, description["bridges"], context, 0}, nullptr);
    FAIL();
  } catch (const SnapshotError &error) {
    EXPECT_NE(std::string(error.what())
                  .find("cannot be continued in RTL: its parts are uart at 0x60000000, finisher"),
              std::string::npos);
    EXPECT_NE(std::string(error.what()).find("expected those of rocket-1"), std::string::npos);
  }
}

}  // namespace
}  // namespace firesim::functional
