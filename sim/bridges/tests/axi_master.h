// SPDX-License-Identifier: BSD-3-Clause
// The AXI4 master of the memory tests: queues of bursts to send, and what came back when.
#pragma once

#include <deque>

#include "bench.h"
#include "bridges/memory/memory_driver.h"

namespace firesim::bridges {

inline std::vector<BenchPort> memory_ports(uint32_t data_bits = 64) {
  return {{"aw_valid", 1, false, true},
          {"aw_id", 4, false},
          {"aw_addr", 32, false},
          {"aw_len", 8, false},
          {"aw_size", 3, false},
          {"aw_burst", 2, false},
          {"w_valid", 1, false, true},
          {"w_data", data_bits, false},
          {"w_strb", data_bits / 8, false},
          {"w_last", 1, false},
          {"b_ready", 1, false},
          {"ar_valid", 1, false, true},
          {"ar_id", 4, false},
          {"ar_addr", 32, false},
          {"ar_len", 8, false},
          {"ar_size", 3, false},
          {"ar_burst", 2, false},
          {"r_ready", 1, false},
          {"aw_ready", 1, true},
          {"w_ready", 1, true},
          {"b_valid", 1, true},
          {"b_id", 4, true},
          {"b_resp", 2, true},
          {"ar_ready", 1, true},
          {"r_valid", 1, true},
          {"r_id", 4, true},
          {"r_data", data_bits, true},
          {"r_resp", 2, true},
          {"r_last", 1, true}};
}

class AxiMaster {
 public:
  struct Request {
    uint64_t address;
    uint32_t beats = 1;
    uint32_t id = 0;
    uint32_t size = 3;   // log2 of the beat's bytes
    uint32_t burst = 1;  // INCR
  };
  struct WriteBeat {
    uint64_t data;
    uint64_t strobe = 0xff;
    bool last = true;
  };
  struct ReadBeat {
    uint64_t cycle, data;
    uint32_t id, response;
    bool last;
  };
  struct Response {
    uint64_t cycle;
    uint32_t id, response;
  };

  explicit AxiMaster(const nlohmann::json &extra = {}, uint32_t data_bits = 64)
      : bench("memory", memory_ports(data_bits)) {
    nlohmann::json config = {{"base", 0x80000000u}, {"size_bytes", 1 << 24}};
    if (!extra.is_null()) config.update(extra);
    driver = bench.make<MemoryDriver>(config);
  }

  void read(const Request &request) { read_requests.push_back(request); }
  void write(const Request &request, const std::vector<WriteBeat> &beats) {
    write_requests.push_back(request);
    write_data.insert(write_data.end(), beats.begin(), beats.end());
  }

  // One target cycle: what is offered stays offered until taken, as AXI demands.
  void cycle() {
    drive_requests();
    const bool ar = bench.get("ar_valid") && bench.get("ar_ready");
    const bool aw = bench.get("aw_valid") && bench.get("aw_ready");
    const bool w = bench.get("w_valid") && bench.get("w_ready");
    bench.set("r_ready", r_ready);
    bench.set("b_ready", b_ready);
    if (r_ready && bench.get("r_valid")) {
      beats.push_back({bench.now, bench.get("r_data"), static_cast<uint32_t>(bench.get("r_id")),
                       static_cast<uint32_t>(bench.get("r_resp")), bench.get("r_last") != 0});
    }
    if (b_ready && bench.get("b_valid")) {
      responses.push_back({bench.now, static_cast<uint32_t>(bench.get("b_id")),
                           static_cast<uint32_t>(bench.get("b_resp"))});
    }
    if (ar) {
      read_taken.push_back(bench.now);
      read_requests.pop_front();
    }
    if (aw) write_requests.pop_front();
    if (w) {
      if (write_data.front().last) write_taken.push_back(bench.now);
      write_data.pop_front();
    }
    bench.cycle(*driver);
  }
  void run(uint64_t cycles) {
    for (uint64_t i = 0; i < cycles; ++i) cycle();
  }

  Bench bench;
  std::unique_ptr<MemoryDriver> driver;
  std::deque<Request> read_requests, write_requests;
  std::deque<WriteBeat> write_data;
  std::vector<ReadBeat> beats;
  std::vector<Response> responses;
  std::vector<uint64_t> read_taken;   // cycles of address handshakes
  std::vector<uint64_t> write_taken;  // cycles of last data beats
  bool r_ready = true, b_ready = true;
  bool offer_read = true, offer_write = true, offer_data = true;

 private:
  void drive_requests() {
    drive_address("ar", offer_read, read_requests);
    drive_address("aw", offer_write, write_requests);
    const bool offer = bench.get("w_valid") || offer_data;
    bench.set("w_valid", offer && !write_data.empty());
    if (write_data.empty()) return;
    bench.set("w_data", write_data.front().data);
    bench.set("w_strb", write_data.front().strobe);
    bench.set("w_last", write_data.front().last);
  }
  void drive_address(const std::string &channel, bool offer, const std::deque<Request> &queue) {
    offer = offer || bench.get(channel + "_valid");
    bench.set(channel + "_valid", offer && !queue.empty());
    if (queue.empty()) return;
    bench.set(channel + "_addr", queue.front().address);
    bench.set(channel + "_id", queue.front().id);
    bench.set(channel + "_len", queue.front().beats - 1);
    bench.set(channel + "_size", queue.front().size);
    bench.set(channel + "_burst", queue.front().burst);
  }
};

// `count` beats of data, the last one marked.
inline std::vector<AxiMaster::WriteBeat> write_beats(uint64_t first, uint32_t count) {
  std::vector<AxiMaster::WriteBeat> beats;
  for (uint32_t i = 0; i < count; ++i) beats.push_back({first + i, 0xff, i + 1 == count});
  return beats;
}

}  // namespace firesim::bridges
