// SPDX-License-Identifier: BSD-3-Clause
// Types of a kernel; see linux_types.h.
#include "traces/linux_types.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "core/json_reader.h"
#include "devices/config.h"

namespace firesim::traces {

using devices::Config;
using devices::ConfigError;
namespace {

constexpr uint32_t kMostOffset = 1 << 16;
constexpr uint32_t kMostSlots = 32;
constexpr uint32_t kMostNameBytes = 256;
constexpr uint64_t kMostCall = 4096;

// Reads fields that are offsets, or other small numbers.
struct FieldReader {
  Config &fields;

  uint32_t operator()(const char *name, uint32_t most = kMostOffset) const {
    return static_cast<uint32_t>(fields.required_integer(name, 0, most));
  }
};

ModuleTypes module_types(Config &fields) {
  const FieldReader field{fields};
  ModuleTypes types{};
  types.head = fields.required_integer("modules", kKernel, UINT64_MAX);
  types.list = field("module.list");
  types.state = field("module.state");
  types.name = field("module.name");
  types.core = field("module.core_layout");
  types.init = field("module.init_layout");
  types.symbols = field("module.kallsyms");
  types.layout_base = field("module_layout.base");
  types.layout_text = field("module_layout.text_size");
  types.table = field("mod_kallsyms.symtab");
  types.table_count = field("mod_kallsyms.num_symtab");
  types.names = field("mod_kallsyms.strtab");
  types.kinds = field("mod_kallsyms.typetab");
  types.name_bytes = field("module_name_bytes", kMostNameBytes);
  types.unformed = field("module_unformed");
  return types;
}

}  // namespace

LinuxTypes LinuxTypes::read(const std::filesystem::path &file, const std::string &where) {
  const nlohmann::json content = read_json_file(file, kManifestLimits);
  const std::string place = fmt::format("{}: {}", where, file.string());
  if (!content.is_object()) {
    throw ConfigError(place + ": found no JSON object, expected the types of a kernel");
  }
  Config whole(content, place);
  Config fields(whole.child("fields"), whole.child_where("fields"));
  const FieldReader field{fields};
  LinuxTypes types{};
  types.task_comm = field("task_struct.comm");
  types.task_pid = field("task_struct.pid");
  types.task_tgid = field("task_struct.tgid");
  types.task_mm = field("task_struct.mm");
  types.task_vfork_done = field("task_struct.vfork_done");
  types.mm_root = field("mm_struct.mm_mt.ma_root");
  types.mm_vdso = field("mm_struct.context.vdso");
  types.area_start = field("vm_area_struct.vm_start");
  types.area_end = field("vm_area_struct.vm_end");
  types.area_page = field("vm_area_struct.vm_pgoff");
  types.area_flags = field("vm_area_struct.vm_flags");
  types.area_file = field("vm_area_struct.vm_file");
  types.file_dentry = field("file.f_path.dentry");
  types.dentry_parent = field("dentry.d_parent");
  types.dentry_name = field("dentry.d_name.name");
  types.dentry_length = field("dentry.d_name.len");
  types.range_pivot = field("maple_range_64.pivot");
  types.range_slot = field("maple_range_64.slot");
  types.range_slots = field("maple_range_64.slots", kMostSlots);
  types.gap_pivot = field("maple_arange_64.pivot");
  types.gap_slot = field("maple_arange_64.slot");
  types.gap_slots = field("maple_arange_64.slots", kMostSlots);
  types.comm_bytes = field("comm_bytes", kMostNameBytes);
  types.executable = fields.required_integer("vm_exec", 1, UINT64_MAX);
  if (fields.has("modules")) types.modules = module_types(fields);
  fields.finish();
  for (const auto &[number, name] : whole.child("system_calls").items()) {
    const bool is_number = !number.empty() && number.size() <= 4 &&
                           number.find_first_not_of("0123456789") == std::string::npos &&
                           name.is_string();
    if (!is_number || std::stoull(number) > kMostCall) {
      whole.fail("system_calls", "names by numbers");
    }
    types.system_calls[std::stoull(number)] = name.get<std::string>();
  }
  whole.finish();
  return types;
}

}  // namespace firesim::traces
