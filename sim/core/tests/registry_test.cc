// SPDX-License-Identifier: BSD-3-Clause
//
// A library of models adds all its kinds or none.
#include "core/registry.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "core/fields.h"
#include "core/traffic.h"

namespace firesim {
namespace {

using Names = std::vector<std::string>;

std::string refusal(ModelRegistry &registry) {
  try {
    registry.load_library(FIRESIM_THROWING_MODELS);
  } catch (const DescriptionError &error) {
    return error.what();
  }
  return "";
}

TEST(Registry, HasNoKindsOfALibraryThatFails) {
  ModelRegistry registry;
  registry.add(ModelRole::kNode, "traffic", make_traffic_blade);
  const std::string failed = FIRESIM_THROWING_MODELS ": FIRESIM_MODELS failed: ";
  setenv("FIRESIM_TEST_LUCK", "none", 1);
  EXPECT_EQ(refusal(registry), failed + "no luck");
  setenv("FIRESIM_TEST_LUCK", "ill", 1);
  EXPECT_EQ(refusal(registry), failed + "it threw something that is no std::exception");
  EXPECT_EQ(registry.kinds(ModelRole::kNode), Names{"traffic"});
  // What is added now is FireSim's, and not of the library that failed.
  registry.add(ModelRole::kNode, "other", make_traffic_blade);
  EXPECT_EQ(registry.kinds(ModelRole::kNode, FIRESIM_THROWING_MODELS), Names{});
  setenv("FIRESIM_TEST_LUCK", "good", 1);
  EXPECT_EQ(refusal(registry), "");
  EXPECT_EQ(registry.kinds(ModelRole::kNode, FIRESIM_THROWING_MODELS), (Names{"first", "second"}));
}

}  // namespace
}  // namespace firesim
