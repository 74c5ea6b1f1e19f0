# SPDX-License-Identifier: BSD-3-Clause
"""Where the kernel's structures have their fields, and what its system calls are called.

Traces read a node's tasks and memory maps from outside, with these. They are made beside the kernel
and not with it, from its source and the configuration that it was built with: the kernel stays as
it is, bit for bit, and a run that does not ask for processes does not wait for them. A kernel that
loads modules has a list of them; its address is in the kernel's symbol table.
"""

from __future__ import annotations

import json
import re
import shutil
import sys
from functools import partial
from pathlib import Path

from firesim_common.cache import KeyPart, cached
from firesim_common.paths import plain_work

from firesim_software.linux import kernel_source
from firesim_software.linux.errors import LinuxError, run
from firesim_software.linux.kernel import CROSS, DRIVERS, JOBS, LINUX
from firesim_software.linux.kernel_variant import USUAL, configured_tree, named_kernel, parts

TYPES = LINUX / "types"
FILE = "types.json"
_SYSTEM_CALLS = "include/uapi/asm-generic/unistd.h"
_FIELD = re.compile(r'->([\w.]+) (\d+)"')
_NUMBER = re.compile(r"^#define __NR(?:3264)?_(\w+) (\d+)$", re.MULTILINE)
_MODULES = re.compile(r"^([0-9a-f]+) \w modules$", re.MULTILINE)


def _system_calls(header: str) -> dict[str, str]:
    """Return the names of system calls by their numbers, as JSON has keys."""
    found: dict[str, str] = {}
    for name, number in _NUMBER.findall(header):
        if name not in ("syscalls", "arch_specific_syscall"):
            found.setdefault(number, name)
    return found


def _build(name: str, folder: Path) -> None:
    print(f'kernel "{name}": reading its types', file=sys.stderr, flush=True)
    with plain_work(folder) as work:
        tree = work / "types-tree"
        configured_tree(name, tree)
        build = tree / "build"
        ours = tree / "firesim-types"
        ours.mkdir()
        shutil.copy2(TYPES / "offsets.c", ours)
        (ours / "Makefile").write_text("obj-y := offsets.o\n")
        environment = {"ARCH": "riscv", "CROSS_COMPILE": CROSS, "LC_ALL": "C"}
        make = ["make", "-s", f"-j{JOBS}", "O=build", "olddefconfig", "prepare"]
        run(make, cwd=tree, environment=environment)
        run(["make", "-s", "O=build", "firesim-types/offsets.s"], cwd=tree, environment=environment)
        text = (build / "firesim-types" / "offsets.s").read_text()
        calls = _system_calls((tree / _SYSTEM_CALLS).read_text())
        shutil.rmtree(tree)
    fields = {field: int(value) for field, value in _FIELD.findall(text)}
    modules = _MODULES.search(named_kernel(name).system_map.read_text())
    if modules and "module.kallsyms" in fields:
        fields["modules"] = int(modules[1], 16)
    if not fields or not calls:
        raise LinuxError(f"{TYPES}: found no fields in what was compiled, expected some.")
    content = {"fields": fields, "system_calls": calls}
    (folder / FILE).write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")


def kernel_types(name: str = USUAL) -> Path:
    """Return the file of types of a kernel, made when either is new.

    Raises:
        LinuxError: there is no kernel of this name, a tool or the source is missing, or the kernel
            does not build.
    """
    version, built = run([f"{CROSS}gcc", "--version"]).splitlines()[0], named_kernel(name)
    key: list[KeyPart] = [version, *kernel_source.inputs(), built.config, built.system_map, DRIVERS]
    key += [*parts(name), TYPES, Path(__file__)]
    return cached("linux-types", key, partial(_build, name)) / FILE
