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
  manifest = test_manifest();
  manifest["bridges"].push_back(manifest["bridges"][0]);
  for (json &one : manifest["bridges"]) one["several"] = true;
  EXPECT_EQ(refusal([&] { Rig two_links(manifest); }),
            "node0: bridge top.nic (FireSimBridge) is the end of a second link, expected one");
}

}  // namespace
}  // namespace firesim::bridges
