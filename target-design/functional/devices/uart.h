// SPDX-License-Identifier: BSD-3-Clause
// The console's UART: `sifive,uart0` registers over FIFOs of 16 characters, of which one a cycle
// moves each way between them and the host.
#pragma once

#include <deque>

#include "devices/console.h"
#include "functional/devices/register_device.h"

namespace firesim::functional {

class Uart final : public RegisterDevice {
 public:
  explicit Uart(devices::Console &console) : console_(&console) {}

  // Input has come to the console, which is not seen before `cycle`.
  void input_arrived(uint64_t cycle);

  void advance(uint64_t cycle) override;
  uint64_t next_event() const override;
  bool interrupt() const override { return (pending() & interrupt_enable_) != 0; }
  // Nothing is left to be sent.
  bool at_rest() const { return transmit_.empty(); }
  // What has been received and not been read.
  const std::deque<uint8_t> &received() const { return receive_; }
  void save(StateWriter &state) const override;
  void load(StateReader &state) override;
  uint64_t bytes_in() const { return bytes_in_; }

 private:
  static constexpr size_t kDepth = 16;

  std::span<const RegisterInfo> registers() const override;
  uint64_t read_register(uint32_t offset) override;
  void write_register(uint32_t offset, uint64_t value) override;
  bool can_transmit() const { return transmit_enable_ && !transmit_.empty(); }
  bool can_receive() const {
    return receive_enable_ && receive_.size() < kDepth && console_->has_input();
  }
  uint32_t pending() const;

  devices::Console *console_;
  uint64_t now_ = 0;
  std::deque<uint8_t> transmit_, receive_;
  bool transmit_enable_ = false, receive_enable_ = false, stop_bits_ = false;
  uint32_t transmit_watermark_ = 0, receive_watermark_ = 0;
  uint32_t interrupt_enable_ = 0;
  uint32_t divisor_ = 0;
  uint64_t bytes_in_ = 0;
};

}  // namespace firesim::functional
