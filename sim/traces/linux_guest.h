// SPDX-License-Identifier: BSD-3-Clause
// Tasks and programs of a node with Linux, read from its registers and memory by the types of its
// kernel. Nothing on the node is changed.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/debug_target.h"
#include "core/registry.h"
#include "devices/config.h"
#include "traces/guest_os.h"
#include "traces/linux_maps.h"
#include "traces/linux_modules.h"
#include "traces/linux_types.h"
#include "traces/user_files.h"

namespace firesim::traces {

// What the harts of a node share.
class LinuxNode {
 public:
  // `config` has the keys types (a file), files (by path on the node) and registers (where they are
  // in the RTL, as a debugger wants it; null for a node that knows). Throws ConfigError.
  LinuxNode(const nlohmann::json &config, const std::string &where,
            const SimulationContext &simulation, SymbolTable &symbols, FrameDetail detail);

  const LinuxTypes &types() const { return types_; }
  const nlohmann::json &registers() const { return registers_; }
  TaskStacks &stacks() { return stacks_; }

  CodeRange find(const KernelMemory &memory, uint64_t space, uint64_t pc);
  CodeRange find_in_modules(const KernelMemory &memory, uint64_t pc, const CodeRange &gap) {
    return modules_->find(memory, pc, gap);
  }
  // Maps that find() has not read are read for this alone: find() says what it would say without.
  std::optional<PlaceRange> place(const KernelMemory &memory, uint64_t space, uint64_t pc,
                                  uint32_t function);
  uint64_t map_changes() const { return map_changes_ + modules_->changes(); }
  void forget_map(uint64_t space) {
    maps_.erase(space);
    ++map_changes_;
  }
  void forget_modules() { modules_->forget(); }

 private:
  struct Map {
    std::vector<Mapping> mappings;
    uint32_t reads = 0;  // that did not have what was looked for

    const Mapping *at(uint64_t pc) const;  // null for none
  };

  // What was found last, by place: mostly begins of functions.
  struct Found {
    uint64_t space = 0;
    uint64_t pc = 0;
    uint64_t map_changes = 0;  // as of then
    CodeRange range;
  };
  static constexpr size_t kFound = 1024;

  LinuxTypes types_;
  nlohmann::json registers_;
  std::unique_ptr<UserFiles> files_;
  std::unique_ptr<ModuleFunctions> modules_;
  uint32_t program_ = 0;          // function of what lies in no map
  std::map<uint64_t, Map> maps_;  // by space
  Map place_map_;                 // of `place_space_`, as of `place_changes_`
  uint64_t place_space_ = 0, place_changes_ = 0;
  uint64_t map_changes_ = 0;
  std::vector<Found> found_ = std::vector<Found>(kFound);
  TaskStacks stacks_;
};

// A hart of it.
class LinuxHart final : public GuestOs {
 public:
  LinuxHart(std::shared_ptr<LinuxNode> node, uint32_t hart) : node_(std::move(node)), hart_(hart) {}
  // Before the first commit.
  void look_at(const DebugTarget &target) { target_ = &target; }

  std::optional<GuestTask> in_kernel() const override { return task_at(value_of("x4")); }
  std::optional<GuestTask> in_user() const override { return task_at(value_of("sscratch")); }
  std::optional<NewTask> woken() const override;
  uint64_t system_call() const override;
  std::string system_call_name(uint64_t number) const override;
  CodeRange find(uint64_t space, uint64_t pc) override;
  CodeRange find_in_modules(uint64_t pc, const CodeRange &gap) override;
  void forget_map(uint64_t space) override { node_->forget_map(space); }
  void forget_modules() override { node_->forget_modules(); }
  std::optional<PlaceRange> place(uint64_t space, uint64_t pc, uint32_t function) override;
  uint64_t map_changes() const override { return node_->map_changes(); }

 private:
  uint64_t value_of(const char *name) const { return target_->register_value(hart_, name); }
  KernelMemory memory() const { return {*target_, value_of("satp")}; }
  std::optional<GuestTask> task_at(uint64_t address) const;

  const std::shared_ptr<LinuxNode> node_;
  const uint32_t hart_;
  const DebugTarget *target_ = nullptr;
};

}  // namespace firesim::traces
