// SPDX-License-Identifier: BSD-3-Clause
// HTIF driver: moves the words that HostInterface asks for, by the target's own master, so that it
// sees memory as the harts do, whatever their caches hold.
#pragma once

#include <memory>

#include "bridges/driver.h"
#include "devices/host_interface.h"

namespace firesim::bridges {

// Keys: those of HostInterface; null for a program without tohost.
class HtifDriver final : public Driver {
 public:
  explicit HtifDriver(const DriverContext &context);
  uint64_t exchange(uint64_t cycle) override;
  bool listens() const override { return interface_ != nullptr; }
  bool can_save() const override { return true; }
  void save(StateWriter &state) const override;
  void load(StateReader &state) override;
  bool ends_blade() const override { return interface_ != nullptr; }

 private:
  void ask(const HostInterface::Request &request);

  OutputBit done_;
  OutputPort data_;
  InputPort req_valid_;
  InputPort req_write_;
  InputPort req_address_;
  InputPort req_data_;
  BladeStatus *status_;
  std::unique_ptr<HostInterface> interface_;
};

}  // namespace firesim::bridges
