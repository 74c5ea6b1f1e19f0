// SPDX-License-Identifier: BSD-3-Clause
// Tasks of Linux; see linux_guest.h.
//
// In the kernel, the thread pointer is the address of the running task; in user mode sscratch has
// it. Addresses are translated by the tables that the hart uses: each has the kernel's pages.
#include "traces/linux_guest.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

namespace firesim::traces {
namespace {

constexpr size_t kMostMaps = 4096;
constexpr uint32_t kMostReads = 8;  // of a map, for places that are not in it
constexpr uint32_t kMostPid = 1 << 22;
constexpr std::string_view kModuleEnd = ".ko";

// Of files by their paths on the node, those of modules by the modules' names.
std::map<std::string, std::filesystem::path> module_files(
    const std::map<std::string, std::filesystem::path> &files) {
  std::map<std::string, std::filesystem::path> found;
  for (const auto &[path, file] : files) {
    if (!path.ends_with(kModuleEnd)) continue;
    std::string name = path.substr(path.rfind('/') + 1);
    name.resize(name.size() - kModuleEnd.size());
    std::replace(name.begin(), name.end(), '-', '_');
    found[name] = file;
  }
  return found;
}

}  // namespace

LinuxNode::LinuxNode(const nlohmann::json &config, const std::string &where,
                     const SimulationContext &simulation, SymbolTable &symbols,
                     FrameDetail detail) {
  devices::Config item(config, where);
  types_ = LinuxTypes::read(simulation.input_path(item.required_text("types")), where);
  registers_ = item.child("registers");
  std::map<std::string, std::filesystem::path> files;
  const nlohmann::json &listed = item.child("files");
  if (!listed.is_null() && !listed.is_array()) item.fail("files", "a list of files");
  for (const nlohmann::json &each : listed) {
    devices::Config one(each, item.child_where("files"));
    const std::string path = one.required_text("path");
    files[path] = simulation.input_path(one.required_text("file"));
    one.finish();
  }
  item.finish();
  program_ = symbols.intern("[user]");
  modules_ = std::make_unique<ModuleFunctions>(symbols, types_.modules, module_files(files), where,
                                               detail);
  files_ = std::make_unique<UserFiles>(symbols, std::move(files), where, detail);
}

const Mapping *LinuxNode::Map::at(uint64_t pc) const {
  const auto found = std::find_if(mappings.begin(), mappings.end(), [pc](const Mapping &each) {
    return pc >= each.start && pc < each.end;
  });
  return found == mappings.end() ? nullptr : &*found;
}

std::optional<PlaceRange> LinuxNode::place(const KernelMemory &memory, uint64_t space, uint64_t pc,
                                           uint32_t function) {
  if (pc >= kKernel) return modules_->place(memory, pc, function);
  if (space == 0) return std::nullopt;
  const auto known = maps_.find(space);
  if (known == maps_.end() && (place_space_ != space || place_changes_ != map_changes_)) {
    place_map_.mappings = executable_mappings(memory, types_, space);
    place_space_ = space;
    place_changes_ = map_changes_;
  }
  const Mapping *found = known == maps_.end() ? place_map_.at(pc) : known->second.at(pc);
  if (found == nullptr || files_->find(*found, pc).function != function) return std::nullopt;
  return files_->place(*found, pc);
}

CodeRange LinuxNode::find(const KernelMemory &memory, uint64_t space, uint64_t pc) {
  Found &last = found_[pc / 2 % kFound];
  if (last.space == space && last.pc == pc && last.map_changes == map_changes_) return last.range;
  if (maps_.size() >= kMostMaps && !maps_.contains(space)) maps_.clear();
  const auto [place, is_new] = maps_.try_emplace(space);
  Map &map = place->second;
  if (is_new) {
    ++map_changes_;
    map.mappings = executable_mappings(memory, types_, space);
  }
  const Mapping *found = map.at(pc);
  // The kernel may have been in the middle of a change.
  if (found == nullptr && map.reads < kMostReads) {
    ++map.reads;
    ++map_changes_;
    map.mappings = executable_mappings(memory, types_, space);
    found = map.at(pc);
  }
  if (found != nullptr) {
    last = {space, pc, map_changes_, files_->find(*found, pc)};
    return last.range;
  }
  // Up to where something is known.
  CodeRange gap{0, kKernel, program_};
  for (const Mapping &each : map.mappings) {
    if (each.end <= pc) gap.low = std::max(gap.low, each.end);
    if (each.start > pc) gap.high = std::min(gap.high, each.start);
  }
  return gap;
}

std::optional<GuestTask> LinuxHart::task_at(uint64_t address) const {
  if (address < kKernel || address % 8 != 0) return std::nullopt;
  const KernelMemory memory = this->memory();
  const LinuxTypes &types = node_->types();
  const uint32_t pid = memory.half(address + types.task_pid);
  const uint32_t tgid = memory.half(address + types.task_tgid);
  std::string name = memory.text(address + types.task_comm, types.comm_bytes);
  if (name.empty() || pid >= kMostPid || tgid >= kMostPid) return std::nullopt;
  for (char &each : name) {
    if (each < ' ' || each == ';' || each > '~') each = '?';
  }
  name += pid == tgid ? fmt::format("-{}", pid) : fmt::format("-{}/{}", tgid, pid);
  return GuestTask{address, memory.word(address + types.task_mm), name};
}

std::optional<NewTask> LinuxHart::woken() const {
  const std::optional<GuestTask> task = task_at(value_of("x10"));
  const std::optional<GuestTask> maker = task_at(value_of("x4"));
  if (!task || !maker) return std::nullopt;
  // Who shares its maker's memory and is not waited for has another stack.
  const bool waits = memory().word(task->id + node_->types().task_vfork_done) != 0;
  return NewTask{*task, task->space == maker->space && !waits};
}

uint64_t LinuxHart::system_call() const { return value_of("x17"); }

std::string LinuxHart::system_call_name(uint64_t number) const {
  const auto found = node_->types().system_calls.find(number);
  return found == node_->types().system_calls.end() ? "" : found->second;
}

std::optional<PlaceRange> LinuxHart::place(uint64_t space, uint64_t pc, uint32_t function) {
  return node_->place(memory(), space, pc, function);
}

CodeRange LinuxHart::find_in_modules(uint64_t pc, const CodeRange &gap) {
  return pc < kKernel ? gap : node_->find_in_modules(memory(), pc, gap);
}

CodeRange LinuxHart::find(uint64_t space, uint64_t pc) { return node_->find(memory(), space, pc); }

}  // namespace firesim::traces
