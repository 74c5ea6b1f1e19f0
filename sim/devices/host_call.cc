// SPDX-License-Identifier: BSD-3-Clause
// Answers to system calls; see host_call.h.
#include "devices/host_call.h"

namespace firesim::devices {
namespace {

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
HostAnswer main_arguments(uint64_t address, uint64_t bytes,
                          const std::vector<std::string> &arguments) {
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

}  // namespace

std::string_view known_calls() {
  return "17 (getcwd), 25 (fcntl), 34 (mkdirat), 35 (unlinkat), 37 (linkat), 38 (renameat), 46 "
         "(ftruncate), 48 (faccessat), 49 (chdir), 56 (openat), 57 (close), 62 (lseek), 63 (read), "
         "64 (write), 67 (pread), 68 (pwrite), 79 (fstatat), 80 (fstat), 93 (exit), 276 "
         "(renameat2), 291 (statx), 1039 (lstat) or 2011 (getmainvars)";
}

std::optional<HostAnswer> answer_call(const HostCall &call,
                                      const std::vector<std::string> &arguments) {
  const uint64_t number = call[0], first = call[1], second = call[2];
  switch (number) {
    case 17:
      return folder(first, second);
    case 25:
      return control(first, second);
    case 34:  // nothing is made on the host
      return HostAnswer{kReadOnly};
    case 35:
    case 37:
    case 38:
    case 48:
    case 49:
    case 56:
    case 79:
    case 276:
    case 291:
    case 1039:
      return HostAnswer{kNoEntry};
    case 46:
      return of_open(first, kInvalid);
    case 57:
      return of_open(first, 0);
    case 62:
    case 67:
    case 68:
      return of_open(first, kNoSeek);
    case 63:
      return HostAnswer{first == 0 ? 0 : kBadFile};
    case 80:
      return status(first, second);
    case 2011:
      return main_arguments(first, second, arguments);
    default:
      return std::nullopt;
  }
}

}  // namespace firesim::devices
