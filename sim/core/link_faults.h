// SPDX-License-Identifier: BSD-3-Clause
//
// What a direction of a link does to frames beside bringing them: the rules of its faults, as the
// description has them (docs/reference/interfaces/simulation.md).
//
// A random choice is a pure function of seed, link, direction, rule, number of the frame and number
// of the flit, so it depends on nothing but the frames.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/frame_match.h"
#include "core/uniform.h"

namespace firesim {

enum class FaultKind { kDrop, kDuplicate, kDelay, kBehind, kCorrupt, kBitErrors };

// The word for a kind in descriptions and logs.
const char *fault_word(FaultKind kind);

struct FaultRule {
  FaultKind kind = FaultKind::kDrop;
  FrameMatch match;

  // Which of the frames that match, counted from 1: those of `frames`, in order; or every
  // `every`-th; or each with `probability`. That of kBitErrors is for each bit.
  std::vector<uint64_t> frames;
  uint64_t every = 0;
  bool is_random = false;
  Probability probability;

  uint64_t cycles = 0;         // kDelay: so much later; kBehind: so much later at most
  uint64_t behind_frames = 0;  // kBehind: behind so many later frames
  uint64_t copies = 1;         // kDuplicate: more than one of the frame
  std::vector<uint64_t> bits;  // kCorrupt: these are flipped, 8 * byte + bit of the byte

  uint64_t draws = 0;  // what its random numbers begin with

  // A number that is uniform in [0, 2^64).
  uint64_t draw(uint64_t frame, uint64_t flit) const;
  // Whether the rule takes frame number `frame`, the `match_number`-th that matches.
  bool takes(uint64_t frame, uint64_t match_number) const;
};

struct LinkFaults {
  std::vector<FaultRule> rules;
  uint64_t buffer_bytes = 0;  // room for frames that are held
  std::string log;            // path of the table of what was done
  std::string fingerprint;    // the same for the same rules

  // Cycles that the fate of a frame is known after its first flit, if its flits follow each other.
  uint32_t lookahead_cycles() const;
};

// Reads one direction of the key "faults" of a link. `direction` is the name of the link and of
// the direction. Throws DescriptionError.
LinkFaults read_link_faults(const nlohmann::json &json, const std::string &where,
                            const std::string &direction);

}  // namespace firesim
