// SPDX-License-Identifier: BSD-3-Clause
// Peeks and pokes of a blade: exact cycles, wide and narrow words, mistakes named.
#include "bridges/signal_access.h"

#include "device_rig.h"

namespace firesim::bridges {
namespace {

json with_signals(const std::vector<json> &peeks, const std::vector<json> &pokes) {
  json bridges = settings();
  bridges["signals"] = {{"file", "node0/peeks.csv"}, {"peeks", peeks}, {"pokes", pokes}};
  return bridges;
}

json peek(uint64_t cycle, const std::vector<std::string> &signals) {
  return {{"cycle", cycle}, {"signals", signals}};
}

json poke(uint64_t cycle, const std::string &signal, const std::string &value) {
  return {{"cycle", cycle}, {"signal", signal}, {"value", value}};
}

TEST(SignalAccess, APeekSeesWhatTheCycleSees) {
  // A flit of cycle 20 is in the register in cycle 21, and on the wire of that cycle plus 1.
  const std::vector<json> peeks = {peek(21, {"core.sum", "core.data", "core.count"}),
                                   peek(20, {"core.data"})};
  Rig rig(test_manifest(), with_signals(peeks, {}));
  rig.run(100, {{20, 0xfedcba9876543210}}, {7});
  rig.blade->finish(100);
  EXPECT_EQ(rig.text("node0/peeks.csv"),
            "cycle,signal,row,value\n20,core.data,,0x0\n21,core.data,,0xfedcba9876543210\n"
            "21,core.count,,0x1\n21,core.sum,,0xfedcba9876543211\n");
  EXPECT_EQ(rig.blade->statistics()["signals"]["values_read"], 4);
}

TEST(SignalAccess, AMemoryIsPeekedByRowOrWhole) {
  const std::vector<json> peeks = {peek(40, {"core.recent[2]", "core.recent"})};
  Rig rig(test_manifest(), with_signals(peeks, {}));
  rig.run(100, {{20, 0x12'89ab'cdef}, {21, 0xff}}, {100});
  rig.blade->finish(100);
  EXPECT_EQ(rig.text("node0/peeks.csv"),
            "cycle,signal,row,value\n40,core.recent,2,0xff\n40,core.recent,0,0x0\n"
            "40,core.recent,1,0x1289abcdef\n40,core.recent,2,0xff\n40,core.recent,3,0x0\n");
}

TEST(SignalAccess, APokeHoldsFromItsCycleOn) {
  const std::vector<json> pokes = {poke(30, "core.count", "0x64"),
                                   poke(31, "core.recent[3]", "0xa123456789"),
                                   poke(50, "core.data", "0x41")};
  const std::vector<json> peeks = {peek(29, {"core.count"}), peek(30, {"core.count"}),
                                   peek(31, {"core.recent[3]"})};
  Rig rig(test_manifest(), with_signals(peeks, pokes));
  const Batch out = rig.run(100, {{20, 7}, {49, 8}}, {9});
  rig.blade->finish(100);
  EXPECT_EQ(rig.text("node0/peeks.csv"),
            "cycle,signal,row,value\n29,core.count,,0x1\n30,core.count,,0x64\n"
            "31,core.recent,3,0xa123456789\n");
  EXPECT_EQ(out.dense()[50].flit.data, 0x42u);  // 8 came in, 0x41 was put in its place
  EXPECT_EQ(rig.text("node0/counters.csv"), "cycle,flits\n100,101\n");
}

TEST(SignalAccess, ConstantBitsAreShownInTheirPlacesAndNotSet) {
  const std::vector<json> peeks = {peek(29, {"core.tagged"}), peek(30, {"core.tagged"})};
  Rig rig(test_manifest(), with_signals(peeks, {poke(30, "core.tagged", "0x7a")}));
  rig.run(100, {}, {100});
  rig.blade->finish(100);
  EXPECT_EQ(rig.text("node0/peeks.csv"),
            "cycle,signal,row,value\n29,core.tagged,,0xa\n30,core.tagged,,0x7a\n");
}

TEST(SignalAccess, WhatLiesBeforeASnapshotIsNotRepeated) {
  const std::vector<json> peeks = {peek(30, {"core.count"}), peek(70, {"core.count"})};
  Rig first;
  first.run(50, {{20, 7}}, {50});
  StateWriter writer;
  first.blade->save(writer);
  Rig second(test_manifest(), with_signals(peeks, {poke(40, "core.count", "0x9")}));
  StateReader reader("node0", writer);
  second.blade->load(reader, 50);
  Batch input(50, 50), output(50, 50);
  second.blade->advance(50, 50, {&input, 1}, {&output, 1});
  second.blade->finish(100);
  EXPECT_EQ(second.text("node0/peeks.csv"), "cycle,signal,row,value\n70,core.count,,0x1\n");
}

TEST(SignalAccess, MistakesAreNamed) {
  const auto refused = [](const std::vector<json> &peeks, const std::vector<json> &pokes) {
    return refusal([&] { Rig rig(test_manifest(), with_signals(peeks, pokes)); });
  };
  const std::vector<json> none;
  EXPECT_EQ(refused({peek(1, {"core.dato"})}, none),
            "node0: bridges.signals.peeks[0].signals: the model has no signal 'core.dato', nearest "
            "is 'core.data'");
  EXPECT_EQ(refused({peek(1, {"core.recent[4]"})}, none),
            "node0: bridges.signals.peeks[0].signals: found row 4 of 'core.recent', expected one "
            "below 4");
  EXPECT_EQ(refused({peek(1, {"core.recent[x]"})}, none),
            "node0: bridges.signals.peeks[0].signals: found row 'x', expected a number");
  EXPECT_EQ(refused(none, {poke(1, "core.sum", "0x1")}),
            "node0: bridges.signals.pokes[0].signal: found \"core.sum\", expected a register or a "
            "memory: a wire cannot be set");
  EXPECT_EQ(refused(none, {poke(1, "core.recent", "0x1")}),
            "node0: bridges.signals.pokes[0].signal: found \"core.recent\", expected a row of the "
            "memory, such as core.recent[0]");
  EXPECT_EQ(refused(none, {poke(1, "core.recent[0]", "0x10000000000")}),
            "node0: bridges.signals.pokes[0].value: found \"0x10000000000\", expected at most 40 "
            "bits, as 'core.recent' has");
  EXPECT_EQ(
      refused(none, {poke(1, "core.tagged", "0x7b")}),
      "node0: bridges.signals.pokes[0].value: found \"0x7b\", expected 0xa in bits 3:0, which "
      "never change in 'core.tagged'");
  EXPECT_EQ(refused(none, {poke(1, "core.data", "12")}),
            "node0: bridges.signals.pokes[0].value: found \"12\", expected hexadecimal text such "
            "as \"0x1f\"");
}

}  // namespace
}  // namespace firesim::bridges
