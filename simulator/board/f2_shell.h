// SPDX-License-Identifier: BSD-3-Clause
// A custom logic for AWS EC2 F2, simulated, behind the part of the shell that hosts reach it by:
// loads and stores of BAR 0 become accesses on OCL (AXI4-Lite), those of BAR 4 on PCIS (AXI4).
//
// As a hostile shell (board_options.h) it posts stores: up to 16 wait in it and 32 are on their
// way, their addresses and data in no order to each other, loads of BAR 4 overtake them, and
// nothing is ready when it need not be. A load of BAR 0 comes after the stores before it, as on
// PCIe. Before somebody uses it, it resets the function or the bus a few times.
//
// Time passes with accesses alone: a host that waits for the target looks at its window. A look
// takes the 1 us that a load takes on PCIe, so that what the target does is most of what is
// simulated. Registers are read when the target stands, and take no such time.
#pragma once

#include <cstdint>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "simulator/board/axi_writes.h"
#include "simulator/board/board_model.h"
#include "simulator/board/f2_dimm.h"
#include "simulator/board/pci_board.h"

namespace firesim {

class F2Shell final : public PciBoard {
 public:
  // Throws DescriptionError when the library is not the model of such a logic.
  F2Shell(const std::filesystem::path &library, const std::string &design_hash,
          const BoardOptions &options);

  void power_up() override;
  void hot_reset() override;
  // What the shell has not offered yet is lost; what it has must be answered before the reset is
  // done.
  void function_reset() override;
  // Throws when the logic answers not within the shell's 8 us, or that the access was wrong, too.
  std::vector<uint64_t> access(const hostlib::PciRequest &request) override;

 private:
  void connect();
  // Passes cycles in which writes go on.
  void cycle();
  void run(uint64_t cycles);
  void settle_writes(const AxiWrites &writes);
  uint64_t upto(uint64_t most) { return is_hostile_ ? random_() % (most + 1) : 0; }
  void begin(const char *what) { what_ = what, cycles_left_ = AxiWrites::kPatienceCycles; }
  void patient_cycle();
  // Offers an address until it is taken, and waits for its answer, which then is at the pins.
  void read(Pin &address_valid, const Pin &address_ready, const Pin &there, Pin &ready,
            const Pin &answer);
  void post(AxiWrites &writes, const AxiWrites::Write &write);
  uint32_t load(uint32_t address);
  uint64_t load_word(uint32_t address);

  static constexpr uint64_t kFlightCycles = 250;  // of a look at the window, there and back

  BoardModel model_;
  F2Dimm dimm_;
  std::mt19937_64 random_;
  const bool is_hostile_;
  AxiWrites ocl_writes_, writes_;
  const char *what_ = "";
  uint64_t cycles_left_ = 0;
  Pin reset_n_, is_up_, flr_assert_, flr_done_;
  Pin ocl_araddr_, ocl_arvalid_, ocl_arready_, ocl_rdata_, ocl_rresp_, ocl_rvalid_, ocl_rready_;
  Pin araddr_, arvalid_, arready_, rdata_, rresp_, rvalid_, rready_;
};

}  // namespace firesim
