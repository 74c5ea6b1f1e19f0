// SPDX-License-Identifier: BSD-3-Clause
// Handshakes of the three channels of writes; see axi_writes.h.
#include "simulator/board/axi_writes.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace firesim {
namespace {

constexpr uint32_t kLaneBytes = 8;

}  // namespace

void AxiWrites::connect(const Pins &pins) {
  pins_ = pins;
  writes_.clear();
  offers_address_ = offers_data_ = hears_ = false;
  for (Pin *pin : {&pins_.address_valid, &pins_.data_valid, &pins_.answer_ready}) pin->set(0);
}

bool AxiWrites::is_full() const {
  const auto waits = [](const OnItsWay &one) { return one.cycles_left == 0; };
  return std::count_if(writes_.begin(), writes_.end(), waits) >=
         static_cast<std::ptrdiff_t>(kQueue);
}

void AxiWrites::forget() {
  std::erase_if(writes_, [](const OnItsWay &one) { return one.cycles_left == 0; });
}

AxiWrites::OnItsWay *AxiWrites::next(bool OnItsWay::*taken) {
  for (size_t i = 0; i < std::min(writes_.size(), kMostOutstanding); ++i) {
    if (!(writes_[i].*taken)) return &writes_[i];
  }
  return nullptr;
}

// What is offered stays until it is taken.
void AxiWrites::offer(bool &offers, bool OnItsWay::*taken, void (AxiWrites::*set)(const Write &)) {
  OnItsWay *const one = offers ? nullptr : next(taken);
  if (one == nullptr || !happens(3)) return;
  offers = true;
  (this->*set)(one->write);
  if (one->cycles_left == 0) one->cycles_left = kPatienceCycles;
}

void AxiWrites::set_address(const Write &write) { pins_.address.set(write.address); }

void AxiWrites::set_data(const Write &write) {
  if (!pins_.strobe) {
    pins_.data.set(write.value);
    return;
  }
  pins_.data.set_lane(write.lane, write.value);
  pins_.strobe->set(uint64_t{0xff} << kLaneBytes * write.lane);
}

void AxiWrites::before_cycle() {
  offer(offers_address_, &OnItsWay::address_taken, &AxiWrites::set_address);
  offer(offers_data_, &OnItsWay::data_taken, &AxiWrites::set_data);
  hears_ = happens(5);
  pins_.address_valid.set(offers_address_ ? 1 : 0);
  pins_.data_valid.set(offers_data_ ? 1 : 0);
  pins_.answer_ready.set(hears_ ? 1 : 0);
}

void AxiWrites::take_answer() {
  if (writes_.empty() || !writes_.front().address_taken || !writes_.front().data_taken) {
    throw std::runtime_error(fmt::format("found an answer to {} that was not made", what_));
  }
  if (const uint64_t answer = pins_.answer.get(); answer != 0) {
    throw std::runtime_error(
        fmt::format("found the answer {} to {}, expected 0: the access was wrong", answer, what_));
  }
  writes_.pop_front();
}

void AxiWrites::after_cycle() {
  // An answer is to what was taken before this cycle.
  if (hears_ && pins_.answer_valid.get() != 0) take_answer();
  if (offers_address_ && pins_.address_ready.get() != 0) {
    next(&OnItsWay::address_taken)->address_taken = true;
    offers_address_ = false;
  }
  if (offers_data_ && pins_.data_ready.get() != 0) {
    next(&OnItsWay::data_taken)->data_taken = true;
    offers_data_ = false;
  }
  for (OnItsWay &one : writes_) {
    if (one.cycles_left == 0 || --one.cycles_left != 0) continue;
    throw std::runtime_error(
        fmt::format("the shell gives up: {} took longer than 8 us, its limit", what_));
  }
}

}  // namespace firesim
