// SPDX-License-Identifier: BSD-3-Clause
// UART registers and FIFOs; see uart.h.
#include "functional/devices/uart.h"

#include <algorithm>

#include "core/state.h"

namespace firesim::functional {
namespace {

constexpr uint32_t kTransmitData = 0x00, kReceiveData = 0x04, kTransmitControl = 0x08;
constexpr uint32_t kReceiveControl = 0x0c, kInterruptEnable = 0x10, kInterruptPending = 0x14;
constexpr uint32_t kDivisor = 0x18;
constexpr uint32_t kFullOrEmpty = 0x8000'0000;

constexpr RegisterInfo kRegisters[] = {
    {kTransmitData, 4, RegisterInfo::kReadWrite},    {kReceiveData, 4, RegisterInfo::kRead},
    {kTransmitControl, 4, RegisterInfo::kReadWrite}, {kReceiveControl, 4, RegisterInfo::kReadWrite},
    {kInterruptEnable, 4, RegisterInfo::kReadWrite}, {kInterruptPending, 4, RegisterInfo::kRead},
    {kDivisor, 4, RegisterInfo::kReadWrite}};

void save_queue(StateWriter &state, const std::deque<uint8_t> &queue) {
  state.bytes(std::vector<uint8_t>(queue.begin(), queue.end()));
}

std::deque<uint8_t> load_queue(StateReader &state, size_t most) {
  const std::vector<uint8_t> bytes = state.bytes(most);
  return {bytes.begin(), bytes.end()};
}

}  // namespace

std::span<const RegisterInfo> Uart::registers() const { return kRegisters; }

void Uart::input_arrived(uint64_t cycle) { now_ = std::max(now_, cycle - 1); }

void Uart::advance(uint64_t cycle) {
  for (; now_ < cycle && (can_transmit() || can_receive()); ++now_) {
    if (can_transmit()) {
      console_->put(static_cast<char>(transmit_.front()), now_);
      transmit_.pop_front();
    }
    if (can_receive()) {
      receive_.push_back(static_cast<uint8_t>(console_->take_input()));
      ++bytes_in_;
    }
  }
  now_ = std::max(now_, cycle);
}

uint64_t Uart::next_event() const { return can_transmit() || can_receive() ? now_ + 1 : kNever; }

uint32_t Uart::pending() const {
  return (transmit_.size() < transmit_watermark_ ? 1u : 0) |
         (receive_.size() > receive_watermark_ ? 2u : 0);
}

uint64_t Uart::read_register(uint32_t offset) {
  switch (offset) {
    case kTransmitData:
      return transmit_.size() == kDepth ? kFullOrEmpty : 0;
    case kReceiveData: {
      if (receive_.empty()) return kFullOrEmpty;
      const uint8_t byte = receive_.front();
      receive_.pop_front();
      return byte;
    }
    case kTransmitControl:
      return transmit_watermark_ << 16 | (stop_bits_ ? 2u : 0) | (transmit_enable_ ? 1u : 0);
    case kReceiveControl:
      return receive_watermark_ << 16 | (receive_enable_ ? 1u : 0);
    case kInterruptEnable:
      return interrupt_enable_;
    case kInterruptPending:
      return pending();
    default:
      return divisor_;
  }
}

void Uart::write_register(uint32_t offset, uint64_t value) {
  switch (offset) {
    case kTransmitData:  // a full FIFO loses the character
      if (transmit_.size() < kDepth) transmit_.push_back(static_cast<uint8_t>(value));
      break;
    case kTransmitControl:
      transmit_enable_ = (value & 1) != 0;
      stop_bits_ = (value & 2) != 0;
      transmit_watermark_ = value >> 16 & 7;
      break;
    case kReceiveControl:
      receive_enable_ = (value & 1) != 0;
      receive_watermark_ = value >> 16 & 7;
      break;
    case kInterruptEnable:
      interrupt_enable_ = value & 3;
      break;
    default:
      divisor_ = value & 0xffff;
  }
}

void Uart::save(StateWriter &state) const {
  state.section("uart", 1);
  state.u64(now_);
  save_queue(state, transmit_);
  save_queue(state, receive_);
  state.boolean(transmit_enable_);
  state.boolean(receive_enable_);
  state.boolean(stop_bits_);
  state.u64(transmit_watermark_);
  state.u64(receive_watermark_);
  state.u64(interrupt_enable_);
  state.u64(divisor_);
  state.u64(bytes_in_);
}

void Uart::load(StateReader &state) {
  state.section("uart", 1);
  now_ = state.past_cycle();
  transmit_ = load_queue(state, kDepth);
  receive_ = load_queue(state, kDepth);
  transmit_enable_ = state.boolean();
  receive_enable_ = state.boolean();
  stop_bits_ = state.boolean();
  transmit_watermark_ = static_cast<uint32_t>(state.u64(7));
  receive_watermark_ = static_cast<uint32_t>(state.u64(7));
  interrupt_enable_ = static_cast<uint32_t>(state.u64(3));
  divisor_ = static_cast<uint32_t>(state.u64(0xffff));
  bytes_in_ = state.u64();
}

}  // namespace firesim::functional
