// SPDX-License-Identifier: BSD-3-Clause
// Numbers of any width as words of 64 bits, the lowest one first.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace firesim::bridges {

using Words = std::vector<uint64_t>;

// The number that "0x..." stands for; empty when it stands for none.
Words parse_hex(const std::string &text);
// How many bits a number has.
uint32_t bits_of(const Words &words);
// Puts `value` at `low` of a number that has room for it, and 0 there.
void put_bits(Words &words, uint32_t low, uint64_t value);
// 64 bits at most; what the number does not have is 0.
uint64_t bits_at(const Words &words, uint32_t low, uint32_t width);

}  // namespace firesim::bridges
