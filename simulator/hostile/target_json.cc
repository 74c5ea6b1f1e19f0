// SPDX-License-Identifier: BSD-3-Clause
//
// JSON text for the one reader of it: what is taken is within its limits, and is read again as the
// same from what it is written as.
#include <algorithm>

#include "core/json_reader.h"
#include "simulator/hostile/targets.h"

namespace firesim::hostile {

namespace {

using nlohmann::json;

size_t depth_of(const json &value) {
  if (!value.is_structured()) return 0;
  size_t inner = 0;
  for (const json &one : value) inner = std::max(inner, depth_of(one));
  return inner + 1;
}

Verdict take_json(const std::string &text) {
  std::string wrong;
  Verdict verdict = judged([&] {
    const json value = parse_json(text, kControlLimits);
    if (depth_of(value) > kControlLimits.depth) wrong = "a value that is too deep is taken";
    if (parse_json(dump_any(value), {size_t{1} << 20, kControlLimits.depth}) != value) {
      wrong = "a value is not what it is written as";
    }
    if (shown(value).size() > 200) wrong = "a value is shown at length";
  });
  if (!wrong.empty()) verdict.defect = wrong;
  return verdict;
}

}  // namespace

Target json_target() {
  return {
      "json",
      {"{\"command\": \"snapshot\", \"name\": \"booted\"}",
       "[null, true, -7, 18446744073709551615, 1.5e-7, \"\\u00e9\\ud83d\\ude00\\n\", [[[]]], {}]"},
      [](const std::string &text, Random &random) {
        return random() % 2 == 0 ? mutated_bytes(text, random) : mutated_json(text, random);
      },
      take_json};
}

}  // namespace firesim::hostile
