// SPDX-License-Identifier: BSD-3-Clause
// The ring of captured signals beside a target on a platform (rtl/firesim_capture.v).
#pragma once

#include <string>

#include "hostlib/capture_source.h"
#include "hostlib/platform.h"

namespace firesim::hostlib {

class CaptureRing final : public CaptureSource {
 public:
  // On a platform that outlives this. Throws DescriptionError, starting with `where`, when its ring
  // has another shape.
  CaptureRing(HostPlatform &platform, CaptureLayout layout, const std::string &where);

  const CaptureLayout &layout() const override { return layout_; }
  void arm(const CaptureTrigger &trigger) override;
  // Throws std::runtime_error when the platform tells of what cannot be.
  Progress progress() override;
  void read(uint64_t cycle, Words &row) override;

 private:
  uint64_t at(uint32_t place);
  void put(uint32_t place, uint64_t value);

  HostPlatform &platform_;
  const CaptureLayout layout_;
  uint64_t after_cycles_ = 0;
};

}  // namespace firesim::hostlib
