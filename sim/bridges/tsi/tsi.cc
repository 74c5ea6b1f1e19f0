// SPDX-License-Identifier: BSD-3-Clause
// TSI driver; see tsi.h.
#include "bridges/tsi/tsi.h"

#include <algorithm>
#include <cstring>

#include "bridges/driver_registry.h"
#include "devices/guest_memory.h"

namespace firesim::bridges {
namespace {

constexpr uint64_t kPairBytes = 8;
constexpr uint32_t kRead = 0, kWrite = 1;
constexpr uint64_t kMostCycles = 1'000'000'000;

}  // namespace

TsiDriver::TsiDriver(const DriverContext &context)
    : out_valid_(context.ports.output("out_valid")),
      out_bits_(context.ports.output("out_bits", 32)),
      in_ready_(context.ports.output("in_ready")),
      in_valid_(context.ports.input("in_valid"), context.inputs),
      in_bits_(context.ports.input("in_bits", 32), context.inputs),
      status_(&context.status) {
  Config config(context.config, context.where);
  poll_cycles_ = config.required_integer("poll_cycles", 1, kMostCycles);
  wake_address_ = config.required_integer("wake_address", 0, UINT32_MAX);
  wakes_ = config.boolean("wake", false);
  if (const nlohmann::json &load = config.child("load"); !load.is_null()) {
    cut(Config(load, config.child_where("load")), context.simulation);
  }
  interface_ = HostInterface::make(config.child("program"), config.child_where("program"));
  if (const nlohmann::json &console = config.child("console"); !console.is_null()) {
    own_console_ = std::make_unique<Console>(console, config.child_where("console"), context.node,
                                             context.simulation);
  }
  config.finish();
}

// What files fill, in whole pairs: a debug module takes a write of a single word for the wake.
void TsiDriver::cut(Config load, const SimulationContext &simulation) {
  const auto memory = GuestMemory::make(load, simulation);
  load.finish();
  for (const auto &[start, bytes] : memory->filled()) {
    const uint64_t end = std::min(memory->size_bytes(), start + bytes);
    for (uint64_t at = start / kPairBytes * kPairBytes; at < end;) {
      const uint64_t pairs = std::min(kChunkWords / 2, (end - at + kPairBytes - 1) / kPairBytes);
      Chunk chunk{memory->base() + at, std::vector<uint32_t>(2 * pairs)};
      const uint64_t there = std::min(kPairBytes * pairs, memory->size_bytes() - at);
      std::memcpy(chunk.words.data(), memory->data() + at, there);
      chunks_.push_back(std::move(chunk));
      at += kPairBytes * pairs;
    }
  }
}

void TsiDriver::begin_chunk() {
  const Chunk &chunk = chunks_[next_chunk_++];
  begin(true, chunk.address, 0, chunk.words.size());
  loading_ = true;
}

uint32_t TsiDriver::word() const {
  if (!loading_ || next_ < kHeadWords) return words_[next_];
  return chunks_[next_chunk_ - 1].words[next_ - kHeadWords];
}

void TsiDriver::begin(bool write, uint64_t address, uint64_t data, uint64_t words) {
  words_ = {write ? kWrite : kRead,
            static_cast<uint32_t>(address),
            static_cast<uint32_t>(address >> 32),
            static_cast<uint32_t>(words - 1),
            0,
            static_cast<uint32_t>(data),
            static_cast<uint32_t>(data >> 32)};
  next_ = heard_ = read_ = 0;
  loading_ = false;
  to_say_ = write ? kHeadWords + words : kHeadWords;
  to_hear_ = write ? 0 : words;
  ++commands_;
}

void TsiDriver::move_words() {
  // The target says nothing but what it was asked for; other words have no meaning.
  if (out_valid_() && heard_ < to_hear_) read_ |= out_bits_() << 32 * heard_++;
  if (in_valid_.value() != 0 && in_ready_()) ++next_;
}

uint64_t TsiDriver::next_look(uint64_t cycle) const {
  return interface_ == nullptr ? kNever : (cycle / poll_cycles_ + 1) * poll_cycles_;
}

bool TsiDriver::advance(uint64_t cycle) {
  if (looking_) {
    const auto next = interface_->answer(read_, cycle, status_->end, console());
    looking_ = next.has_value();
    if (next) ask(*next);
    return looking_;
  }
  if (next_chunk_ < chunks_.size()) {
    begin_chunk();
    return true;
  }
  if (wakes_ && !woken_) {
    woken_ = true;
    begin(true, wake_address_, 1, 1);
    return true;
  }
  if (interface_ == nullptr || cycle % poll_cycles_ != 0) return false;
  looking_ = true;
  ask(interface_->look());
  return true;
}

uint64_t TsiDriver::exchange(uint64_t cycle) {
  if (status_->end.ended()) return kNever;
  const bool was_busy = busy();
  if (was_busy) move_words();
  if (!busy()) {
    // A look that falls into a command is left out: the next one begins after it. What is loaded
    // comes without a pause.
    if ((was_busy && !looking_ && !starts()) || !advance(cycle)) {
      in_valid_.set(0);
      return next_look(cycle);
    }
  }
  in_valid_.set(next_ < to_say_ ? 1 : 0);
  if (next_ == to_say_) return kNever;  // woken by the words that are read
  in_bits_.set(word());
  return cycle + 1;
}

void TsiDriver::finish(uint64_t) {
  if (own_console_) own_console_->flush();
}

nlohmann::json TsiDriver::statistics() const {
  nlohmann::json facts = {{"commands", commands_}};
  if (own_console_) facts["console"] = own_console_->statistics(0);
  return facts;
}

void TsiDriver::save(StateWriter &state) const {
  state.section("tsi", 2);
  state.u64(next_chunk_);
  state.boolean(loading_);
  for (const InputPort *port : {&in_valid_, &in_bits_}) port->save(state);
  for (const bool flag : {interface_ != nullptr, own_console_ != nullptr, looking_, woken_}) {
    state.boolean(flag);
  }
  for (const uint32_t word : words_) state.u64(word);
  for (const uint64_t value : {next_, to_say_, heard_, to_hear_, read_, commands_}) {
    state.u64(value);
  }
  if (interface_ != nullptr) interface_->save(state);
  if (own_console_) own_console_->save(state);
}

void TsiDriver::load(StateReader &state) {
  const uint32_t version = state.section("tsi", 2);
  next_chunk_ = version < 2 ? 0 : state.u64(chunks_.size());
  loading_ = version >= 2 && state.boolean();
  if (loading_ && next_chunk_ == 0) state.fail("found a chunk that is loaded and is none");
  const uint64_t chunk_words = loading_ ? chunks_[next_chunk_ - 1].words.size() : kDataWords;
  for (InputPort *port : {&in_valid_, &in_bits_}) port->load(state);
  if (state.boolean() != (interface_ != nullptr)) {
    state.fail("saved with a program that has tohost where this one has none, or the reverse");
  }
  if (state.boolean() != (own_console_ != nullptr)) {
    state.fail("saved with a console where this blade has none, or the reverse");
  }
  looking_ = state.boolean();
  woken_ = state.boolean();
  for (uint32_t &word : words_) word = static_cast<uint32_t>(state.u64(UINT32_MAX));
  next_ = state.u64(kHeadWords + chunk_words);
  to_say_ = state.u64(kHeadWords + chunk_words);
  heard_ = state.u64(kDataWords);
  to_hear_ = state.u64(kDataWords);
  for (uint64_t *value : {&read_, &commands_}) *value = state.u64();
  if (next_ > to_say_ || heard_ > to_hear_) state.fail("found a command that cannot be");
  if (looking_ && interface_ == nullptr) state.fail("found a look at tohost without a program");
  if (interface_ != nullptr) interface_->load(state);
  if (own_console_) own_console_->load(state);
}

void register_tsi(DriverRegistry &registry) { registry.add<TsiDriver>("tsi"); }

}  // namespace firesim::bridges
