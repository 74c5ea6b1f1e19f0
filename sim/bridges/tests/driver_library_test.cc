// SPDX-License-Identifier: BSD-3-Clause
// Bridge drivers of a user's own, from shared objects (own_driver.cc), and what drivers can do.
#include "bridges/driver_library.h"

#include "device_rig.h"

namespace firesim::bridges {
namespace {

json with_probe() {
  json manifest = test_manifest();
  manifest["bridges"].push_back(bridge("probe", "top.probe", {{"value", "flits"}}));
  return manifest;
}

json node_with(const char *library) { return {{"driver_libraries", {library}}}; }

std::string refused(const char *library) {
  return refusal([&] { Rig rig(with_probe(), settings(), node_with(library)); });
}

TEST(DriverLibrary, ADriverOfTheUsersOwnSeesThePortsOfItsBridge) {
  Rig rig(with_probe(), settings(), node_with(DRIVER_PROBE));
  rig.run(100, {{20, 1}, {30, 2}}, {7});
  EXPECT_EQ(rig.blade->statistics()["probe"]["last"], 2);
  json late = settings();
  late["probe"] = {{"from_cycle", 100}};
  Rig other(with_probe(), late, node_with(DRIVER_PROBE));
  other.run(100, {{20, 1}, {30, 2}}, {7});
  EXPECT_EQ(other.blade->statistics()["probe"]["last"], 0);
}

TEST(DriverLibrary, WhatIsNoneIsRefused) {
  EXPECT_EQ(refused("none.so").substr(0, 27), "node0: driver_libraries[0]:");
  EXPECT_NE(refused("none.so").find("none.so is not a file, expected a shared object"),
            std::string::npos);
  EXPECT_EQ(refused(DRIVER_SILENT),
            "node0: driver_libraries[0]: " DRIVER_SILENT
            " has no bridge drivers, expected FIRESIM_DRIVER_LIBRARY(registry) {...} in its "
            "source");
  EXPECT_EQ(refused(DRIVER_TWICE),
            "node0: driver_libraries[0]: " DRIVER_TWICE
            " cannot add its drivers: found a second driver of bridges of kind 'probe'");
  const std::string old = refused(DRIVER_OLD);
  EXPECT_NE(old.find(" was built for driver interface 0."), std::string::npos) << old;
  EXPECT_NE(old.find("build it again from the headers of this simulator"), std::string::npos);
}

TEST(DriverLibrary, ABladeWithADriverThatCannotSaveCannotBeSaved) {
  Rig rig(with_probe(), settings(), node_with(DRIVER_PROBE));
  EXPECT_EQ(rig.blade->can_save(), "the driver of its probe bridge cannot save its state");
  Rig stock;
  EXPECT_EQ(stock.blade->can_save(), std::nullopt);
}

TEST(DriverLibrary, SeveralOfAKindAreAsDeclared) {
  json manifest = with_probe();
  manifest["bridges"].push_back(manifest["bridges"].back());
  manifest["bridges"].back()["path"] = "top.again";
  EXPECT_EQ(refusal([&] { Rig rig(manifest, settings(), node_with(DRIVER_PROBE)); }),
            "node0: the model has more than one probe bridge, the second at top.again, expected "
            "one, since the declaration of FireSimBridge does not say \"several: true\"");
  for (json &one : manifest["bridges"]) one["several"] = one["kind"] == "probe";
  Rig rig(manifest, settings(), node_with(DRIVER_PROBE));
  rig.run(100, {{20, 1}}, {100});
  EXPECT_EQ(rig.blade->statistics()["probe"], (json{{{"last", 1}}, {{"last", 1}}}));
}

// Two drivers of the same ports: each sees what the device sends.
TEST(DriverLibrary, LinksAreInTheOrderOfTheirListOrPaths) {
  json manifest = test_manifest();
  manifest["bridges"].push_back(manifest["bridges"][0]);
  manifest["bridges"].back()["path"] = "top.nic1";
  json told = settings();
  Rig same(manifest);
  EXPECT_EQ(same.blade->port_count(), 2u);
  EXPECT_TRUE(same.blade->ports_may_be_open());
  const auto entry = [](const char *path) {
    return json{{"bridge", path}, {"mac", "00:12:6D:00:00:02"}};
  };
  told["nic"] = {entry("top.nic1"), entry("top.nic")};
  Rig listed(manifest, told);
  Batch inputs[2] = {Batch(0, 100), Batch(0, 100)}, outputs[2] = {Batch(0, 100), Batch(0, 100)};
  inputs[1].append_flit(20, 7, true);  // of top.nic, the last to drive the device
  listed.blade->advance(0, 100, inputs, outputs);
  EXPECT_EQ(outputs[0].flit_count(), 1u);
  EXPECT_EQ(outputs[1].flit_count(), 1u);
  const json counts = listed.blade->statistics()["nic"];
  EXPECT_EQ(counts[0]["flits_in"], 0);
  EXPECT_EQ(counts[1]["flits_in"], 1);
  told["nic"].erase(0);
  EXPECT_EQ(refusal([&] { Rig rig(manifest, told); }),
            "node0: bridges.nic: found 1 entries, expected 2: the model has top.nic and top.nic1");
  told["nic"] = {entry("top.nic"), entry("top.nic")};
  EXPECT_EQ(refusal([&] { Rig rig(manifest, told); }),
            "node0: bridges.nic: found no entry for the bridge top.nic1, expected one for each");
  told["nic"][1]["bridge"] = "top.nic2";
  EXPECT_EQ(refusal([&] { Rig rig(manifest, told); }),
            "node0: bridges.nic[1].bridge: found \"top.nic2\", expected one of the bridges top.nic "
            "and top.nic1");
}

}  // namespace
}  // namespace firesim::bridges
