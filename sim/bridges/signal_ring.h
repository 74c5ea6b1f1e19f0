// SPDX-License-Identifier: BSD-3-Clause
// The ring of captured signals of a model in this process: what rtl/firesim_capture.v is beside a
// target on a platform.
#pragma once

#include <string>
#include <vector>

#include "bridges/model_library.h"
#include "bridges/port.h"
#include "hostlib/capture_source.h"

namespace firesim::bridges {

class SignalRing final : public hostlib::CaptureSource {
 public:
  // Throws ConfigError, starting with `where`, when the model, which outlives this, shows no wires
  // or none of a name.
  SignalRing(const ModelInstance &model, const std::vector<std::string> &names,
             uint32_t depth_cycles, const std::string &where);

  const hostlib::CaptureLayout &layout() const override { return layout_; }
  void arm(const hostlib::CaptureTrigger &trigger) override { trigger_ = trigger; }
  // Between settle() and tick() of a cycle.
  void sample() override;
  Progress progress() override { return progress_; }
  void read(uint64_t cycle, hostlib::Words &row) override;

 private:
  bool is_trigger(const uint64_t *row) const;

  hostlib::CaptureLayout layout_;
  std::vector<OutputPort> words_;  // of a row: each signal begins a word
  std::vector<uint64_t> rows_;
  hostlib::CaptureTrigger trigger_;
  Progress progress_;
};

}  // namespace firesim::bridges
