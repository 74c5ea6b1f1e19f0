// SPDX-License-Identifier: BSD-3-Clause
//
// The engine interface (firesim_engine.h) over a model compiled by Verilator. Compiled once per
// model, with the generated firesim_model_ports.h, into model.so.
//
// In model.v every input port is held in a register. So the clock edge that ends cycle t-1 is given
// in settle() of cycle t: it updates the state from the held inputs of cycle t-1, takes in the
// inputs of cycle t, and settles the outputs of cycle t, in one evaluation. Before cycle 0 there is
// no edge to give; its inputs are put into the registers directly. A design with divided clocks has
// its inputs not held (FIRESIM_INPUTS_HELD 0): then tick() gives the edge, with one evaluation
// more. Asynchronous controls of registers are inactive until FIRESIM_STARTED (if there are any) is
// set in the first settle(): so each that is active in cycle 0 has its edge there.

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>

#include "FiresimModel.h"
#include "FiresimModel___024root.h"
#include "firesim_engine.h"
#include "firesim_model_ports.h"
#include "verilated.h"
#include "verilated_save.h"

double sc_time_stamp() { return 0; }

// Generated beside FiresimModel.cpp; Verilator declares them only there.
void FiresimModel___024root___eval(FiresimModel___024root *root);
void FiresimModel___024root___eval_settle(FiresimModel___024root *root);

namespace {

enum class Phase : uint8_t { kFirst, kSettle, kTick };

struct Instance {
  VerilatedContext context;
  std::unique_ptr<FiresimModel> model;
  Phase phase = Phase::kFirst;
};

struct PortEntry {
  const char *name;
  uint32_t width_bits;
  uint32_t is_input;
  void *(*storage)(FiresimModel &model);
};

#define FIRESIM_PORT(name, width_bits, is_input, field) \
  PortEntry{name, width_bits, is_input, [](FiresimModel &model) -> void * { return &model.field; }},
const PortEntry kPorts[] = {FIRESIM_PORTS};
constexpr bool kInputsHeld = FIRESIM_INPUTS_HELD;
constexpr uint32_t kPortCount = sizeof(kPorts) / sizeof(kPorts[0]);

void require(bool holds, const char *what) {
  if (holds) return;
  std::fprintf(stderr, "firesim engine: %s\n", what);
  std::abort();
}

void *create() {
  auto instance = std::unique_ptr<Instance>(new (std::nothrow) Instance);
  if (!instance) return nullptr;
  instance->context.threads(1);
  instance->model.reset(new (std::nothrow) FiresimModel(&instance->context, "model"));
  if (!instance->model) return nullptr;
  instance->model->firesim_clock = 0;
  instance->model->eval();
  return instance.release();
}

void destroy(void *opaque) {
  auto *instance = static_cast<Instance *>(opaque);
  if (instance == nullptr) return;
  instance->model->final();
  delete instance;
}

FiresimPort port(void *opaque, uint32_t index) {
  require(index < kPortCount, "port(): index is not below port_count");
  const PortEntry &entry = kPorts[index];
  return {entry.name, entry.width_bits, entry.is_input,
          entry.storage(*static_cast<Instance *>(opaque)->model)};
}

template <typename Value>
void copy_port(Value &to, const Value &from) {
  to = from;
}

[[maybe_unused]] void hold_first_inputs(FiresimModel &model) {
#define FIRESIM_HOLD(port, held) copy_port(model.held, model.port);
  FIRESIM_HELD_INPUTS
}

// FiresimModel::eval() without its frame: the initialisation, done by create(), and the
// queues of messages and of dead objects, which synthesizable logic never fills. The frame takes
// locks, 1 % of a blade's time.
void evaluate(FiresimModel &model) { FiresimModel___024root___eval(model.rootp); }

void clock_edge(FiresimModel &model) {
  model.firesim_clock = 1;
  evaluate(model);
}

void settle(void *opaque) {
  auto &instance = *static_cast<Instance *>(opaque);
  FiresimModel &model = *instance.model;
  require(instance.phase != Phase::kTick, "settle() twice in one cycle; tick() belongs between");
  if (instance.phase == Phase::kFirst) {
#ifdef FIRESIM_STARTED
    model.FIRESIM_STARTED = 1;
#endif
    if constexpr (kInputsHeld) {
      hold_first_inputs(model);
      // No edge has put them there, so nothing would evaluate what depends on them.
      FiresimModel___024root___eval_settle(model.rootp);
    }
    evaluate(model);
  } else {
    if constexpr (kInputsHeld) clock_edge(model);
    model.firesim_clock = 0;
    evaluate(model);
  }
  instance.phase = Phase::kTick;
}

void tick(void *opaque) {
  auto &instance = *static_cast<Instance *>(opaque);
  require(instance.phase == Phase::kTick, "tick() without settle() before it");
  if constexpr (!kInputsHeld) clock_edge(*instance.model);
  instance.phase = Phase::kSettle;
}

using Write = void (*)(void *, const void *, size_t);

// Verilator writes a model through a buffer that `flush` empties.
class StateSink : public VerilatedSerialize {
 public:
  StateSink(Write write, void *to) : write_(write), to_(to) {
    m_isOpen = true;
    header();
  }
  ~StateSink() override { close(); }
  void close() override {
    if (isOpen()) flush();
    m_isOpen = false;
  }
  void flush() override {
    write_(to_, m_bufp, static_cast<size_t>(m_cp - m_bufp));
    m_cp = m_bufp;
  }

 private:
  const Write write_;
  void *const to_;
};

// The same for reading. Verilator reads ahead, so behind the end there are zeros, which must not be
// used up.
class StateSource : public VerilatedDeserialize {
 public:
  StateSource(const void *data, size_t bytes)
      : next_(static_cast<const uint8_t *>(data)), left_(bytes) {
    m_isOpen = true;
    m_endp = m_bufp;
    header();
  }
  ~StateSource() override { m_isOpen = false; }
  void fill() override {
    const auto used = static_cast<size_t>(m_cp - m_bufp);
    cut_ = cut_ || used > real_;
    real_ -= used < real_ ? used : real_;
    std::memmove(m_bufp, m_cp, real_);
    const size_t room = bufferSize() - real_;
    const size_t taken = left_ < room ? left_ : room;
    std::memcpy(m_bufp + real_, next_, taken);
    std::memset(m_bufp + real_ + taken, 0, room - taken);
    real_ += taken;
    next_ += taken;
    left_ -= taken;
    m_cp = m_bufp;
    m_endp = m_bufp + bufferSize();
  }
  bool complete() const {
    return !cut_ && left_ == 0 && static_cast<size_t>(m_cp - m_bufp) == real_;
  }

 private:
  const uint8_t *next_;
  size_t left_;
  size_t real_ = 0;  // bytes in the buffer that are of the state
  bool cut_ = false;
};

void save(void *opaque, Write write, void *to) {
  auto &instance = *static_cast<Instance *>(opaque);
  require(instance.phase != Phase::kTick, "save() within a cycle; tick() belongs before");
  const auto phase = static_cast<uint8_t>(instance.phase);
  write(to, &phase, sizeof phase);
  StateSink sink(write, to);
  sink << *instance.model;
}

int load(void *opaque, const void *data, size_t bytes) {
  auto &instance = *static_cast<Instance *>(opaque);
  const auto *from = static_cast<const uint8_t *>(data);
  if (bytes < 1 || from[0] > static_cast<uint8_t>(Phase::kSettle)) return -1;
  StateSource source(from + 1, bytes - 1);
  source >> *instance.model;
  instance.phase = static_cast<Phase>(from[0]);
  return source.complete() ? 0 : -1;
}

const FiresimEngine kEngine = {FIRESIM_ENGINE_ABI_VERSION,
                               kPortCount,
                               FIRESIM_DESIGN_HASH,
                               FIRESIM_ENGINE_NAME,
                               create,
                               destroy,
                               port,
                               settle,
                               tick,
                               save,
                               load,
                               0,
                               nullptr,
                               nullptr};

}  // namespace

extern "C" __attribute__((visibility("default"))) const FiresimEngine *firesim_engine(void) {
  return &kEngine;
}
