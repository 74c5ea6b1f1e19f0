// SPDX-License-Identifier: BSD-3-Clause
// Signals of a model by name, and their values.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "bridges/bit_words.h"
#include "bridges/model_library.h"

namespace firesim::bridges {

using SignalsByName = std::map<std::string, std::vector<FiresimSignal>>;

// The words of every signal by name. Where a register and a wire have one name, the register, with
// its bits that are constant.
SignalsByName signals_by_name(const ModelInstance &model);

// "name" and the row of "name[row]"; no row is UINT32_MAX. Throws ConfigError.
std::pair<std::string, uint32_t> split_row(const std::string &text, const std::string &where);

// Where a row of a word lies, and its value.
unsigned char *place_of(const FiresimSignal &word, uint32_t row);
uint64_t value_of(const FiresimSignal &word, uint32_t row);
// The value of all words in a row.
Words value_of(const std::vector<FiresimSignal> &words, uint32_t row);

}  // namespace firesim::bridges
