// SPDX-License-Identifier: BSD-3-Clause
// Takes out the state of a target on a platform, and puts another one in, through the scan chain of
// its form (rtl/firesim_scan.v). The target stands: no run is under way.
//
// Each word that goes down is answered by one that comes up. A chain is checked by what comes out
// of it again, a memory by what is read back; bits that nothing has are 0.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hostlib/platform.h"
#include "hostlib/scan_image.h"
#include "hostlib/target_state.h"

namespace firesim::hostlib {

class ScanChain final : public TargetState {
 public:
  // The platform outlives this. Throws DescriptionError, starting with `where`, when the layout
  // cannot be, or the platform's design has a chain of another length, or none.
  ScanChain(HostPlatform &platform, ScanLayout layout, const std::string &where);

  std::vector<FiresimSignal> signals() override { return image_.signals(); }
  // Both throw std::runtime_error when the platform does not answer as a chain does, and the target
  // must not run then.
  void read() override;
  void write() override;

 private:
  using Words = std::vector<uint64_t>;

  void choose(uint32_t operation, uint32_t row_words = 1, uint32_t point = 0);
  Words exchange(const Words &down);
  // The words of the image go in, the first one last; what comes out, in the order of the image.
  Words shift(const Words &words);
  void read_memory(size_t memory);
  void write_memory(size_t memory);
  void write_rows(const ScanLayout::Memory &memory, const Words &words);
  Words read_rows(const ScanLayout::Memory &memory, uint32_t rows);
  void set_latches();
  void check_width(const Words &words, uint64_t width_bits, const std::string &what) const;
  [[noreturn]] void fail(const std::string &what) const;

  HostPlatform &platform_;
  ScanImage image_;
};

}  // namespace firesim::hostlib
