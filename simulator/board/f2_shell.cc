// SPDX-License-Identifier: BSD-3-Clause
// Plays OCL and PCIS, cycle by cycle of the shell's clock; see f2_shell.h.
#include "simulator/board/f2_shell.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace firesim {
namespace {

using hostlib::PciAccess;

constexpr int kResetCycles = 20;
constexpr uint32_t kLanes = 8, kLaneBytes = 8;
constexpr uint32_t kOcl = 0, kPcis = 4;  // the numbers of their BARs

}  // namespace

F2Shell::F2Shell(const std::filesystem::path &library, const std::string &design_hash,
                 uint64_t dimm_seed)
    : model_(library, design_hash), dimm_(dimm_seed) {
  power_up();
}

void F2Shell::connect() {
  const auto pin = [&](const char *name, uint32_t width_bits) {
    return model_.pin(name, width_bits, "a custom logic for F2");
  };
  reset_n_ = pin("reset_n", 1);
  is_up_ = pin("is_up", 1);
  ocl_awaddr_ = pin("ocl_cl_awaddr", 32);
  ocl_awvalid_ = pin("ocl_cl_awvalid", 1);
  ocl_awready_ = pin("cl_ocl_awready", 1);
  ocl_wdata_ = pin("ocl_cl_wdata", 32);
  ocl_wvalid_ = pin("ocl_cl_wvalid", 1);
  ocl_wready_ = pin("cl_ocl_wready", 1);
  ocl_bresp_ = pin("cl_ocl_bresp", 2);
  ocl_bvalid_ = pin("cl_ocl_bvalid", 1);
  ocl_bready_ = pin("ocl_cl_bready", 1);
  ocl_araddr_ = pin("ocl_cl_araddr", 32);
  ocl_arvalid_ = pin("ocl_cl_arvalid", 1);
  ocl_arready_ = pin("cl_ocl_arready", 1);
  ocl_rdata_ = pin("cl_ocl_rdata", 32);
  ocl_rresp_ = pin("cl_ocl_rresp", 2);
  ocl_rvalid_ = pin("cl_ocl_rvalid", 1);
  ocl_rready_ = pin("ocl_cl_rready", 1);
  awaddr_ = pin("sh_cl_dma_pcis_awaddr", 64);
  awvalid_ = pin("sh_cl_dma_pcis_awvalid", 1);
  awready_ = pin("cl_sh_dma_pcis_awready", 1);
  wdata_ = pin("sh_cl_dma_pcis_wdata", 512);
  wstrb_ = pin("sh_cl_dma_pcis_wstrb", 64);
  wvalid_ = pin("sh_cl_dma_pcis_wvalid", 1);
  wready_ = pin("cl_sh_dma_pcis_wready", 1);
  bresp_ = pin("cl_sh_dma_pcis_bresp", 2);
  bvalid_ = pin("cl_sh_dma_pcis_bvalid", 1);
  bready_ = pin("sh_cl_dma_pcis_bready", 1);
  araddr_ = pin("sh_cl_dma_pcis_araddr", 64);
  arvalid_ = pin("sh_cl_dma_pcis_arvalid", 1);
  arready_ = pin("cl_sh_dma_pcis_arready", 1);
  rdata_ = pin("cl_sh_dma_pcis_rdata", 512);
  rresp_ = pin("cl_sh_dma_pcis_rresp", 2);
  rvalid_ = pin("cl_sh_dma_pcis_rvalid", 1);
  rready_ = pin("sh_cl_dma_pcis_rready", 1);
  model_.attach(dimm_.connect(model_) ? &dimm_ : nullptr);
}

void F2Shell::power_up() {
  model_.power_up();
  connect();
  reset_n_.set(0);
  model_.run(kResetCycles);
  reset_n_.set(1);
  for (Pin *ready : {&ocl_bready_, &ocl_rready_, &bready_, &rready_}) ready->set(1);
  begin("the reset");
  until(is_up_);
}

void F2Shell::patient_cycle() {
  if (cycles_left_-- == 0) {
    throw std::runtime_error(
        fmt::format("the shell gives up: {} took longer than 8 us, its limit", what_));
  }
  model_.cycle();
}

// Channels of one access hold what they offer, each until the logic takes it.
void F2Shell::offer(std::vector<Offer> offers) {
  for (Offer &one : offers) one.valid.set(1);
  const auto is_taken = [](const Offer &one) { return one.is_taken; };
  while (!std::all_of(offers.begin(), offers.end(), is_taken)) {
    patient_cycle();
    for (Offer &one : offers) {
      if (one.is_taken || one.ready.get() == 0) continue;
      one.is_taken = true;
      one.valid.set(0);
    }
  }
}

// Cycles up to the one in which a pin is 1, included.
void F2Shell::until(const Pin &pin) {
  do patient_cycle();
  while (pin.get() == 0);
}

void F2Shell::check_answer(const Pin &response) {
  if (response.get() == 0) return;
  throw std::runtime_error(fmt::format(
      "found the answer {} to {}, expected 0: the access was wrong", response.get(), what_));
}

uint32_t F2Shell::load(uint32_t address) {
  begin("a load from BAR 0");
  ocl_araddr_.set(address);
  offer({{ocl_arvalid_, ocl_arready_}});
  until(ocl_rvalid_);
  check_answer(ocl_rresp_);
  return static_cast<uint32_t>(ocl_rdata_.get());
}

void F2Shell::store(uint32_t address, uint32_t value) {
  begin("a store into BAR 0");
  ocl_awaddr_.set(address);
  ocl_wdata_.set(value);
  offer({{ocl_awvalid_, ocl_awready_}, {ocl_wvalid_, ocl_wready_}});
  until(ocl_bvalid_);
  check_answer(ocl_bresp_);
}

uint64_t F2Shell::load_word(uint32_t address) {
  begin("a load from BAR 4");
  araddr_.set(address);
  offer({{arvalid_, arready_}});
  until(rvalid_);
  check_answer(rresp_);
  return rdata_.get(address / kLaneBytes % kLanes);
}

void F2Shell::store_word(uint32_t address, uint64_t value) {
  begin("a store into BAR 4");
  const uint32_t lane = address / kLaneBytes % kLanes;
  awaddr_.set(address);
  wdata_.set_lane(lane, value);
  wstrb_.set(uint64_t{0xff} << kLaneBytes * lane);
  offer({{awvalid_, awready_}, {wvalid_, wready_}});
  until(bvalid_);
  check_answer(bresp_);
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
  if (request.access == PciAccess::kLoadWords) model_.run(kFlightCycles);
  std::vector<uint64_t> loaded;
  switch (request.access) {
    case PciAccess::kLoad:
      loaded.push_back(load(request.address));
      break;
    case PciAccess::kStore:
      store(request.address, static_cast<uint32_t>(request.value));
      break;
    case PciAccess::kLoadWords:
      for (uint32_t i = 0; i < request.count; ++i) {
        loaded.push_back(load_word(request.address + kLaneBytes * i));
      }
      break;
    case PciAccess::kStoreWord:
      store_word(request.address, request.value);
      break;
    default:
      throw std::runtime_error("found a packet that is no access");
  }
  return loaded;
}

}  // namespace firesim
