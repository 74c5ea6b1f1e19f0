// SPDX-License-Identifier: BSD-3-Clause
// Block device driver; see block_device.h.
#include "bridges/block_device/block_device.h"

#include <fmt/format.h>

#include <cstring>

#include "bridges/driver_registry.h"
#include "core/check.h"
#include "devices/warm_start.h"

namespace firesim::bridges {

BlockDeviceDriver::BlockDeviceDriver(const DriverContext &context)
    : req_valid_(context.ports.output("req_valid")),
      req_write_(context.ports.output("req_write")),
      req_sector_(context.ports.output("req_sector", 32)),
      req_count_(context.ports.output("req_count", 16)),
      req_tag_(context.ports.output("req_tag", 8)),
      wdata_valid_(context.ports.output("wdata_valid")),
      wdata_bits_(context.ports.output("wdata_bits", 64)),
      wdata_tag_(context.ports.output("wdata_tag", 8)),
      rdata_ready_(context.ports.output("rdata_ready")),
      wack_ready_(context.ports.output("wack_ready")),
      req_ready_(context.ports.input("req_ready"), context.inputs),
      wdata_ready_(context.ports.input("wdata_ready"), context.inputs),
      rdata_valid_(context.ports.input("rdata_valid"), context.inputs),
      rdata_bits_(context.ports.input("rdata_bits", 64), context.inputs),
      rdata_tag_(context.ports.input("rdata_tag", 8), context.inputs),
      wack_valid_(context.ports.input("wack_valid"), context.inputs),
      wack_tag_(context.ports.input("wack_tag", 8), context.inputs),
      info_sectors_(context.ports.input("info_sectors", 32), context.inputs),
      info_max_request_(context.ports.input("info_max_request", 16), context.inputs),
      where_(context.where),
      disk_(context.config, context.where, context.simulation),
      requests_(kTags) {
  req_ready_.set(1);
  wdata_ready_.set(1);
  info_sectors_.set(disk_.store->size_sectors());
  info_max_request_.set(disk_.max_request_sectors);
}

void BlockDeviceDriver::fail(const std::string &what) const {
  throw std::runtime_error(fmt::format("{}: the target {}", where_, what));
}

uint64_t BlockDeviceDriver::exchange(uint64_t cycle) {
  if (req_valid_()) take_request(cycle);
  if (wdata_valid_()) take_write_beat(cycle);
  if (reads_.count != 0) offer_read_beat(cycle);
  if (acknowledgements_.count != 0) offer_acknowledgement(cycle);
  return std::min(next_call(reads_, rdata_valid_.value() != 0, cycle),
                  next_call(acknowledgements_, wack_valid_.value() != 0, cycle));
}

void BlockDeviceDriver::take_request(uint64_t cycle) {
  const auto tag = static_cast<uint8_t>(req_tag_());
  const auto count = static_cast<uint32_t>(req_count_());
  Request &request = requests_[tag];
  if (request.beats != 0 || request.acknowledge) {
    fail(fmt::format("used tag {} again in cycle {} before its request was done", tag, cycle));
  }
  if (count == 0 || count > disk_.max_request_sectors) {
    fail(fmt::format("asked for {} sectors in cycle {}, expected 1 to {}", count, cycle,
                     disk_.max_request_sectors));
  }
  request.write = req_write_();
  request.sector = static_cast<uint32_t>(req_sector_());
  request.beats = count * kBeatsPerSector;
  if (disk_.requests) disk_.requests->begin(tag, request.write, request.sector, count, cycle);
  if (request.write) {
    ++write_count_;
    sectors_written_ += count;
  } else {
    ++read_count_;
    sectors_read_ += count;
    reads_.push({tag, cycle + disk_.latency_cycles});
  }
}

void BlockDeviceDriver::take_write_beat(uint64_t cycle) {
  const auto tag = static_cast<uint8_t>(wdata_tag_());
  Request &request = requests_[tag];
  if (request.beats == 0 || !request.write) {
    fail(fmt::format("sent write data for tag {} in cycle {} without a request", tag, cycle));
  }
  const uint32_t beat = (kBeatsPerSector - request.beats % kBeatsPerSector) % kBeatsPerSector;
  const uint64_t bits = wdata_bits_();
  std::memcpy(request.data + beat * 8, &bits, 8);
  --request.beats;
  if (beat == kBeatsPerSector - 1) disk_.store->write(request.sector++, request.data);
  if (request.beats == 0) {
    request.acknowledge = true;
    acknowledgements_.push({tag, cycle + disk_.latency_cycles});
  }
}

void BlockDeviceDriver::offer_read_beat(uint64_t cycle) {
  const uint8_t tag = reads_.front().tag;
  Request *request = &requests_[tag];
  if (rdata_valid_.value() != 0) {
    if (!rdata_ready_()) return;
    if (--request->beats == 0) {
      if (disk_.requests) disk_.requests->end(reads_.front().tag, cycle + 1);
      reads_.pop();
    }
    rdata_valid_.set(0);
    if (reads_.count == 0) return;
    request = &requests_[reads_.front().tag];
  }
  if (cycle + 1 < reads_.front().cycle) return;
  FIRESIM_CHECK(request->beats != 0, "a read in the queue has beats left");
  const uint32_t beat = (kBeatsPerSector - request->beats % kBeatsPerSector) % kBeatsPerSector;
  if (beat == 0) disk_.store->read(request->sector++, request->data);
  uint64_t bits;
  std::memcpy(&bits, request->data + beat * 8, 8);
  rdata_valid_.set(1);
  rdata_bits_.set(bits);
  rdata_tag_.set(reads_.front().tag);
}

void BlockDeviceDriver::offer_acknowledgement(uint64_t cycle) {
  if (wack_valid_.value() != 0) {
    if (!wack_ready_()) return;
    requests_[acknowledgements_.front().tag].acknowledge = false;
    if (disk_.requests) disk_.requests->end(acknowledgements_.front().tag, cycle + 1);
    acknowledgements_.pop();
    wack_valid_.set(0);
    if (acknowledgements_.count == 0) return;
  }
  if (cycle + 1 < acknowledgements_.front().cycle) return;
  wack_valid_.set(1);
  wack_tag_.set(acknowledgements_.front().tag);
}

nlohmann::json BlockDeviceDriver::statistics() const {
  return {{"reads", read_count_},
          {"writes", write_count_},
          {"sectors_read", sectors_read_},
          {"sectors_written", sectors_written_}};
}

void BlockDeviceDriver::save(StateWriter &state) const {
  state.section("block_device", 1);
  // Not what the configuration says of the device: latency, size and longest request.
  for (const InputPort *port : {&req_ready_, &wdata_ready_, &rdata_valid_, &rdata_bits_,
                                &rdata_tag_, &wack_valid_, &wack_tag_}) {
    port->save(state);
  }
  for (const Request &request : requests_) {
    const bool active = request.beats != 0 || request.acknowledge;
    state.boolean(active);
    if (!active) continue;
    state.u64(request.beats);
    state.u64(request.sector);
    state.boolean(request.write);
    state.boolean(request.acknowledge);
    state.bytes(request.data, kSectorBytes);
  }
  for (const Queue *queue : {&reads_, &acknowledgements_}) {
    state.u64(queue->count);
    for (size_t i = 0; i < queue->count; ++i) {
      const Due &due = queue->items[(queue->head + i) % kTags];
      state.u64(due.tag);
      state.u64(due.cycle);
    }
  }
  for (const uint64_t count : {read_count_, write_count_, sectors_read_, sectors_written_}) {
    state.u64(count);
  }
  disk_.store->save(state);
}

void BlockDeviceDriver::load(StateReader &state) {
  state.section("block_device", 1);
  for (InputPort *port : {&req_ready_, &wdata_ready_, &rdata_valid_, &rdata_bits_, &rdata_tag_,
                          &wack_valid_, &wack_tag_}) {
    port->load(state);
  }
  for (Request &request : requests_) {
    if (!state.boolean()) continue;
    request.beats = static_cast<uint32_t>(state.u64(UINT32_MAX));
    request.sector = static_cast<uint32_t>(state.u64(UINT32_MAX));
    request.write = state.boolean();
    request.acknowledge = state.boolean();
    state.bytes_into(request.data, kSectorBytes);
  }
  for (Queue *queue : {&reads_, &acknowledgements_}) {
    for (uint64_t left = state.u64(kTags); left > 0; --left) {
      const auto tag = static_cast<uint8_t>(state.u64(kTags - 1));
      queue->push({tag, state.u64()});
    }
  }
  for (uint64_t *count : {&read_count_, &write_count_, &sectors_read_, &sectors_written_}) {
    *count = state.u64();
  }
  disk_.store->load(state);
}

void BlockDeviceDriver::start_warm(WarmStart &start, uint64_t) {
  StateReader state("warm start", start.disk);
  disk_.store->load(state);
  state.finish();
}

void register_block_device(DriverRegistry &registry) {
  registry.add<BlockDeviceDriver>("block_device");
}

}  // namespace firesim::bridges
