// SPDX-License-Identifier: BSD-3-Clause
// A functional blade under a debugger; see debug_view.h.
#include "functional/blade/debug_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>

namespace firesim::functional {
namespace {

struct NamedCsr {
  const char *name;
  uint32_t number;
};

// Those that Rocket has and that do not always read 0.
constexpr std::array kCsrs = {
    NamedCsr{"fflags", 0x001},     NamedCsr{"frm", 0x002},        NamedCsr{"fcsr", 0x003},
    NamedCsr{"sstatus", 0x100},    NamedCsr{"sie", 0x104},        NamedCsr{"stvec", 0x105},
    NamedCsr{"scounteren", 0x106}, NamedCsr{"sscratch", 0x140},   NamedCsr{"sepc", 0x141},
    NamedCsr{"scause", 0x142},     NamedCsr{"stval", 0x143},      NamedCsr{"sip", 0x144},
    NamedCsr{"satp", 0x180},       NamedCsr{"mstatus", 0x300},    NamedCsr{"misa", 0x301},
    NamedCsr{"medeleg", 0x302},    NamedCsr{"mideleg", 0x303},    NamedCsr{"mie", 0x304},
    NamedCsr{"mtvec", 0x305},      NamedCsr{"mcounteren", 0x306}, NamedCsr{"mscratch", 0x340},
    NamedCsr{"mepc", 0x341},       NamedCsr{"mcause", 0x342},     NamedCsr{"mtval", 0x343},
    NamedCsr{"mip", 0x344},        NamedCsr{"pmpcfg0", 0x3a0},    NamedCsr{"pmpaddr0", 0x3b0},
    NamedCsr{"pmpaddr1", 0x3b1},   NamedCsr{"pmpaddr2", 0x3b2},   NamedCsr{"pmpaddr3", 0x3b3},
    NamedCsr{"pmpaddr4", 0x3b4},   NamedCsr{"pmpaddr5", 0x3b5},   NamedCsr{"pmpaddr6", 0x3b6},
    NamedCsr{"pmpaddr7", 0x3b7},   NamedCsr{"mcycle", 0xb00},     NamedCsr{"minstret", 0xb02},
    NamedCsr{"mhartid", 0xf14}};

}  // namespace

DebugView::DebugView(HartGroup &harts, devices::GuestMemory &memory,
                     uint32_t cycles_per_instruction)
    : harts_(harts),
      memory_(memory),
      cycles_per_instruction_(cycles_per_instruction),
      position_(between_runs()) {}

std::map<std::string, uint64_t> DebugView::registers(uint32_t hart) const {
  const Hart &one = harts_[hart];
  const ArchitecturalState state = one.state();
  std::map<std::string, uint64_t> all{{"pc", state.pc}, {"priv", state.privilege}};
  for (size_t i = 0; i < state.x.size(); ++i) {
    all[fmt::format("x{}", i)] = state.x[i];
    all[fmt::format("f{}", i)] = state.f[i];
  }
  for (const NamedCsr &csr : kCsrs) {
    if (const auto value = one.csr(csr.number)) all[csr.name] = *value;
  }
  return all;
}

uint64_t DebugView::register_value(uint32_t hart, const std::string &name) const {
  for (const NamedCsr &csr : kCsrs) {
    if (name == csr.name) return harts_[hart].csr(csr.number).value_or(0);
  }
  uint32_t number = 0;
  const char *end = name.data() + name.size();
  const bool is_number =
      name.starts_with('x') && std::from_chars(name.data() + 1, end, number).ptr == end;
  return is_number && number < 32 ? harts_[hart].x(number)
                                  : DebugTarget::register_value(hart, name);
}

bool DebugView::read(uint64_t physical, std::span<uint8_t> bytes) const {
  if (!memory_.contains(physical, bytes.size())) return false;
  std::memcpy(bytes.data(), memory_.at(physical), bytes.size());
  return true;
}

uint64_t DebugView::begin_run(uint32_t hart, uint64_t from, uint64_t until) {
  running_ = hart;
  position_ = between_runs();
  // The last step that need not be told, and that only if it ends before all that must be.
  const uint64_t first = listener_->first_position();
  const uint64_t steps = first > position_ ? (first - position_ - 1) / 2 : 0;
  const uint64_t most = (until - from) / cycles_per_instruction_ + 1;
  uint64_t untold = from + std::min(steps, most) * cycles_per_instruction_;
  const uint64_t first_cycle = listener_->first_cycle();
  if (first_cycle < untold + cycles_per_instruction_) {
    untold =
        first_cycle > from + cycles_per_instruction_ ? first_cycle - cycles_per_instruction_ : from;
  }
  const bool tells = untold <= from;
  harts_.observe(hart, *this, tells);
  return tells ? until : std::min(until, untold);
}

void DebugView::between(uint64_t cycle) {
  position_ = between_runs();
  listener_->between(position_, cycle);
}

void DebugView::retired(const Retired &event) {
  position_ = event.interrupt ? position_ | 1 : (position_ | 1) + 1;
  const uint64_t cycle = event.cycle + (event.interrupt ? 0 : cycles_per_instruction_);
  listener_->stepped({running_, position_, cycle, harts_[running_].pc()});
}

}  // namespace firesim::functional
