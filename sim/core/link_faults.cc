// SPDX-License-Identifier: BSD-3-Clause
//
// Rules of faults of links, and their random choices; see link_faults.h.
#include "core/link_faults.h"

#include <algorithm>

#include "core/fields.h"
#include "core/token_hash.h"

namespace firesim {

namespace {

constexpr uint64_t kMostDenominator = uint64_t{1} << 62;
constexpr uint64_t kMostCycles = uint64_t{1} << 40;
constexpr uint64_t kMostCopies = 16, kMostBehindFrames = 1'000'000;
constexpr uint64_t kMostBit = 8 * 9216 - 1;
constexpr size_t kMostRules = 64, kMostListed = 65'536;
constexpr uint64_t kBitsOfFlit = 64;

std::vector<uint64_t> read_list(Fields &fields, const char *key, uint64_t least, uint64_t most,
                                bool required) {
  std::vector<uint64_t> values;
  const nlohmann::json &list = fields.array(key, required);
  if (list.size() > kMostListed) fields.fail(key, "65,536 numbers at most");
  for (const nlohmann::json &one : list) {
    if (!one.is_number_unsigned() || one < least || one > most) {
      fields.fail(key,
                  "whole numbers from " + std::to_string(least) + " to " + std::to_string(most));
    }
    values.push_back(one.get<uint64_t>());
  }
  std::sort(values.begin(), values.end());
  return values;
}

Probability read_probability(const nlohmann::json &json, const std::string &where) {
  Fields fields(json, where);
  Probability probability;
  probability.denominator = fields.integer("denominator", 1, kMostDenominator);
  probability.numerator = fields.integer("numerator", 0, probability.denominator);
  fields.finish();
  return probability;
}

void read_selection(Fields &fields, const nlohmann::json &json, FaultRule &rule) {
  rule.frames = read_list(fields, "frames", 1, UINT64_MAX, false);
  rule.every = fields.optional_integer("every", 1, UINT64_MAX).value_or(0);
  if (json.contains("probability") && !json.at("probability").is_null()) {
    rule.is_random = true;
    rule.probability =
        read_probability(fields.object("probability"), fields.where() + ": \"probability\"");
  }
  const int ways = (rule.frames.empty() ? 0 : 1) + (rule.every != 0 ? 1 : 0) + rule.is_random;
  if (ways > 1) fields.fail("frames", "one of frames, every and probability");
}

void read_what(Fields &fields, FaultRule &rule) {
  switch (rule.kind) {
    case FaultKind::kDrop:
      return;
    case FaultKind::kDuplicate:
      rule.copies = fields.integer("copies", 1, kMostCopies, 1);
      return;
    case FaultKind::kDelay:
      rule.cycles = fields.integer("cycles", 1, kMostCycles);
      return;
    case FaultKind::kBehind:
      rule.behind_frames = fields.integer("behind_frames", 1, kMostBehindFrames);
      rule.cycles = fields.integer("cycles", 1, kMostCycles);
      return;
    case FaultKind::kCorrupt:
      rule.bits = read_list(fields, "bits", 0, kMostBit, true);
      if (rule.bits.empty()) fields.fail("bits", "one bit at least");
      return;
    case FaultKind::kBitErrors:
      if (!rule.is_random) fields.fail("probability", "a probability of each bit");
      // At most one bit of a flit is flipped, so a flit has 64 times the probability of a bit.
      if (rule.probability.numerator > rule.probability.denominator / kBitsOfFlit) {
        fields.fail("probability", "1/64 at most");
      }
      rule.probability.numerator *= kBitsOfFlit;
      return;
  }
}

}  // namespace

const char *fault_word(FaultKind kind) {
  switch (kind) {
    case FaultKind::kDrop:
      return "drop";
    case FaultKind::kDuplicate:
      return "duplicate";
    case FaultKind::kDelay:
      return "delay";
    case FaultKind::kBehind:
      return "behind";
    case FaultKind::kCorrupt:
      return "corrupt";
    case FaultKind::kBitErrors:
      return "bit_errors";
  }
  return "";
}

uint64_t FaultRule::draw(uint64_t frame, uint64_t flit) const {
  return mix_uniform(mix_uniform(draws ^ mix_uniform(frame)) ^ flit);
}

bool FaultRule::takes(uint64_t frame, uint64_t match_number) const {
  if (!frames.empty()) return std::binary_search(frames.begin(), frames.end(), match_number);
  if (every != 0) return match_number % every == 0;
  if (kind == FaultKind::kBitErrors) return true;
  return !is_random || probability.hits(draw(frame, 0));
}

uint32_t LinkFaults::lookahead_cycles() const {
  uint32_t flits = 1;
  for (const FaultRule &rule : rules) flits = std::max(flits, rule.match.flits_needed());
  return flits - 1;
}

LinkFaults read_link_faults(const nlohmann::json &json, const std::string &where,
                            const std::string &direction) {
  Fields fields(json, where);
  LinkFaults faults;
  const uint64_t seed = fields.integer("seed", 0, UINT64_MAX, 0);
  faults.buffer_bytes = fields.integer("buffer_bytes", 1536, uint64_t{1} << 30, 4 << 20);
  faults.log = fields.text("log");
  const nlohmann::json &rules = fields.array("rules");
  fields.finish();
  if (rules.empty() || rules.size() > kMostRules) fields.fail("rules", "1 to 64 rules");
  faults.fingerprint = hash_to_hex(hash_text(std::to_string(seed) + " " + rules.dump()));
  for (size_t i = 0; i < rules.size(); ++i) {
    const std::string place = where + ": rules[" + std::to_string(i) + "]";
    Fields one(rules[i], place);
    FaultRule rule;
    const std::string word =
        one.choice("fault", {"drop", "duplicate", "delay", "behind", "corrupt", "bit_errors"});
    for (const FaultKind kind : {FaultKind::kDrop, FaultKind::kDuplicate, FaultKind::kDelay,
                                 FaultKind::kBehind, FaultKind::kCorrupt, FaultKind::kBitErrors}) {
      if (word == fault_word(kind)) rule.kind = kind;
    }
    if (rules[i].contains("match") && !rules[i].at("match").is_null()) {
      rule.match = FrameMatch(one.object("match"), place + ": \"match\"");
    }
    read_selection(one, rules[i], rule);
    read_what(one, rule);
    one.finish();
    rule.draws = mix_uniform(mix_uniform(mix_uniform(seed) ^ hash_text(direction)) ^ i);
    faults.rules.push_back(std::move(rule));
  }
  return faults;
}

}  // namespace firesim
