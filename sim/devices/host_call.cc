// SPDX-License-Identifier: BSD-3-Clause
// Answers to system calls; see host_call.h.
#include "devices/host_call.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace firesim::devices {
namespace {

using Texts = std::vector<std::string>;

constexpr uint64_t kOpenFiles = 3;
constexpr uint64_t kGetDescriptorFlags = 1, kGetFlags = 3, kReadWrite = 2;
constexpr uint64_t kPointerBytes = 8;
constexpr uint64_t error(int64_t number) { return static_cast<uint64_t>(-number); }
constexpr uint64_t kNoEntry = error(2), kNoMemory = error(12), kInvalid = error(22);
constexpr uint64_t kNoSeek = error(29), kReadOnly = error(30), kRange = error(34);

void put(std::vector<uint8_t> &data, uint64_t value, uint64_t at, uint64_t bytes) {
  if (data.size() < at + bytes) data.resize(at + bytes);
  for (uint64_t i = 0; i < bytes; ++i) data[at + i] = static_cast<uint8_t>(value >> 8 * i);
}

// The answer for a file that is open; the others are not.
HostAnswer of_open(uint64_t file, uint64_t result) {
  return {file < kOpenFiles ? result : kBadFile};
}

HostAnswer control(uint64_t file, uint64_t what) {
  if (what == kGetDescriptorFlags) return of_open(file, 0);
  return of_open(file, what == kGetFlags ? kReadWrite : kInvalid);
}

// struct stat of a terminal: newlib then writes line by line.
HostAnswer status(uint64_t file, uint64_t address) {
  constexpr uint64_t kBytes = 128, kTerminal = 020620, kBlockBytes = 1024;
  if (file >= kOpenFiles) return {kBadFile};
  HostAnswer answer{0, address, std::vector<uint8_t>(kBytes)};
  put(answer.data, kTerminal, 16, 4);
  put(answer.data, 1, 20, 4);  // links
  put(answer.data, kBlockBytes, 56, 4);
  return answer;
}

HostAnswer folder(uint64_t address, uint64_t bytes) {
  if (bytes < 2) return {kRange};
  return {2, address, {'/', 0}};
}

// Words: the number of arguments, the address of each, 0, and 0 for an empty environment; then the
// texts.
HostAnswer main_arguments(uint64_t address, uint64_t bytes, const Texts &arguments) {
  HostAnswer answer{0, address, {}};
  put(answer.data, arguments.size(), 0, kPointerBytes);
  uint64_t text = (arguments.size() + 3) * kPointerBytes, word = kPointerBytes;
  put(answer.data, 0, text - kPointerBytes, kPointerBytes);
  for (const std::string &argument : arguments) {
    put(answer.data, address + text, word, kPointerBytes);
    for (const char letter : argument) put(answer.data, static_cast<uint8_t>(letter), text++, 1);
    put(answer.data, 0, text++, 1);
    word += kPointerBytes;
  }
  if (answer.data.size() > bytes) return {kNoMemory};
  return answer;
}

HostAnswer nowhere(const HostCall &, const Texts &) { return {kNoEntry}; }

HostAnswer unseekable(const HostCall &call, const Texts &) { return of_open(call[1], kNoSeek); }

struct Known {
  uint64_t number;
  const char *name;
  // Null: not answered here, but by whoever has the console and the end.
  HostAnswer (*answer)(const HostCall &call, const Texts &arguments);
};

constexpr Known kCalls[] = {
    {17, "getcwd", [](const HostCall &call, const Texts &) { return folder(call[1], call[2]); }},
    {25, "fcntl", [](const HostCall &call, const Texts &) { return control(call[1], call[2]); }},
    // Nothing is made on the host.
    {34, "mkdirat", [](const HostCall &, const Texts &) { return HostAnswer{kReadOnly}; }},
    {35, "unlinkat", nowhere},
    {37, "linkat", nowhere},
    {38, "renameat", nowhere},
    {46, "ftruncate",
     [](const HostCall &call, const Texts &) { return of_open(call[1], kInvalid); }},
    {48, "faccessat", nowhere},
    {49, "chdir", nowhere},
    {56, "openat", nowhere},
    {57, "close", [](const HostCall &call, const Texts &) { return of_open(call[1], 0); }},
    {62, "lseek", unseekable},
    {63, "read",
     [](const HostCall &call, const Texts &) { return HostAnswer{call[1] == 0 ? 0 : kBadFile}; }},
    {64, "write", nullptr},
    {67, "pread", unseekable},
    {68, "pwrite", unseekable},
    {79, "fstatat", nowhere},
    {80, "fstat", [](const HostCall &call, const Texts &) { return status(call[1], call[2]); }},
    {93, "exit", nullptr},
    {276, "renameat2", nowhere},
    {291, "statx", nowhere},
    {1039, "lstat", nowhere},
    {2011, "getmainvars", [](const HostCall &call, const Texts &arguments) {
       return main_arguments(call[1], call[2], arguments);
     }}};

}  // namespace

std::string known_calls() {
  std::string names;
  for (const Known &known : kCalls) {
    if (&known != kCalls) names += &known == std::end(kCalls) - 1 ? " or " : ", ";
    names += fmt::format("{} ({})", known.number, known.name);
  }
  return names;
}

std::optional<HostAnswer> answer_call(const HostCall &call, const Texts &arguments) {
  const auto *const known = std::find_if(std::begin(kCalls), std::end(kCalls),
                                         [&](const Known &one) { return one.number == call[0]; });
  if (known == std::end(kCalls) || known->answer == nullptr) return std::nullopt;
  return known->answer(call, arguments);
}

}  // namespace firesim::devices
