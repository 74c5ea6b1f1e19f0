// SPDX-License-Identifier: BSD-3-Clause
//
// Seeded mutations of bytes, and of JSON by its values.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <random>
#include <string>

namespace firesim::hostile {

using Random = std::mt19937_64;

// A value at which something may be off by one, too large, or negative.
uint64_t edge(Random &random);

// A few changes of bytes: flipped, set, inserted, doubled, taken away, words of a dictionary.
std::string mutated_bytes(std::string bytes, Random &random);

// A few values of a JSON text changed, moved or taken away; now and then its bytes.
std::string mutated_json(const std::string &text, Random &random);

// Numbers inside a binary file set to edges, its length kept: for states of models, whose values
// stand in 8 bytes after the byte of their type.
std::string mutated_values(std::string bytes, Random &random);

}  // namespace firesim::hostile
