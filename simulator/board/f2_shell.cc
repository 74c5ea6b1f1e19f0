// SPDX-License-Identifier: BSD-3-Clause
// Plays OCL and PCIS, cycle by cycle of the shell's clock; see f2_shell.h.
#include "simulator/board/f2_shell.h"

#include <fmt/format.h>

#include <stdexcept>

namespace firesim {
namespace {

using hostlib::PciAccess;

constexpr int kResetCycles = 20;
constexpr uint32_t kLanes = 8, kLaneBytes = 8;
constexpr uint32_t kOcl = 0, kPcis = 4;  // the numbers of their BARs

}  // namespace

F2Shell::F2Shell(const std::filesystem::path &library, const std::string &design_hash,
                 const BoardOptions &options)
    : model_(library, design_hash, options.hostile_seed),
      dimm_(options.dram_seed, options.dram_fault),
      random_(options.hostile_seed.value_or(0)),
      is_hostile_(options.hostile_seed.has_value()),
      ocl_writes_("a store into BAR 0", options.hostile_seed),
      writes_("a store into BAR 4", options.hostile_seed) {
  power_up();
}

void F2Shell::connect() {
  const auto pin = [&](const char *name, uint32_t width_bits) {
    return model_.pin(name, width_bits, "a custom logic for F2");
  };
  reset_n_ = pin("reset_n", 1);
  is_up_ = pin("is_up", 1);
  flr_assert_ = pin("sh_cl_flr_assert", 1);
  flr_done_ = pin("cl_sh_flr_done", 1);
  ocl_writes_.connect({pin("ocl_cl_awaddr", 32), pin("ocl_cl_awvalid", 1), pin("cl_ocl_awready", 1),
                       pin("ocl_cl_wdata", 32), pin("ocl_cl_wvalid", 1), pin("cl_ocl_wready", 1),
                       std::nullopt, pin("cl_ocl_bresp", 2), pin("cl_ocl_bvalid", 1),
                       pin("ocl_cl_bready", 1)});
  ocl_araddr_ = pin("ocl_cl_araddr", 32);
  ocl_arvalid_ = pin("ocl_cl_arvalid", 1);
  ocl_arready_ = pin("cl_ocl_arready", 1);
  ocl_rdata_ = pin("cl_ocl_rdata", 32);
  ocl_rresp_ = pin("cl_ocl_rresp", 2);
  ocl_rvalid_ = pin("cl_ocl_rvalid", 1);
  ocl_rready_ = pin("ocl_cl_rready", 1);
  writes_.connect({pin("sh_cl_dma_pcis_awaddr", 64), pin("sh_cl_dma_pcis_awvalid", 1),
                   pin("cl_sh_dma_pcis_awready", 1), pin("sh_cl_dma_pcis_wdata", 512),
                   pin("sh_cl_dma_pcis_wvalid", 1), pin("cl_sh_dma_pcis_wready", 1),
                   pin("sh_cl_dma_pcis_wstrb", 64), pin("cl_sh_dma_pcis_bresp", 2),
                   pin("cl_sh_dma_pcis_bvalid", 1), pin("sh_cl_dma_pcis_bready", 1)});
  araddr_ = pin("sh_cl_dma_pcis_araddr", 64);
  arvalid_ = pin("sh_cl_dma_pcis_arvalid", 1);
  arready_ = pin("cl_sh_dma_pcis_arready", 1);
  rdata_ = pin("cl_sh_dma_pcis_rdata", 512);
  rresp_ = pin("cl_sh_dma_pcis_rresp", 2);
  rvalid_ = pin("cl_sh_dma_pcis_rvalid", 1);
  rready_ = pin("sh_cl_dma_pcis_rready", 1);
  for (Pin *pin : {&ocl_arvalid_, &arvalid_, &flr_assert_}) pin->set(0);
  model_.attach(dimm_.connect(model_) ? &dimm_ : nullptr);
}

void F2Shell::power_up() {
  model_.power_up();
  hot_reset();
  // A function may be reset any number of times before somebody uses it.
  for (uint64_t resets = upto(2); resets != 0; --resets) {
    run(upto(300));
    if (upto(1) == 0) {
      hot_reset();
    } else {
      function_reset();
    }
  }
}

// What was on its way is lost, with the pins that offered it.
void F2Shell::hot_reset() {
  connect();
  reset_n_.set(0);
  model_.run(kResetCycles + upto(40));
  reset_n_.set(1);
  begin("the reset");
  do patient_cycle();
  while (is_up_.get() == 0);
}

void F2Shell::function_reset() {
  for (AxiWrites *writes : {&ocl_writes_, &writes_}) writes->forget();
  flr_assert_.set(1);
  load_word(0);  // Two that are on their way.
  load(0);
  begin("the reset of the function");
  do patient_cycle();
  while (flr_done_.get() == 0);
  if (!ocl_writes_.is_idle() || !writes_.is_idle()) {
    throw std::runtime_error("found the reset of the function done, and a store not answered");
  }
  // It is not reset, and would answer somebody who asked for something else.
  if (!dimm_.is_idle()) {
    throw std::runtime_error("found the reset of the function done, and the DIMM at work");
  }
  run(1 + upto(20));
  flr_assert_.set(0);
  run(4 + upto(20));
}

void F2Shell::cycle() {
  ocl_writes_.before_cycle();
  writes_.before_cycle();
  model_.cycle();
  ocl_writes_.after_cycle();
  writes_.after_cycle();
}

void F2Shell::run(uint64_t cycles) {
  for (; cycles != 0; --cycles) cycle();
}

void F2Shell::settle_writes(const AxiWrites &writes) {
  while (!writes.is_idle()) cycle();  // or it throws
}

void F2Shell::patient_cycle() {
  if (cycles_left_-- == 0) {
    throw std::runtime_error(
        fmt::format("the shell gives up: {} took longer than 8 us, its limit", what_));
  }
  cycle();
}

void F2Shell::read(Pin &address_valid, const Pin &address_ready, const Pin &there, Pin &ready,
                   const Pin &answer) {
  run(upto(8));
  address_valid.set(1);
  ready.set(0);
  do patient_cycle();
  while (address_ready.get() == 0);
  address_valid.set(0);
  bool hears = false;
  do {
    hears = upto(1) == 0;
    ready.set(hears ? 1 : 0);
    patient_cycle();
  } while (!hears || there.get() == 0);
  ready.set(0);
  if (const uint64_t found = answer.get(); found != 0) {
    throw std::runtime_error(
        fmt::format("found the answer {} to {}, expected 0: the access was wrong", found, what_));
  }
}

uint32_t F2Shell::load(uint32_t address) {
  settle_writes(ocl_writes_);
  begin("a load from BAR 0");
  ocl_araddr_.set(address);
  read(ocl_arvalid_, ocl_arready_, ocl_rvalid_, ocl_rready_, ocl_rresp_);
  return static_cast<uint32_t>(ocl_rdata_.get());
}

uint64_t F2Shell::load_word(uint32_t address) {
  begin("a load from BAR 4");
  araddr_.set(address);
  read(arvalid_, arready_, rvalid_, rready_, rresp_);
  return rdata_.get(address / kLaneBytes % kLanes);
}

void F2Shell::post(AxiWrites &writes, const AxiWrites::Write &write) {
  while (writes.is_full()) cycle();
  writes.push(write);
  if (is_hostile_) {
    run(upto(6));
  } else {
    settle_writes(writes);
  }
}

std::vector<uint64_t> F2Shell::access(const hostlib::PciRequest &request) {
  const bool wide =
      request.access == PciAccess::kLoadWords || request.access == PciAccess::kStoreWord;
  if (request.bar != (wide ? kPcis : kOcl) || request.address % (wide ? 8 : 4) != 0 ||
      request.count == 0 || request.count > hostlib::kMostPciWords) {
    throw std::runtime_error(
        fmt::format("found an access {} to BAR {} at {:#x}, {} times, expected 4 bytes of BAR 0 or "
                    "up to {} times 8 of BAR 4",
                    static_cast<uint32_t>(request.access), request.bar, request.address,
                    request.count, hostlib::kMostPciWords));
  }
  if (request.access == PciAccess::kLoadWords)
    run(is_hostile_ ? upto(2 * kFlightCycles) : kFlightCycles);
  std::vector<uint64_t> loaded;
  switch (request.access) {
    case PciAccess::kLoad:
      loaded.push_back(load(request.address));
      break;
    case PciAccess::kStore:
      post(ocl_writes_, {request.address, 0, static_cast<uint32_t>(request.value)});
      break;
    case PciAccess::kLoadWords:
      for (uint32_t i = 0; i < request.count; ++i) {
        loaded.push_back(load_word(request.address + kLaneBytes * i));
      }
      break;
    case PciAccess::kStoreWord:
      post(writes_, {request.address, request.address / kLaneBytes % kLanes, request.value});
      break;
    default:
      throw std::runtime_error("found a packet that is no access");
  }
  return loaded;
}

}  // namespace firesim
