// SPDX-License-Identifier: BSD-3-Clause
// A simulated board on PCIe that a host reaches through a socket, and the program around one.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "hostlib/pci_messages.h"
#include "simulator/board/board_options.h"

namespace firesim {

class PciBoard {
 public:
  PciBoard() = default;
  PciBoard(const PciBoard &) = delete;
  PciBoard &operator=(const PciBoard &) = delete;
  virtual ~PciBoard() = default;

  // The board as it is after its bitstream was loaded.
  virtual void power_up() = 0;
  // A reset of the bus, as by a link that was lost: what the bitstream began with does not come
  // back.
  virtual void hot_reset() = 0;
  // A reset of the one function that hosts have, of which the board is told. Where a board is not
  // told of such, the bus is reset.
  virtual void function_reset() { hot_reset(); }
  // Does what a host asks; returns what it loaded. Throws std::runtime_error when there is no such
  // access, or the board does not bear it: a host that keeps to the protocol never sees any of it.
  virtual std::vector<uint64_t> access(const hostlib::PciRequest &request) = 0;
};

using MakePciBoard = std::function<std::unique_ptr<PciBoard>(
    const char *library, const char *design_hash, const BoardOptions &options)>;

// main() of a program with the arguments MODEL.so DESIGN-HASH BLADES SOCKET after its options:
// serves as many hosts at a time as the board has blades, until SIGINT or SIGTERM; prints the
// socket when it is there. Who connects first finds the board as new, unless the options say
// otherwise. A host that asks for what cannot be is sent away with a sentence on stderr.
int simulate_pci_board(int argc, char **argv, const char *usage, const MakePciBoard &make,
                       std::initializer_list<std::string_view> own_options = {});

}  // namespace firesim
