// SPDX-License-Identifier: BSD-3-Clause
// Loads and stores of what rtl/firesim_etherbone_link.v has, over datagrams that may be lost: the
// registers and the window of words of F2's custom logic, so its platform is that of F2.
//
// Accesses have numbers, and the board does each once and in its turn. When a load waits for its
// answer, a packet with all that were asked for since the last one is sent, and one that reads how
// many are done, and both again until all are: they may come any number of times. An answer has the
// number of its question; a late one is passed over. What comes is not trusted, and nothing is
// waited for without a bound.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "hostlib/datagram_line.h"
#include "hostlib/etherbone_packet.h"
#include "hostlib/pci_function.h"

namespace firesim::hostlib {

// How long is waited; on a busy host a simulated board may not run for seconds.
struct EtherbonePatience {
  std::chrono::microseconds answer{15'000'000};  // in all, for the answer to a packet
  std::chrono::microseconds first{100'000};  // until a packet goes again, while none was answered
  std::chrono::microseconds least{2'000};    // the same, afterwards
};

class EtherboneFunction final : public PciFunction {
 public:
  // Resets what is there: the target, the host's side and the window. Throws std::runtime_error, as
  // all below do, starting with the line's device, when no board of FireSim answers.
  explicit EtherboneFunction(std::unique_ptr<DatagramLine> line,
                             const EtherbonePatience &patience = {});

  uint32_t load(int bar, uint32_t address) override;
  void store(int bar, uint32_t address, uint32_t value) override;
  void load_words(int bar, uint32_t address, std::span<uint64_t> words) override;
  void store_word(int bar, uint32_t address, uint64_t value) override;
  const std::string &device() const override { return line_->device(); }

 private:
  using Micros = std::chrono::microseconds;

  void ask(uint32_t kind, uint32_t address, uint64_t value);
  // Returns what is read at these addresses when all that was asked for is done.
  std::vector<uint32_t> done(const std::vector<uint32_t> &addresses);
  std::vector<uint32_t> exchange();
  bool hear(Micros most, std::vector<uint32_t> &values);
  bool is_done(const std::vector<uint32_t> &values) const;
  [[noreturn]] void fail(const std::string &what) const;

  const std::unique_ptr<DatagramLine> line_;
  const EtherbonePatience patience_;
  EtherboneWrites accesses_;  // that are still to be sent, or known to be done
  EtherboneReads question_;   // the last one
  uint32_t asked_ = 0;        // accesses so far, as the board counts them
  std::array<uint64_t, 8> view_{};
  bool is_seen_ = false;  // view_ is of now: nothing was asked for since
  Micros usual_;          // until an answer comes
  bool is_measured_ = false;
};

}  // namespace firesim::hostlib
