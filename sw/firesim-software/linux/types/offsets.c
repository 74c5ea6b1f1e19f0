// SPDX-License-Identifier: BSD-3-Clause
// Where the fields are that tell what runs on a node, for whoever reads its memory from outside:
// compiled with the kernel's own headers and configuration, read as assembly by
// firesim_software/linux/kernel_types.py, never linked.
#include <linux/dcache.h>
#include <linux/fs.h>
#include <linux/maple_tree.h>
#include <linux/mm.h>
#include <linux/mm_types.h>
#include <linux/module.h>
#include <linux/sched.h>

#define SAY(name, value) asm volatile("\n.ascii \"->" name " %0\"" : : "i"(value))
#define FIELD(type, field) SAY(#type "." #field, offsetof(struct type, field))

void firesim_offsets(void);
void firesim_offsets(void) {
  FIELD(task_struct, comm);
  FIELD(task_struct, pid);
  FIELD(task_struct, tgid);
  FIELD(task_struct, mm);
  FIELD(task_struct, vfork_done);
  FIELD(mm_struct, mm_mt.ma_root);
  FIELD(mm_struct, context.vdso);
  FIELD(vm_area_struct, vm_start);
  FIELD(vm_area_struct, vm_end);
  FIELD(vm_area_struct, vm_pgoff);
  FIELD(vm_area_struct, vm_flags);
  FIELD(vm_area_struct, vm_file);
  FIELD(file, f_path.dentry);
  FIELD(dentry, d_parent);
  FIELD(dentry, d_name.name);
  FIELD(dentry, d_name.len);
  FIELD(maple_range_64, pivot);
  FIELD(maple_range_64, slot);
  FIELD(maple_arange_64, pivot);
  FIELD(maple_arange_64, slot);
  SAY("maple_range_64.slots", MAPLE_RANGE64_SLOTS);
  SAY("maple_arange_64.slots", MAPLE_ARANGE64_SLOTS);
  SAY("comm_bytes", TASK_COMM_LEN);
  SAY("vm_exec", VM_EXEC);
#if defined(CONFIG_MODULES) && defined(CONFIG_KALLSYMS)
  FIELD(module, list);
  FIELD(module, state);
  FIELD(module, name);
  FIELD(module, core_layout);
  FIELD(module, init_layout);
  FIELD(module, kallsyms);
  FIELD(module_layout, base);
  FIELD(module_layout, text_size);
  FIELD(mod_kallsyms, symtab);
  FIELD(mod_kallsyms, num_symtab);
  FIELD(mod_kallsyms, strtab);
  FIELD(mod_kallsyms, typetab);
  SAY("module_name_bytes", MODULE_NAME_LEN);
  SAY("module_unformed", MODULE_STATE_UNFORMED);
#endif
}
