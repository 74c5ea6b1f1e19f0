// SPDX-License-Identifier: BSD-3-Clause
// What the RTL prints ($display, $write), as text with the target cycle before each line.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "bridges/driver.h"
#include "bridges/tracerv/window.h"
#include "core/buffered_file.h"

namespace firesim::bridges {

// A text is in the file this many cycles later at the most, so that a console that is printed can
// be followed; a design that prints in each cycle is not slowed down.
inline constexpr uint64_t kMostPrintDelayCycles = 1 << 16;

// Keys: file, trigger. A line of the file is "CYCLE: text".
class PrintDriver final : public Driver {
 public:
  struct Source {
    PrintInfo info;
    FiresimPort arguments;  // storage null when there are none
  };

  // `port` is the model's prints port, with a bit for each of `sources`; `window` is that of the
  // key `trigger` of `config`.
  PrintDriver(Config &config, const SimulationContext &simulation, const FiresimPort &port,
              std::vector<Source> sources, Window window);

  bool watches_commits() const { return window_.watches_commits(); }
  bool listens() const override { return file_ != nullptr; }
  CycleRange interest() const override { return window_.possible(); }
  // Woken by the prints port, and by commits where it watches these; and when what was printed is
  // to be in the file.
  uint64_t exchange(uint64_t cycle) override {
    if (window_.open(cycle) && printing_.any()) print(cycle);
    if (cycle >= due_) flush();
    return due_;
  }
  void finish(uint64_t cycle) override;
  bool can_save() const override { return true; }
  void save(StateWriter &state) const override;
  void load(StateReader &state) override;

 private:
  void print(uint64_t cycle);
  void write(const std::string &text, uint64_t cycle);
  void flush();

  OutputBits printing_;
  std::vector<Source> sources_;  // by bit
  std::unique_ptr<BufferedFile> file_;
  bool within_line_ = false;
  uint64_t due_ = kNever;  // the cycle in which text that waits goes to the file
  Window window_;
};

}  // namespace firesim::bridges
