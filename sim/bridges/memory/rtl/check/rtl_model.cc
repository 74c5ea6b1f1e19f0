// SPDX-License-Identifier: BSD-3-Clause
// memory_timing.sv, host cycle by host cycle; see rtl_model.h.
#include "bridges/memory/rtl/check/rtl_model.h"

#include <cstring>
#include <stdexcept>

namespace firesim::bridges::check {
namespace {

constexpr uint64_t kMostWaiting = 10'000'000;  // host cycles until the hardware hangs

size_t storage_bytes(uint32_t width_bits) {
  return width_bits <= 8 ? 1 : width_bits <= 16 ? 2 : width_bits <= 32 ? 4 : 8;
}

}  // namespace

RtlModel::RtlModel(const std::filesystem::path &library, const std::string &design_hash,
                   Random &random)
    : model_(library, design_hash, "memory-rtl-check"), random_(random) {}

void RtlModel::write(const char *port, uint64_t value) {
  const FiresimPort &found = model_.ports().at(port);
  std::memcpy(found.storage, &value, storage_bytes(found.width_bits));
}

uint64_t RtlModel::read(const char *port) const {
  const FiresimPort &found = model_.ports().at(port);
  uint64_t value = 0;
  std::memcpy(&value, found.storage, storage_bytes(found.width_bits));
  return value;
}

bool RtlModel::clock(std::vector<uint32_t> *done) {
  const bool takes = !random_.one_in(8);
  write("done_ready", takes);
  model_.settle();
  const bool ready = read("ready") != 0;
  if (takes && read("done_valid") != 0) {
    if (done == nullptr || ready) throw std::runtime_error("something is done outside a step");
    done->push_back(static_cast<uint32_t>(read("done_tag")));
  }
  model_.tick();
  ++host_cycles_;
  return ready;
}

void RtlModel::wait_until_ready(std::vector<uint32_t> *done) {
  for (uint64_t waited = 0; !clock(done); ++waited) {
    if (waited == kMostWaiting) throw std::runtime_error("the hardware is never ready again");
  }
}

void RtlModel::start(const std::vector<TimingRegister> &registers) {
  write("reset", 1);
  clock(nullptr);
  write("reset", 0);
  write("set_valid", 1);
  for (const TimingRegister &set : registers) {
    write("set_index", set.index);
    write("set_value", set.value);
    clock(nullptr);
  }
  write("set_valid", 0);
  write("start", 1);
  clock(nullptr);
  write("start", 0);
  wait_until_ready(nullptr);
}

bool RtlModel::request(const MemoryAccess &access) {
  write("request_address", access.address);
  write("request_bytes", access.bytes);
  write("request_tag", access.tag);
  write("request_write", access.write);
  write("request_valid", 1);
  wait_until_ready(nullptr);
  const bool room = read("room") != 0;
  write("request_valid", 0);
  return room;
}

void RtlModel::step(std::vector<uint32_t> &done) {
  write("step", 1);
  wait_until_ready(&done);
  write("step", 0);
  wait_until_ready(&done);
  --host_cycles_;  // the one in which it is ready is the next request's, or the next step's
}

std::array<uint64_t, 7> RtlModel::counters() {
  std::array<uint64_t, 7> values{};
  for (size_t i = 0; i < values.size(); ++i) {
    write("counter_index", i);
    clock(nullptr);
    values[i] = read("counter");
  }
  return values;
}

}  // namespace firesim::bridges::check
