// SPDX-License-Identifier: BSD-3-Clause
// Commit log writers; see trace_files.h.
#include "traces/trace_files.h"

#include <fmt/format.h>

#include <cstring>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include "core/varint.h"

namespace firesim::traces {
namespace {

constexpr char kMagic[8] = {'F', 'S', 'T', 'R', 'A', 'C', 'E', '1'};
constexpr uint8_t kTrapFlag = 1, kInterruptFlag = 2, kPrivilegeShift = 2, kCompressedFlag = 16,
                  kJumpFlag = 32, kGapFlag = 64;

char *put_hex(char *at, uint64_t value, int digits) {
  for (int shift = (digits - 1) * 4; shift >= 0; shift -= 4) {
    *at++ = "0123456789abcdef"[value >> shift & 15];
  }
  return at;
}

char *put_text(char *at, const char *text, size_t size) {
  std::memcpy(at, text, size);
  return at + size;
}

template <size_t N>
char *put(char *at, const char (&text)[N]) {
  return put_text(at, text, N - 1);
}

char *put_decimal(char *at, uint64_t value) {
  const fmt::format_int digits(value);
  return put_text(at, digits.data(), digits.size());
}

}  // namespace

TextTrace::TextTrace(const std::filesystem::path &file, uint32_t hart)
    : file_(file), prefix_(fmt::format("core {:3}: ", hart)) {}

void TextTrace::add(const Commit &commit) {
  char *const start = file_.room(256);
  char *at = put_text(start, prefix_.data(), prefix_.size());
  if (commit.trap) {
    at = commit.interrupt ? put(at, "interrupt ") : put(at, "exception ");
    at = put_decimal(at, commit.cause);
    at = put(at, ", epc 0x");
    at = put_hex(at, commit.pc, 16);
    at = put(at, ", tval 0x");
    at = put_hex(at, commit.tval, 16);
  } else {
    *at++ = static_cast<char>('0' + commit.privilege);
    at = put(at, " 0x");
    at = put_hex(at, commit.pc, 16);
    at = put(at, " (0x");
    at = commit.length() == 2 ? put_hex(at, commit.instruction & 0xffff, 4)
                              : put_hex(at, commit.instruction, 8);
    *at++ = ')';
  }
  at = put(at, " cycle ");
  at = put_decimal(at, commit.cycle);
  *at++ = '\n';
  file_.advance(static_cast<size_t>(at - start));
}

BinaryTrace::BinaryTrace(const std::filesystem::path &file, uint32_t hart) : file_(file) {
  char *const start = file_.room(sizeof kMagic + 10);
  char *at = put_text(start, kMagic, sizeof kMagic);
  at = put_varint(at, hart);
  file_.advance(static_cast<size_t>(at - start));
}

void BinaryTrace::add(const Commit &commit) {
  char *const start = file_.room(128);
  char *at = start + 1;
  const bool compressed = commit.length() == 2;
  const bool gap = commit.cycle != last_cycle_ + 1;
  const bool jump = commit.pc != expected_pc_;
  const uint32_t flags = (commit.trap ? kTrapFlag : 0u) | (commit.interrupt ? kInterruptFlag : 0u) |
                         uint32_t{commit.privilege} << kPrivilegeShift |
                         (compressed ? kCompressedFlag : 0u) | (jump ? kJumpFlag : 0u) |
                         (gap ? kGapFlag : 0u);
  *start = static_cast<char>(flags);
  if (gap) at = put_varint(at, commit.cycle - last_cycle_);
  if (jump) at = put_varint(at, zigzag(commit.pc - expected_pc_));
  if (commit.trap) {
    at = put_varint(at, commit.cause);
    at = put_varint(at, commit.tval);
  } else {
    std::memcpy(at, &commit.instruction, 4);  // hosts are little-endian, as the format is
    at += compressed ? 2 : 4;
  }
  last_cycle_ = commit.cycle;
  expected_pc_ = commit.pc + (commit.trap ? 0 : commit.length());
  file_.advance(static_cast<size_t>(at - start));
}

namespace {

// Takes values off the front of a binary trace.
struct Reader {
  const std::vector<char> &bytes;
  size_t at = 0;

  uint8_t byte() {
    if (at == bytes.size()) throw std::runtime_error("the binary trace is cut short");
    return static_cast<uint8_t>(bytes[at++]);
  }
  uint64_t varint() {
    uint64_t value = 0;
    for (uint32_t shift = 0; shift < 70; shift += 7) {
      const uint8_t next = byte();
      value |= static_cast<uint64_t>(next & 127) << shift;
      if (next < 128) return value;
    }
    throw std::runtime_error("the binary trace holds a number of more than 64 bits");
  }
};

}  // namespace

std::vector<Commit> read_binary_trace(const std::filesystem::path &file, uint32_t &hart) {
  std::ifstream stream(file, std::ios::binary);
  const std::vector<char> bytes(std::istreambuf_iterator<char>(stream), {});
  if (bytes.size() < sizeof kMagic || std::memcmp(bytes.data(), kMagic, sizeof kMagic) != 0) {
    throw std::runtime_error(fmt::format("{} is not a binary trace", file.string()));
  }
  Reader reader{bytes, sizeof kMagic};
  hart = static_cast<uint32_t>(reader.varint());
  std::vector<Commit> commits;
  uint64_t last_cycle = 0, expected_pc = 0;
  while (reader.at != bytes.size()) {
    const uint8_t flags = reader.byte();
    Commit commit;
    commit.trap = (flags & kTrapFlag) != 0;
    commit.interrupt = (flags & kInterruptFlag) != 0;
    commit.privilege = flags >> kPrivilegeShift & 3;
    commit.cycle = last_cycle + ((flags & kGapFlag) != 0 ? reader.varint() : 1);
    commit.pc = expected_pc + ((flags & kJumpFlag) != 0 ? unzigzag(reader.varint()) : 0);
    if (commit.trap) {
      commit.cause = reader.varint();
      commit.tval = reader.varint();
    } else {
      const int size = (flags & kCompressedFlag) != 0 ? 2 : 4;
      for (int i = 0; i < size; ++i) commit.instruction |= uint32_t{reader.byte()} << (8 * i);
    }
    last_cycle = commit.cycle;
    expected_pc = commit.pc + (commit.trap ? 0 : commit.length());
    commits.push_back(commit);
  }
  return commits;
}

}  // namespace firesim::traces
