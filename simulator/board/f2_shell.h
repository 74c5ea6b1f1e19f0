// SPDX-License-Identifier: BSD-3-Clause
// A custom logic for AWS EC2 F2, simulated, behind the part of the shell that hosts reach it by:
// loads and stores of BAR 0 become accesses on OCL (AXI4-Lite), those of BAR 4 on PCIS (AXI4).
//
// Time passes with accesses alone: a host that waits for the target looks at its window. A look
// takes the 1 us that a load takes on PCIe, so that what the target does is most of what is
// simulated. Registers are read when the target stands, and take no such time.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "simulator/board/board_model.h"
#include "simulator/board/f2_dimm.h"
#include "simulator/board/pci_board.h"

namespace firesim {

class F2Shell final : public PciBoard {
 public:
  // Throws DescriptionError when the library is not the model of such a logic.
  // The seed chooses times and noise of the DIMM of a logic that has one.
  F2Shell(const std::filesystem::path &library, const std::string &design_hash, uint64_t dimm_seed);

  void power_up() override;
  // Throws when the logic answers not within the shell's 8 us, or that the access was wrong, too.
  std::vector<uint64_t> access(const hostlib::PciRequest &request) override;

 private:
  // One of the two channels by which an access goes down.
  struct Offer {
    Pin &valid;
    const Pin &ready;
    bool is_taken = false;
  };

  void connect();
  void begin(const char *what) { what_ = what, cycles_left_ = kPatienceCycles; }
  void patient_cycle();
  void offer(std::vector<Offer> offers);
  void until(const Pin &pin);
  void check_answer(const Pin &response);
  uint32_t load(uint32_t address);
  void store(uint32_t address, uint32_t value);
  uint64_t load_word(uint32_t address);
  void store_word(uint32_t address, uint64_t value);

  static constexpr uint64_t kPatienceCycles = 2000;  // 8 us of 250 MHz
  static constexpr uint64_t kFlightCycles = 250;     // of a look at the window, there and back

  BoardModel model_;
  F2Dimm dimm_;
  const char *what_ = "";
  uint64_t cycles_left_ = 0;
  Pin reset_n_, is_up_;
  Pin ocl_awaddr_, ocl_awvalid_, ocl_awready_, ocl_wdata_, ocl_wvalid_, ocl_wready_;
  Pin ocl_bresp_, ocl_bvalid_, ocl_bready_;
  Pin ocl_araddr_, ocl_arvalid_, ocl_arready_, ocl_rdata_, ocl_rresp_, ocl_rvalid_, ocl_rready_;
  Pin awaddr_, awvalid_, awready_, wdata_, wstrb_, wvalid_, wready_, bresp_, bvalid_, bready_;
  Pin araddr_, arvalid_, arready_, rdata_, rresp_, rvalid_, rready_;
};

}  // namespace firesim
