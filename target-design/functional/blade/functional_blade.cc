// SPDX-License-Identifier: BSD-3-Clause
// The functional blade; see functional_blade.h.
//
// Target time is cut into quanta. A quantum runs when all its input tokens are there, and what
// it sends is on the link one quantum later, the node's end included: so calls of `advance` may cut
// time anywhere. While all harts wait, quanta in which nothing is due are passed over.
#include "functional/blade/functional_blade.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/check.h"
#include "core/state.h"
#include "functional/blade/blade_model.h"
#include "functional/core/csr_bits.h"

namespace firesim {
namespace functional {
namespace {

constexpr uint64_t kMostWaitingFlits = 1 << 20;  // behind an identity frame

}  // namespace

FunctionalBlade::FunctionalBlade(const nlohmann::json &node, const SimulationContext &context)
    : Model(node.at("name").get<std::string>()),
      settings_(node, context),
      harts_(settings_.harts, settings_.cycles_per_instruction, kResetCycles, settings_.features),
      memory_(
          dram(), [this](uint64_t address, uint64_t bytes) { harts_.written(address, bytes); },
          blade_end_),
      bus_({settings_.harts, settings_.features.supervisor, settings_.quantum_cycles,
            settings_.parts, settings_.nics, *settings_.disk, *settings_.console,
            settings_.host.get()},
           memory_, harts_, blade_end_) {
  for (const devices::NicSettings &nic : settings_.nics) {
    announcers_.emplace_back(nic.identity_frame);
  }
  make_harts();
  observe();
}

void FunctionalBlade::make_harts() {
  harts_.make(dram(), bus_, settings_.code_bytes, settings_.shares_code, settings_.check_fence_i,
              settings_.translate_after);
}

FunctionalBlade::~FunctionalBlade() {
  try {
    settings_.console->flush();
  } catch (const std::exception &) {
    // The run is over and has its reason already.
  }
}

// The harts are made; whoever is told of their instructions is told by these.
void FunctionalBlade::observe() {
  if (settings_.keeps_calls) harts_.keep_calls();
  if (settings_.l1) harts_.follow_l1(*settings_.l1);
  if (settings_.block_vectors) harts_.observe(0, *settings_.block_vectors, true);
  if (settings_.traces) settings_.traces->look_at(harts_, *settings_.memory);
}

void FunctionalBlade::advance(uint64_t start_cycle, uint32_t cycles, std::span<Batch> inputs,
                              std::span<Batch> outputs) {
  if (end()) return;
  FIRESIM_CHECK(start_cycle == cycle_, "calls are contiguous");
  cycle_ = start_cycle + cycles;
  for (size_t port = 0; port < inputs.size() && !blade_end_.ended(); ++port) {
    bus_.nic(port).arrive(announcers_[port].pass(inputs[port], kResetCycles));
  }
  if (settings_.console->has_terminal()) look_at_terminal();
  if (debug_) debug_->between(quantum_start_);
  run_quanta();
  send(outputs);
}

void FunctionalBlade::look_at_terminal() {
  if (cycle_ < next_look_) return;
  next_look_ = cycle_ + devices::Console::kPollCycles;
  if (!settings_.console->poll()) return;
  deterministic_ = false;
  bus_.uart().input_arrived(quantum_start_);
}

void FunctionalBlade::run_quanta() {
  const uint64_t quantum = settings_.quantum_cycles;
  while (!blade_end_.ended() && quantum_start_ + quantum <= cycle_) {
    if (waiting_) {
      const uint64_t wake = next_event();
      if (wake >= quantum_start_ + quantum) {
        quantum_start_ = std::min(wake, cycle_) / quantum * quantum;
        continue;
      }
    }
    run_quantum();
  }
}

void FunctionalBlade::run_alone(uint64_t cycles) {
  const uint64_t end = quantum_start_ + cycles;
  run_harts(end);
  quantum_start_ = end;
}

// All of what comes before the end is done, and nothing of what comes after it is left. It need not
// have been an access, which brings the devices to its cycle.
void FunctionalBlade::end_devices() {
  bus_.advance(0, blade_end_.cycle);
  for (size_t i = 0; i < bus_.nics(); ++i) {
    bus_.nic(i).send_until(blade_end_.cycle);
    bus_.nic(i).drop_input();
    announcers_[i] = devices::Announcer({});
  }
  settings_.console->flush();
}

uint64_t FunctionalBlade::next_event() const {
  uint64_t next = kNever;
  for (uint32_t i = 0; i < harts_.size(); ++i) next = std::min(next, bus_.next_event(i));
  return next;
}

// Harts see each other's writes once a quantum. A lone hart runs all quanta whose input is there at
// once: fewer ends in the middle of its blocks.
void FunctionalBlade::run_quantum() {
  const uint64_t quantum = settings_.quantum_cycles;
  const uint64_t end = harts_.size() == 1 ? cycle_ / quantum * quantum : quantum_start_ + quantum;
  run_harts(end);
  if (blade_end_.ended()) {
    quantum_start_ = blade_end_.cycle / quantum * quantum;
    waiting_ = false;  // not as the quantum before left it: which one that was is the cut's
    end_devices();
    return;
  }
  waiting_ = harts_.all_wait();
  quantum_start_ = end;
}

// The last instruction of a hart may reach beyond the end, and then nobody has looked at what was
// due in the cycles it took. That must not be left to `send`, which brings the NIC alone to the
// end: an interrupt would stay unseen, in some cuts of time and not in others.
void FunctionalBlade::run_harts(uint64_t end) {
  for (uint32_t i = 0; i < harts_.size() && !blade_end_.ended(); ++i) run_hart(i, end);
  bus_.catch_up(end - 1);
}

void FunctionalBlade::run_hart(uint32_t index, uint64_t end) {
  Hart &hart = harts_[index];
  uint64_t at = std::max(harts_.cycle(index), quantum_start_);
  while (at < end && !blade_end_.ended()) {
    bus_.advance(index, at);
    if (blade_end_.ended()) break;  // before an instruction more
    uint64_t until = std::min(end, bus_.next_event(index));
    if (hart.waiting()) {
      if (until == end) break;
      at = std::max(at + 1, until);
      continue;
    }
    if (debug_) until = debug_->begin_run(index, at, until);
    if (settings_.traces) until = settings_.traces->begin_run(index, at, until);
    bus_.begin_run(index, until);
    const uint64_t reached = hart.run(at, std::max(at + 1, until));
    harts_.add_busy_cycles(reached - at);
    at = reached;
    end_at_stale_fetch();
  }
  harts_.set_cycle(index, at);
}

DebugTarget &FunctionalBlade::debug_target(const nlohmann::json &) {
  if (!debug_) {
    debug_ =
        std::make_unique<DebugView>(harts_, *settings_.memory, settings_.cycles_per_instruction);
  }
  return *debug_;
}

void FunctionalBlade::end_at_stale_fetch() {
  const auto fetch = harts_.stale_fetch();
  if (!fetch || blade_end_.ended()) return;
  blade_end_ = {devices::BladeEnd::Kind::kAssert, 1, fetch->cycle,
                fmt::format("missing fence.i in cycle {}: hart {} fetched the instruction at "
                            "0x{:x}, which was stored to after its last fence.i",
                            fetch->cycle, fetch->hart, fetch->pc)};
}

// What is on the link up to the end of this call, or of the node.
void FunctionalBlade::send(std::span<Batch> outputs) {
  const bool ended = blade_end_.ended();
  const uint64_t end_cycle = ended ? blade_end_.cycle + settings_.quantum_cycles + 1 : kNever;
  Batch unused;
  for (size_t i = 0; i < bus_.nics(); ++i) {
    if (!ended && quantum_start_ != 0) bus_.nic(i).send_until(quantum_start_ - 1);
    bus_.nic(i).move_output(outputs.empty() ? unused : outputs[i], end_cycle);
  }
  if (end_cycle > cycle_) return;
  cycle_ = end_cycle;
  set_end({end_cycle - 1, blade_end_.exit_code, blade_end_.kind == devices::BladeEnd::Kind::kAssert,
           blade_end_.message});
}

void FunctionalBlade::finish(uint64_t) {
  if (!blade_end_.ended() && quantum_start_ != 0) bus_.advance(0, quantum_start_ - 1);
  settings_.console->flush();
  if (settings_.block_vectors) settings_.block_vectors->finish();
  if (settings_.traces) settings_.traces->finish(cycle_);
  settings_.disk->store->note_written();
}

nlohmann::json FunctionalBlade::statistics() const {
  nlohmann::json finished = nullptr;
  if (blade_end_.ended()) finished = blade_end_.cycle;
  nlohmann::json region_start = nullptr;
  const uint64_t region_start_cycle = harts_.region_start_cycle();
  if (region_start_cycle != SharedState::kNever) region_start = region_start_cycle;
  nlohmann::json facts = {{"engine", "functional"},
                          {"cycles_evaluated", cycle_},
                          {"instructions", harts_.instructions()},
                          {"harts", harts_.size()},
                          {"cycles_per_instruction", settings_.cycles_per_instruction},
                          {"quantum_cycles", settings_.quantum_cycles},
                          {"finished_at_cycle", finished},
                          {"region_start_cycle", region_start},
                          {"deterministic", deterministic_},
                          {"nic", bus_.nic_statistics()},
                          {"block_device", bus_.block_device().statistics()},
                          {"uart", settings_.console->statistics(bus_.uart().bytes_in())}};
  if (settings_.traces) facts["tracerv"] = settings_.traces->statistics();
  return facts;
}

std::string FunctionalBlade::fingerprint() const {
  const std::string parts = unusual(settings_.parts);
  std::string features;
  for (size_t i = 0; i < bus_.nics(); ++i) {
    const uint32_t word = bus_.nic(i).features().word();
    if (word != 0) features += fmt::format(", NIC with features {}", word);
  }
  return fmt::format(
      "functional blade with {} harts{}{}, {} bytes of memory, {} cycles an instruction, quanta of "
      "{} cycles{}{}{}",
      settings_.harts, settings_.features.floats ? "" : " without floating point",
      settings_.features.supervisor ? "" : " with M mode alone", settings_.memory->size_bytes(),
      settings_.cycles_per_instruction, settings_.quantum_cycles, parts.empty() ? "" : ", parts ",
      parts, features);
}

Shape Shape::load(StateReader &state) {
  const uint32_t version = state.section("functional_blade", 7);
  if (version < 4) {
    state.fail("saved by a version of FireSim that this one does not continue");
  }
  Shape shape;
  shape.harts = static_cast<uint32_t>(state.u64(UINT32_MAX));
  shape.cycles_per_instruction = static_cast<uint32_t>(state.u64(UINT32_MAX));
  shape.quantum_cycles = static_cast<uint32_t>(state.u64(UINT32_MAX));
  if (version > 4) shape.parts = state.text();
  if (version > 5) {
    shape.features.floats = state.boolean();
    shape.features.supervisor = state.boolean();
  }
  if (version > 6) {
    shape.address_bits = static_cast<uint32_t>(state.u64(csr_bits::kMostAddressBits));
  }
  return shape;
}

void FunctionalBlade::save(StateWriter &state) const {
  state.section("functional_blade", 7);
  state.u64(settings_.harts);
  state.u64(settings_.cycles_per_instruction);
  state.u64(settings_.quantum_cycles);
  state.text(unusual(settings_.parts));
  state.boolean(settings_.features.floats);
  state.boolean(settings_.features.supervisor);
  state.u64(settings_.address_bits);
  state.u64(quantum_start_);
  state.boolean(waiting_);
  state.boolean(deterministic_);
  state.u64(static_cast<uint64_t>(blade_end_.kind));
  state.i64(blade_end_.exit_code);
  state.u64(blade_end_.cycle);
  state.text(blade_end_.message);
  for (const devices::Announcer &announcer : announcers_) {
    state.boolean(announcer.within_packet());
    state.u64(announcer.waiting().size());
    for (const Flit &flit : announcer.waiting()) {
      state.u64(flit.data);
      state.boolean(flit.last);
    }
  }
  settings_.memory->save(state);
  state.u64(harts_.region_start_cycle());
  harts_.save(state);
  bus_.save(state);
  settings_.disk->store->save(state);
  settings_.console->save(state);
  harts_.save_calls(state);
  harts_.save_l1(state);
  if (settings_.traces) settings_.traces->save(state);
}

void FunctionalBlade::load(StateReader &state, uint64_t cycle) {
  Shape::load(state);
  load_rest(state, cycle);
}

void FunctionalBlade::load_rest(StateReader &state, uint64_t cycle) {
  cycle_ = end() ? end()->cycle + 1 : cycle;  // a node that has ended stands still
  state.set_cycle(cycle_);
  const uint64_t quantum = settings_.quantum_cycles;
  quantum_start_ = state.u64(cycle_);
  waiting_ = state.boolean();
  deterministic_ = state.boolean();
  blade_end_.kind = static_cast<devices::BladeEnd::Kind>(state.u64(2));
  blade_end_.exit_code = static_cast<int>(state.i64());
  blade_end_.cycle = state.u64(blade_end_.ended() ? cycle_ : UINT64_MAX);
  // Whole quanta have been run, and all of them.
  const bool behind = !blade_end_.ended() && cycle_ - quantum_start_ >= quantum;
  if (behind || quantum_start_ % quantum != 0) {
    state.fail(
        fmt::format("found a quantum of {} cycles that starts in cycle {} of a blade in cycle {}",
                    quantum, quantum_start_, cycle_));
  }
  blade_end_.message = state.text();
  for (devices::Announcer &announcer : announcers_) {
    const bool within_packet = state.boolean();
    std::vector<Flit> flits(state.u64(kMostWaitingFlits));
    for (Flit &flit : flits) {
      flit.data = state.u64();
      flit.last = state.boolean();
    }
    announcer.restore(std::move(flits), within_packet);
  }
  settings_.memory->load(state);
  memory_.set_dram(dram());
  make_harts();
  harts_.set_region_start_cycle(state.u64());
  harts_.load(state, cycle_);
  bus_.load(state, harts_.cycles());
  settings_.disk->store->load(state);
  settings_.console->load(state);
  observe();
  harts_.load_calls(state);
  harts_.load_l1(state, settings_.memory->size_bytes(), settings_.traces == nullptr);
  load_traces(state);
}

// A blade that was traced goes on without, too.
void FunctionalBlade::load_traces(StateReader &state) {
  if (!state.next_section_is(HartTraces::kSection)) return;
  if (settings_.traces) {
    settings_.traces->load(state);
  } else {
    HartTraces::skip(state);
  }
}

}  // namespace functional

std::unique_ptr<Model> make_functional_blade(const nlohmann::json &node,
                                             const SimulationContext &context) {
  return std::make_unique<functional::FunctionalBlade>(node, context);
}

}  // namespace firesim
