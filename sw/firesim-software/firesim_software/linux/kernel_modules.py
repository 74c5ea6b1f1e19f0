# SPDX-License-Identifier: BSD-3-Clause
"""Builds our own modules for kernels that load some: `linux/modules/NAME`, cached by content.

All of them are built in one go, beside the kernel and not with it: a module that changes makes
nobody build a kernel. Profilers get a file in which a module's sections have addresses of their
own, since DWARF of an object that is yet to be linked does not say which section it means.
"""

from __future__ import annotations

import shutil
import sys
from functools import partial
from pathlib import Path

from firesim_common.cache import KeyPart, cached
from firesim_common.paths import plain_work

from firesim_software.linux import kernel_source
from firesim_software.linux.errors import LinuxError, run
from firesim_software.linux.guest import FOLDER as PROGRAMS
from firesim_software.linux.kernel import CROSS, DRIVERS, JOBS, LINUX
from firesim_software.linux.kernel_variant import (
    configured_tree,
    has_modules,
    named_kernel,
    parts,
)

MODULES = LINUX / "modules"
SHARED = (MODULES / "calls.h", *(PROGRAMS / f"{name}.h" for name in ("work", "measure", "cycles")))
"""Headers that all modules find beside them."""
_FIRST_ADDRESS = 0x1_0000


def module_names() -> list[str]:
    """Return the names of all modules, sorted."""
    return sorted(path.name for path in MODULES.iterdir() if path.is_dir())


def place_of_module(name: str) -> str:
    """Return where a module of ours is on a node, without the first `/`."""
    return f"usr/lib/modules/{name}.ko"


def _compile(kernel: str, tree: Path) -> Path:
    """Compile all modules in a tree of a kernel's source; return the folder that has them."""
    configured_tree(kernel, tree)
    ours = tree / "firesim-modules"
    ours.mkdir()
    sources = [path for name in module_names() for path in (MODULES / name).glob("*.c")]
    for path in [*SHARED, *sources]:
        shutil.copy2(path, ours)
    (ours / "Kbuild").write_text("".join(f"obj-m += {name}.o\n" for name in module_names()))
    debug = f"-g -fdebug-prefix-map={tree}=/usr/src/linux"
    environment = {
        "ARCH": "riscv",
        "CROSS_COMPILE": CROSS,
        "LC_ALL": "C",
        # The kernel's own symbols are known to who loads a module.
        "KBUILD_MODPOST_WARN": "1",
    }
    make = ["make", "-s", f"-j{JOBS}", "O=build", f"KCFLAGS={debug}"]
    run([*make, "olddefconfig", "modules_prepare"], cwd=tree, environment=environment)
    run([*make, f"M={ours}", "modules"], cwd=tree, environment=environment)
    return ours


def _build(kernel: str, folder: Path) -> None:
    print(f'kernel "{kernel}": building modules', file=sys.stderr, flush=True)
    with plain_work(folder) as work:
        tree = work / "modules-tree"
        ours = _compile(kernel, tree)
        script = tree / "apart.lds"
        script.write_text(f"SECTIONS {{ . = {_FIRST_ADDRESS:#x}; }}\n")
        for name in module_names():
            module = ours / f"{name}.ko"
            options = ["--no-relax", "--unresolved-symbols=ignore-all", "-e", "0"]
            linked = ["-T", str(script), "-o", str(folder / f"{name}.linked"), str(module)]
            run([f"{CROSS}ld", *options, *linked])
            run([f"{CROSS}strip", "-g", "-o", str(folder / module.name), str(module)])
        shutil.rmtree(tree)


def kernel_module(name: str, kernel: str, *, symbols: bool = False) -> Path:
    """Return a module of ours for a kernel, built when either is new.

    With `symbols` it is not what nodes load, but the same code linked, with DWARF.

    Raises:
        LinuxError: there is no such module, the kernel loads none, or it does not compile.
    """
    if name not in module_names():
        names = ", ".join(module_names())
        raise LinuxError(f'found no module "{name}" in {MODULES}, expected any of: {names}.')
    if not has_modules(kernel):
        raise LinuxError(f'module "{name}": kernel "{kernel}" loads no modules.')
    version = run([f"{CROSS}gcc", "--version"]).splitlines()[0]
    key: list[KeyPart] = [version, *kernel_source.inputs(), named_kernel(kernel).config, DRIVERS]
    key += [*parts(kernel), MODULES, *SHARED, Path(__file__)]
    folder = cached("linux-modules", key, partial(_build, kernel))
    return folder / (f"{name}.linked" if symbols else f"{name}.ko")
