// SPDX-License-Identifier: BSD-3-Clause
//
// Writes pcapng: section header, interface description, enhanced packet blocks.
#include "switch/capture.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <tuple>

namespace firesim {

namespace {

constexpr uint32_t kSectionHeader = 0x0a0d0d0a;
constexpr uint32_t kByteOrder = 0x1a2b3c4d;
constexpr uint32_t kInterfaceDescription = 1;
constexpr uint32_t kEnhancedPacket = 6;
constexpr uint16_t kLinkTypeEthernet = 1;
constexpr uint16_t kOptionEnd = 0;
constexpr uint16_t kOptionComment = 1;
constexpr uint16_t kOptionInterfaceName = 2;
constexpr uint16_t kOptionPacketFlags = 2;
constexpr uint16_t kOptionPacketId = 5;
constexpr uint16_t kOptionTimeResolution = 9;
constexpr char kNanoseconds = 9;  // ten to the minus nine
constexpr size_t kPadBytes = 2;   // in front of every frame

void put16(std::string &out, uint16_t value) {
  out.append(reinterpret_cast<const char *>(&value), sizeof value);
}

void put32(std::string &out, uint32_t value) {
  out.append(reinterpret_cast<const char *>(&value), sizeof value);
}

std::string bytes_of(const auto &value) {
  return {reinterpret_cast<const char *>(&value), sizeof value};
}

void put_padding(std::string &out) { out.append((4 - out.size() % 4) % 4, '\0'); }

void put_option(std::string &out, uint16_t code, const std::string &value) {
  put16(out, code);
  put16(out, static_cast<uint16_t>(value.size()));
  out += value;
  put_padding(out);
}

// Starts a block; returns where, for `end_block`.
size_t begin_block(std::string &out, uint32_t type) {
  const size_t start = out.size();
  put32(out, type);
  put32(out, 0);  // length, known at the end
  return start;
}

void end_block(std::string &out, size_t start) {
  const auto length = static_cast<uint32_t>(out.size() - start + 4);
  put32(out, length);
  std::memcpy(out.data() + start + 4, &length, sizeof length);
}

std::string file_header(const std::string &switch_name, uint32_t ports) {
  std::string out;
  size_t block = begin_block(out, kSectionHeader);
  put32(out, kByteOrder);
  put16(out, 1);  // version 1.0
  put16(out, 0);
  out.append(8, '\xff');  // section length: not given
  end_block(out, block);
  for (uint32_t port = 0; port < ports; ++port) {
    block = begin_block(out, kInterfaceDescription);
    put16(out, kLinkTypeEthernet);
    put16(out, 0);
    put32(out, 0);  // packets are never cut
    put_option(out, kOptionInterfaceName, switch_name + " port " + std::to_string(port));
    put_option(out, kOptionTimeResolution, std::string(1, kNanoseconds));
    put_option(out, kOptionEnd, "");
    end_block(out, block);
  }
  return out;
}

uint64_t cycle_to_ns(uint64_t cycle, uint64_t clock_hz) {
  return static_cast<uint64_t>(static_cast<unsigned __int128>(cycle) * 1'000'000'000 / clock_hz);
}

}  // namespace

PacketCapture::PacketCapture(const std::string &path, const std::string &switch_name,
                             uint32_t ports, uint64_t clock_hz, CaptureSide side)
    : path_(path),
      clock_hz_(clock_hz),
      sides_(static_cast<uint32_t>(side)),
      file_(open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644)) {
  if (file_ < 0) throw std::runtime_error("cannot write " + path_ + ": " + std::strerror(errno));
  try {
    write_whole(file_header(switch_name, ports));
  } catch (...) {
    close(file_);
    throw;
  }
}

PacketCapture::~PacketCapture() { close(file_); }

void PacketCapture::record(uint32_t port, uint64_t cycle, const Packet &packet,
                           Direction direction) {
  if ((sides_ & direction) == 0) return;
  const size_t start = begin_block(blocks_, kEnhancedPacket);
  const uint64_t time_ns = cycle_to_ns(cycle, clock_hz_);
  const size_t bytes = packet.bytes() - kPadBytes;
  put32(blocks_, port);
  put32(blocks_, static_cast<uint32_t>(time_ns >> 32));
  put32(blocks_, static_cast<uint32_t>(time_ns));
  put32(blocks_, static_cast<uint32_t>(bytes));
  put32(blocks_, static_cast<uint32_t>(bytes));
  blocks_.append(reinterpret_cast<const char *>(packet.data) + kPadBytes, bytes);
  put_padding(blocks_);
  put_option(blocks_, kOptionComment, "cycle " + std::to_string(cycle));
  if (packet.stamp != 0) {  // a frame that the switch has made itself did not come in
    // No two packets of a port have the same stamp.
    const uint64_t id = packet.stamp * kMaxSwitchPorts + packet.ingress;
    put_option(blocks_, kOptionPacketId, bytes_of(id));
  }
  const uint32_t flags = direction;
  put_option(blocks_, kOptionPacketFlags, bytes_of(flags));
  put_option(blocks_, kOptionEnd, "");
  end_block(blocks_, start);
  records_.push_back({cycle, direction, port, start, blocks_.size() - start});
}

void PacketCapture::end_advance() {
  if (records_.empty()) return;
  std::sort(records_.begin(), records_.end(), [](const Record &a, const Record &b) {
    return std::tie(a.cycle, a.direction, a.port) < std::tie(b.cycle, b.direction, b.port);
  });
  for (const Record &record : records_) sorted_.append(blocks_, record.offset, record.bytes);
  records_.clear();
  blocks_.clear();
  write_whole(sorted_);
  sorted_.clear();
}

// Writes all of `bytes`, or leaves the file as it was and throws.
void PacketCapture::write_whole(const std::string &bytes) {
  size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t count = write(file_, bytes.data() + done, bytes.size() - done);
    if (count >= 0) {
      done += static_cast<size_t>(count);
    } else if (errno != EINTR) {
      const std::string reason = std::strerror(errno);
      static_cast<void>(!ftruncate(file_, static_cast<off_t>(written_bytes_)));
      throw std::runtime_error("cannot write " + path_ + ": " + reason);
    }
  }
  written_bytes_ += bytes.size();
}

}  // namespace firesim
