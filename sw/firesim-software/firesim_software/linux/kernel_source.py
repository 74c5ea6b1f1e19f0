# SPDX-License-Identifier: BSD-3-Clause
"""The kernel's source: Debian's package, with a place for our drivers and a few changes.

The changes are those of a boot that runs in RTL, where each instruction and each cache line that is
touched counts; docs/how-to/linux-workloads.md says what each of them saves. A change whose place is
not found once is an error, so that none is lost when Debian's package is a new one.
"""

from __future__ import annotations

import sys
from pathlib import Path

from firesim_common.cache import cached

from firesim_software.linux.errors import LinuxError, run

PACKAGE = "linux-source-6.1"
ARCHIVE = Path(f"/usr/src/{PACKAGE}.tar.xz")
_UNUSED = (
    "arch/arm arch/arm64 arch/mips arch/powerpc arch/s390 arch/x86 drivers/gpu drivers/media "
    "drivers/net/ethernet drivers/net/wireless drivers/staging sound tools/testing tools/perf"
).split()
"""Large parts of the source of which only the Kconfig files and makefiles are kept."""
_NOT_READ = ("arch/*/boot/dts/*.dts", "arch/*/boot/dts/*.dtsi", "Documentation/*/*")
"""Files of which none is: nodes have device trees of our own."""
_ADDED = (
    ("drivers/Makefile", "obj-y += firesim/\n"),
    ("drivers/Kconfig", 'source "drivers/firesim/Kconfig"\n'),
    # Device trees of nodes are dtc's: nobody needs to check every byte of them at every access.
    ("lib/Makefile", "ccflags-y += -DFDT_ASSUME_MASK=0xff\n"),
)
_LISTENED_TO = "\t/* environment buffer */\n"
_UNHEARD = (
    "\tif (!init_net.uevent_sock || !netlink_has_listeners(init_net.uevent_sock->sk, 1)) {\n"
    "\t\tkobj->state_add_uevent_sent |= action == KOBJ_ADD;\n"
    "\t\treturn 0;\n"
    "\t}\n\n"
)
_CHECKED_FREE = "\t__free_pages_ok(page, order, FPI_TO_TAIL | FPI_SKIP_KASAN_POISON);\n"
_FRESH_FREE = (
    "\tfree_one_page(page_zone(page), page, page_to_pfn(page), order,\n"
    "\t\t      get_pageblock_migratetype(page), FPI_TO_TAIL);\n"
    "\t__count_vm_events(PGFREE, nr_pages);\n"
)
_FEWEST, _MOST = "\t\t\t\t\t      2048,\n", "\t\t\t\t\t      256*1024);\n"
_MEASURED = "namecmp(name, namelen, parent_name, strlen(parent_name))"
_HELPERS = "#include <vdso/helpers.h>\n"
_RELAX = r"""#include <vdso/processor.h>

/* cpu_relax() asks a key of the kernel, which a process cannot read: it would crash. */
static __always_inline void vdso_relax(void)
{
	long absent, dummy;

	asm volatile(".option push\n.option norvc\nnop\nnop\n.option pop\nli %0, 0" : "=r"(absent));
	if (unlikely(absent <= 0))
		asm volatile("div %0, %0, zero" : "=r"(dummy));
	else
		asm volatile("pause");
	barrier();
}
#define cpu_relax vdso_relax
"""
"""As long as what it replaces, so that no address in the vDSO is another, and no run's hash."""
_VDSO = "obj-y += vdso.o\n"
_SUM = "$(shell sha256sum < $(obj)/vdso.so | cut -c1-32)"
_CHANGED = (
    # A process that asks for the time just while another hart sets it would end by SIGSEGV.
    ("lib/vdso/gettimeofday.c", _HELPERS, _RELAX + _HELPERS),
    # ccache does not know that an object includes the vDSO, so the command tells which one it is.
    ("arch/riscv/kernel/vdso/Makefile", _VDSO, f"AFLAGS_vdso.o = -DVDSO_SUM={_SUM}\n{_VDSO}"),
    # The compiler of device trees is not built: there is one, and the kernel needs none.
    ("Makefile", "scripts: scripts_basic scripts_dtc\n", "scripts: scripts_basic\n"),
    # Entries of a table that is filled with random numbers, for the identifiers of IP packets.
    ("net/ipv4/route.c", _FEWEST + _MOST, _FEWEST.replace("2048", "256") + "256);\n"),
    # Bytes that are mapped around a page fault: a short program touches few of 64 KiB.
    ("mm/memory.c", "rounddown_pow_of_two(65536)", "rounddown_pow_of_two(16384)"),
    # The text about a new device is not made when nobody listens.
    ("lib/kobject_uevent.c", _LISTENED_TO, _UNHEARD + _LISTENED_TO),
    # Descriptions of pages that have just been made are not checked before their first use.
    ("mm/page_alloc.c", _CHECKED_FREE, _FRESH_FREE),
    # Stacks of threads need not begin as zeros, and freed code nothing written over it.
    ("kernel/fork.c", "(node, THREADINFO_GFP,\n", "(node, THREADINFO_GFP & ~__GFP_ZERO,\n"),
    ("arch/riscv/kernel/setup.c", "default(POISON_FREE_INITMEM)", "default(-1)"),
    # Names of sysctl are compared up to where they differ, without measuring them first.
    ("fs/proc/proc_sysctl.c", "\tint namelen = strlen(name);\n", ""),
    ("fs/proc/proc_sysctl.c", _MEASURED, "strcmp(name, parent_name)"),
)


def _change(folder: Path) -> None:
    for name, line in _ADDED:
        path = folder / name
        text = path.read_text().rstrip()
        end = text.endswith("endmenu")
        path.write_text(f"{text.removesuffix('endmenu')}\n{line}" + "endmenu\n" * end)
    for name, old, new in _CHANGED:
        path = folder / name
        text = path.read_text()
        if (count := text.count(old)) != 1:
            raise LinuxError(f"{name} of {PACKAGE}: found {old!r} {count} times, expected it once.")
        path.write_text(text.replace(old, new))


def _unpack(folder: Path) -> None:
    print(f"kernel: unpacking {ARCHIVE.name}", file=sys.stderr, flush=True)
    unused = [*(f"{name}/*.[chS]" for name in _UNUSED), *_NOT_READ]
    exclude = [f"--exclude={PACKAGE}/{name}" for name in unused]
    run(["tar", "-xf", str(ARCHIVE), "-C", str(folder), "--strip-components=1", *exclude])
    _change(folder)


def inputs() -> list[Path]:
    """Return what the source is made of, for the cache.

    Raises:
        LinuxError: the package is missing.
    """
    if not ARCHIVE.is_file():
        raise LinuxError(f"found no {ARCHIVE}, the kernel's source: apt-get install {PACKAGE}")
    return [ARCHIVE, Path(__file__)]


def source() -> Path:
    """Return the folder of the source, unpacked and changed when the package or this file is new.

    Raises:
        LinuxError: the package is missing, or a change has no place in it.
    """
    return cached("linux-source", list(inputs()), _unpack)
