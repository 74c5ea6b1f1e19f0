// SPDX-License-Identifier: BSD-3-Clause
// From a functional blade to RTL; see warm_start.h.
#include "functional/warm_start/warm_start.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "functional/blade/blade_model.h"
#include "functional/warm_start/machine_state.h"
#include "functional/warm_start/restore_program.h"

namespace firesim::functional {
namespace {

// How long a blade may take to become fit: ten milliseconds of target time.
constexpr uint64_t kMostExtraCycles = 32'000'000;
// Steps between two looks. Their lengths differ, so that a loop of the guest is not always met in
// the same place.
constexpr uint64_t kLeastStepCycles = 509, kStepLengths = 61;

// The functional blade has the devices of the RTL blade, but nothing on the host.
nlohmann::json without_host(const nlohmann::json &bridges) {
  nlohmann::json changed = bridges;
  changed["uart"] = nlohmann::json::object();
  if (changed.contains("block_device") && changed["block_device"].is_object()) {
    changed["block_device"].erase("overlay");
  }
  const auto without_rtl = [](nlohmann::json &nic) {
    if (!nic.is_object()) return;
    nic.erase("announce");
    nic.erase("bridge");
  };
  if (nlohmann::json &nics = changed["nic"]; nics.is_array()) {
    for (nlohmann::json &nic : nics) without_rtl(nic);
  } else {
    without_rtl(nics);
  }
  changed["memory"].erase("load");
  changed["tracerv"] = nullptr;
  return changed;
}

// Options of our own devices are in their states.
nlohmann::json without_our_options(const nlohmann::json &parts) {
  nlohmann::json changed = parts;
  for (nlohmann::json &part : changed) {
    if (part.contains("library")) continue;
    part.erase("options");
    part.erase("more_interrupts");
  }
  return changed;
}

FunctionalBlade make_blade(StateReader &state, const devices::WarmStartSource &source,
                           const nlohmann::json &own_parts) {
  const Shape shape = Shape::load(state);
  const nlohmann::json parts = without_our_options(own_parts);
  const std::string found = unusual(read_parts(parts, source.node + ": parts", source.simulation));
  if (shape.parts != found) {
    const auto text = [](const std::string &of) { return of.empty() ? "those of rocket-1" : of; };
    state.fail(fmt::format("cannot be continued in RTL: its parts are {}, expected {}",
                           text(shape.parts), text(found)));
  }
  return FunctionalBlade({{"name", source.node},
                          {"kind", "functional"},
                          {"cores", shape.harts},
                          {"floating_point", shape.features.floats},
                          {"supervisor_mode", shape.features.supervisor},
                          {"address_bits", shape.address_bits},
                          {"cycles_per_instruction", shape.cycles_per_instruction},
                          {"quantum_cycles", shape.quantum_cycles},
                          {"parts", parts},
                          {"bridges", without_host(source.bridges)}},
                         source.simulation);
}

// Every part must say what brings it to its state.
void check_parts(FunctionalBlade &blade, const StateReader &state) {
  for (const OwnPart &part : blade.bus().own_parts()) {
    if (part.device->carry_over() == nullptr) {
      state.fail("cannot be continued in RTL: the model of its part " + part.name +
                 " has no carry_over(), which says how its registers are restored");
    }
  }
}

// Runs the blade until nothing keeps it from being carried over; returns the cycles that took.
uint64_t run_until_fit(FunctionalBlade &blade, const StateReader &state) {
  const uint64_t start = blade.cycle();
  for (uint64_t step = 0; !blade.blade_end().ended(); ++step) {
    const std::string found = obstacle(blade.harts(), blade.bus(), blade.cycle());
    if (found.empty()) break;
    if (blade.cycle() - start > kMostExtraCycles) {
      state.fail(fmt::format("cannot be continued in RTL: in {} cycles more, {} whenever looked at",
                             kMostExtraCycles, found));
    }
    blade.run_alone(kLeastStepCycles + step % kStepLengths);
  }
  return blade.cycle() - start;
}

// Where so many bytes of memory are zeros, in whole pages, the highest such place; the program's
// own pages are not. Throws SnapshotError when there is none.
uint64_t find_zeros(devices::GuestMemory &memory, uint64_t bytes, const StateReader &state) {
  uint64_t found_bytes = 0;
  for (uint64_t at = memory.base() + memory.size_bytes(); at > kRestoreBase + kRestoreBytes;) {
    at -= kPageBytes;
    const uint8_t *page = memory.at(at);
    const bool is_free =
        std::all_of(page, page + kPageBytes, [](uint8_t byte) { return byte == 0; });
    found_bytes = is_free ? found_bytes + kPageBytes : 0;
    if (found_bytes >= bytes) return at;
  }
  state.fail(
      fmt::format("cannot be continued in RTL: its memory is in use, expected {} bytes of "
                  "zeros where the registers of its parts go for a while",
                  bytes));
}

void put_program(FunctionalBlade &blade, const StateReader &state, devices::WarmStart &start) {
  devices::GuestMemory &memory = *blade.settings().memory;
  if (!memory.contains(kRestoreBase, kRestoreBytes)) {
    state.fail(
        "cannot be continued in RTL: its memory ends before the restore program's at "
        "0x801e0000");
  }
  uint8_t *page = memory.at(kRestoreBase);
  if (std::any_of(page, page + kRestoreBytes, [](uint8_t byte) { return byte != 0; })) {
    state.fail(
        "cannot be continued in RTL: the memory from 0x801e0000 to 0x801effff is in use, "
        "expected zeros where the restore program goes");
  }
  uint64_t entry_content = 0;
  std::memcpy(&entry_content, memory.at(kDramBase), kEntryBytes);
  const MachineState machine = machine_state(blade.harts(), blade.bus(), blade.cycle());
  const uint64_t bytes = table_bytes(machine);
  const uint64_t table = bytes == 0 ? 0 : find_zeros(memory, bytes, state);
  const RestoreProgram program = restore_program(machine, entry_content, table);
  if (!program.fits) {
    state.fail(fmt::format(
        "cannot be continued in RTL: the registers of {} NICs are more than a restore program of "
        "{} KiB can set",
        machine.nics.size(), kRestoreBytes >> 10));
  }
  if (bytes != 0) std::memcpy(memory.at(table), program.table.data(), bytes);
  std::memcpy(memory.at(kDramBase), program.entry.data(), kEntryBytes);
  std::memcpy(page, program.image.data(), program.image.size());
  for (size_t port = 0; port < machine.nics.size(); ++port) {
    start.links[port].sent_by_program = machine.nics[port].send_completions;
  }
  for (const HeldLines &held : machine.caches) {
    start.instruction_lines += held.instructions.lines.size();
    start.data_lines += held.data.lines.size();
  }
}

void hand_over_packets(FunctionalBlade &blade, devices::WarmStart &start) {
  for (size_t port = 0; port < blade.bus().nics(); ++port) {
    const Nic &nic = blade.bus().nic(port);
    devices::WarmLink link;
    link.to_receive = nic.unread(link.discard_packet);
    const std::vector<Flit> &waiting = blade.announcer(port).waiting();
    link.to_receive.insert(link.to_receive.end(), waiting.begin(), waiting.end());
    link.within_packet = blade.announcer(port).within_packet();
    link.to_send = nic.unsent();
    start.links.push_back(std::move(link));
    start.nic_features.push_back(nic.features().word());
  }
}

}  // namespace

devices::WarmStart warm_start(StateReader &state, const devices::WarmStartSource &source,
                              const nlohmann::json &parts) {
  devices::WarmStart start;
  FunctionalBlade blade = make_blade(state, source, parts);
  check_parts(blade, state);
  blade.load_rest(state, source.cycle);
  devices::Console &console = *blade.settings().console;
  console.hold();
  start.harts = blade.harts().size();
  start.extra_cycles = run_until_fit(blade, state);
  start.end = blade.blade_end();
  start.calls = blade.harts().calls();
  start.deterministic = blade.deterministic();
  hand_over_packets(blade, start);
  if (!start.end.ended()) put_program(blade, state, start);
  const std::deque<uint8_t> &received = blade.bus().uart().received();
  console.return_input({received.begin(), received.end()});
  start.printed = console.held();
  console.save(start.console);
  blade.settings().disk->store->save(start.disk);
  start.memory = std::move(blade.settings().memory);
  return start;
}

}  // namespace firesim::functional
