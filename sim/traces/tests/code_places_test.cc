// SPDX-License-Identifier: BSD-3-Clause
// Functions that were inlined and lines, from the DWARF of a real RISC-V program whose labels say
// where they are.
#include "traces/code_places.h"

#include "devices/tests/support.h"
#include "traces/elf_functions.h"

namespace firesim::traces {
using devices::refusal;
namespace {

// "place_inner_14_27".
struct Label {
  uint64_t at;
  std::string function, line;
};

std::vector<Label> labels() {
  std::vector<Label> found;
  for (const FunctionRange &each : symbol_functions(INLINED_DEMO, "n")) {
    if (!each.name.starts_with("place_")) continue;
    const size_t last = each.name.rfind('_'), before = each.name.rfind('_', last - 1);
    found.push_back({each.low, each.name.substr(6, before - 6),
                     each.name.substr(before + 1, last - before - 1)});
  }
  return found;
}

std::string without(std::string text, const std::string &end) {
  EXPECT_TRUE(text.ends_with(end)) << text;
  return text.substr(0, text.size() - std::min(end.size(), text.size()));
}

TEST(CodePlaces, EveryLabelIsInItsFunctionAndLine) {
  const CodePlaces places(INLINED_DEMO, "n", {true, true});
  size_t inlined = 0;
  for (const Label &label : labels()) {
    const auto place = places.find(label.at);
    ASSERT_TRUE(place) << label.function;
    EXPECT_TRUE(place->low <= label.at && label.at < place->high);
    const std::string line = " (inlined_demo.c:" + label.line + ")";
    if (place->inlined.empty()) {
      EXPECT_EQ(place->line, line) << label.function;
      continue;
    }
    ++inlined;
    EXPECT_EQ(without(place->inlined.back(), kInlined), label.function + line);
  }
  EXPECT_GE(labels().size(), 14u);
  EXPECT_GE(inlined, 10u);
}

TEST(CodePlaces, FunctionsLieInEachOther) {
  const CodePlaces places(INLINED_DEMO, "n", {true, false});
  size_t deepest = 0;
  for (const Label &label : labels()) {
    const auto place = places.find(label.at);
    ASSERT_TRUE(place);
    EXPECT_EQ(place->line, "");
    deepest = std::max(deepest, place->inlined.size());
    if (place->inlined.size() < 2) continue;
    EXPECT_EQ(place->inlined, (std::vector<std::string>{"middle_[i]", "inner_[i]"}));
  }
  EXPECT_EQ(deepest, 2u);
}

TEST(CodePlaces, LinesAloneAreThoseOfTheCode) {
  const CodePlaces places(INLINED_DEMO, "n", {false, true});
  for (const Label &label : labels()) {
    const auto place = places.find(label.at);
    ASSERT_TRUE(place);
    EXPECT_TRUE(place->inlined.empty());
    EXPECT_EQ(place->line, " (inlined_demo.c:" + label.line + ")");
  }
}

TEST(CodePlaces, NothingIsKnownElsewhere) {
  const CodePlaces places(INLINED_DEMO, "n", {true, true});
  EXPECT_FALSE(places.find(0));
  EXPECT_FALSE(places.find(0x7ffffffe));
  EXPECT_FALSE(places.find(UINT64_MAX));
  EXPECT_NE(refusal([] { CodePlaces("/nowhere", "n", {true, true}); }), "");
}

}  // namespace
}  // namespace firesim::traces
