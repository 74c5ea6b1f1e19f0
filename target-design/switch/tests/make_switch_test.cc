// SPDX-License-Identifier: BSD-3-Clause
//
// Switches of one's own: settings reach the class and nothing among them is overlooked; the check
// before a run says what there is to say of each; the version of the headers follows the classes.
#include "switch/make_switch.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "core/state.h"
#include "core/switch_check.h"
#include "switch/stock_switches.h"
#include "switch/store_and_forward.h"

namespace firesim {
namespace {

using nlohmann::json;

class SeededSwitch : public StoreAndForwardSwitch {
 public:
  SeededSwitch(SwitchConfig config, Fields &settings)
      : StoreAndForwardSwitch(std::move(config)), seed(settings.integer("seed", 0, 9, 3)) {}
  const uint64_t seed;
};

json entry() {
  return json::parse(R"({"name": "tor", "kind": "seeded", "library": "seeded.so",
                         "switching_latency_cycles": 10, "ports": [{}, {}]})");
}

std::string refusal(const ModelFactory &factory, const json &entry) {
  try {
    factory(entry, SimulationContext());
  } catch (const DescriptionError &error) {
    return error.what();
  }
  return "accepted";
}

TEST(MakeSwitch, SettingsReachTheClass) {
  json with = entry();
  with["settings"] = {{"seed", 7u}};
  const auto made = make_switch<SeededSwitch>(with, SimulationContext());
  EXPECT_EQ(dynamic_cast<SeededSwitch &>(*made).seed, 7u);
  EXPECT_EQ(made->port_count(), 2u);
  const auto without = make_switch<SeededSwitch>(entry(), SimulationContext());
  EXPECT_EQ(dynamic_cast<SeededSwitch &>(*without).seed, 3u);
}

TEST(MakeSwitch, SettingsThatNobodyAskedForAreRefused) {
  json with = entry();
  with["settings"] = {{"sede", 7u}};
  EXPECT_EQ(refusal(make_switch<SeededSwitch>, with),
            "switch tor: settings: unknown key \"sede\" (did you mean \"seed\"?)");
  with["settings"] = {{"seed", 70u}};
  EXPECT_EQ(refusal(make_switch<SeededSwitch>, with),
            "switch tor: settings: \"seed\" is 70, expected an integer from 0 to 9");
  with["settings"] = json::array();
  EXPECT_EQ(refusal(make_switch<SeededSwitch>, with),
            "switch tor: settings: found [], expected an object");
  EXPECT_EQ(refusal(make_switch<StoreAndForwardSwitch>, with),
            "switch tor: unknown key \"settings\"");
}

TEST(Registry, AKindIsAddedOnce) {
  ModelRegistry registry;
  register_stock_switches(registry);
  const std::vector<std::string> kinds = registry.kinds(ModelRole::kSwitch);
  for (const char *kind : {"cut_through", "store_and_forward"}) {
    EXPECT_EQ(std::count(kinds.begin(), kinds.end(), kind), 1) << kind;
  }
  EXPECT_TRUE(registry.kinds(ModelRole::kNode).empty());
  try {
    register_stock_switches(registry);
    FAIL() << "accepted";
  } catch (const std::logic_error &error) {
    EXPECT_EQ(error.what(), "kind \"" + kinds.front() + "\" is registered twice, first by FireSim");
  }
}

TEST(CheckSwitches, SaysOfEachWhetherItCanBe) {
  const std::filesystem::path file =
      std::filesystem::temp_directory_path() / ("firesim-check-" + std::to_string(getpid()));
  json stock = entry();
  stock["name"] = "none";
  stock.erase("library");
  json missing = entry();
  missing["library"] = "/nowhere/seeded.so";
  std::ofstream(file) << json{{"clock_hz", 1000}, {"switches", {stock, missing}}};
  ModelRegistry registry;
  std::ostringstream out;
  check_switches(file, registry, out);
  std::filesystem::remove(file);
  std::istringstream lines(out.str());
  std::string first, second, more;
  ASSERT_TRUE(std::getline(lines, first) && std::getline(lines, second));
  EXPECT_FALSE(std::getline(lines, more));
  EXPECT_EQ(json::parse(first)["error"],
            "switches[0]: \"library\" is missing, expected a non-empty string");
  const json said = json::parse(second);
  EXPECT_EQ(said["name"], "tor");
  EXPECT_EQ(said["error"],
            "cannot load the library of a model: /nowhere/seeded.so: cannot open shared object "
            "file: No such file or directory");
  EXPECT_EQ(said["ports"], nullptr);
}

TEST(CheckSwitches, RefusesWhatIsNoDescription) {
  ModelRegistry registry;
  std::ostringstream out;
  EXPECT_THROW(check_switches("/nowhere", registry, out), DescriptionError);
}

// A library that was compiled before holds these sizes. When one changes, so does
// kModelAbiVersion (core/registry.h); then write down both here.
TEST(ModelAbi, HasAVersionForTheseClasses) {
  const std::vector<size_t> sizes = {sizeof(Model),
                                     sizeof(Batch),
                                     sizeof(firesim::Run),
                                     sizeof(StateWriter),
                                     sizeof(StateReader),
                                     sizeof(Fields),
                                     sizeof(SimulationContext),
                                     sizeof(ModelRegistry),
                                     sizeof(Packet),
                                     sizeof(SwitchConfig),
                                     sizeof(StoreAndForwardSwitch)};
  EXPECT_EQ(kModelAbiVersion, 4u);
  EXPECT_EQ(sizes, (std::vector<size_t>{96, 80, 32, 56, 168, 64, 104, 112, 128, 272, 840}));
}

}  // namespace
}  // namespace firesim
