// SPDX-License-Identifier: BSD-3-Clause
// What the host answers to the system calls of a program with tohost, but for exit and for what is
// written to the console. Numbers and structures are those of Linux on RV64, and of riscv-pk's
// proxy for its own.
//
// The host has three open files: 0, at its end, and 1 and 2, the console. It has no others and
// takes none, so an answer follows from the call alone.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace firesim::devices {

// Number, and the first three arguments.
using HostCall = std::array<uint64_t, 4>;

// Errors of Linux, as results.
constexpr uint64_t kBadFile = static_cast<uint64_t>(-9);

constexpr bool is_console(uint64_t file) { return file == 1 || file == 2; }

struct HostAnswer {
  uint64_t result = 0;
  // What is put into memory before the result, and where.
  uint64_t address = 0;
  std::vector<uint8_t> data = {};
};

// All calls that a host knows, exit and write among them, for messages.
std::string known_calls();

// Nothing for exit, write, and a call that no host knows. `arguments` are those of the program, its
// name first.
std::optional<HostAnswer> answer_call(const HostCall &call,
                                      const std::vector<std::string> &arguments);

}  // namespace firesim::devices
