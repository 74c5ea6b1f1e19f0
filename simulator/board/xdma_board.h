// SPDX-License-Identifier: BSD-3-Clause
// The whole top of a board behind AMD's XDMA, simulated: what a host asks of the card's driver goes
// over the lanes of PCIe in the words of the core's model (platforms/xdma/stubs.v).
//
// Time passes with requests alone: a host that waits for the target looks at the count of words up.
// A look takes the 1 us that a load takes on PCIe, so that what the target does is most of what is
// simulated. Other registers are read when the target stands, and take no such time.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "simulator/board/board_model.h"
#include "simulator/board/pci_board.h"

namespace firesim {

class XdmaBoard final : public PciBoard {
 public:
  // Throws DescriptionError when the library is not the model of such a board. With a seed its
  // clocks are two, and nothing of the core is valid or ready when it need not be.
  XdmaBoard(const std::filesystem::path &library, const std::string &design_hash,
            std::optional<uint64_t> hostile_seed);

  void power_up() override;
  void hot_reset() override;
  // Throws when a stream does not go on, or a register says that the access was wrong, too.
  std::vector<uint64_t> access(const hostlib::PciRequest &request) override;

 private:
  // What the core's model does, and what it says was done.
  enum Kind : uint8_t { kRead = 1, kWrite = 2, kDown = 3, kUp = 4, kUpLast = 5, kStall = 6 };
  struct Answer {
    uint8_t kind;
    uint64_t value;
  };

  Answer ask(Kind kind, uint32_t address, uint64_t value, const char *what);
  uint32_t of_register(const Answer &answer, const char *what);
  std::vector<uint64_t> packet(uint32_t slot, uint32_t most);

  static constexpr uint64_t kPatienceCycles = uint64_t{1} << 22;  // in place of the driver's 10 s
  static constexpr uint64_t kFlightCycles = 250;  // of a look at the count, there and back

  uint64_t upto(uint64_t most) { return is_hostile_ ? random_() % (most + 1) : 0; }

  std::mt19937_64 random_;
  const bool is_hostile_;
  BoardModel model_;
  Pin reset_n_, lanes_in_, lanes_out_;
};

}  // namespace firesim
