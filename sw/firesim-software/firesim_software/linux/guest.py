# SPDX-License-Identifier: BSD-3-Clause
"""Builds our own programs for Linux nodes: `linux/programs/NAME`, static, cached by content.

A folder whose name ends in `.so` is a shared library, which a program opens while it runs.

A program that includes the agent's `system.h` is built as the agent is, without a C library: such
a one is a few kilobytes, which a node in RTL unpacks and starts a million cycles sooner. One that
includes the verbs of RDMA is not static: it takes Debian's libraries, as drivers of RDMA devices
are loaded by them; nor is one that opens libraries. Their workloads have the packages.

What a program shares with other software of ours is in its `shared.txt`: sources that are compiled
with it, and headers, by their paths in `sw/firesim-software`.
"""

from __future__ import annotations

from pathlib import Path

from firesim_common.cache import KeyPart, cached

from firesim_software.builder import LIBRARY
from firesim_software.linux import agent, packages
from firesim_software.linux.errors import LinuxError, run

FOLDER = Path(__file__).resolve().parents[2] / "linux" / "programs"
SYSTEM = '#include "system.h"'
VERBS = "#include <infiniband/verbs.h>"
OPENS = "#include <dlfcn.h>"
SHARED = ".so"
"""How the name of a shared library ends."""
VERBS_PACKAGES = ("libibverbs-dev",)
"""Headers; the library is among the packages that it depends on."""
_LIBRARY = "libibverbs.so.1"
SHARED_HEADERS = tuple(LIBRARY / name for name in ("rdma_messages.h", "ring.h", "splitmix.h"))
"""What programs with verbs share with those of blades without a system."""
SHARED_FILES = "shared.txt"
COMPILER = "riscv64-linux-gnu-gcc"
FLAGS = (
    "-march=rv64imafdc -mabi=lp64d -O2 -std=gnu11 -Wall -Wextra -Werror -static -s "
    "-Wl,--build-id=none"
).split()


def _verbs() -> Path:
    """Return a folder with the headers and the library of the verbs, from Debian's packages."""
    found = packages.resolve(VERBS_PACKAGES)
    wanted = [one for one in found if one.name in ("libibverbs-dev", "libibverbs1")]

    def build(folder: Path) -> None:
        for one in wanted:
            packages.unpack(one, folder)

    return cached("linux-verbs", [str(one) for one in wanted], build)


def guest_programs() -> list[str]:
    """Return the names of all programs, sorted."""
    return sorted(path.name for path in FOLDER.iterdir() if path.is_dir())


def place_on_node(name: str) -> str:
    """Return where a program or library of ours is on a node, without the first `/`."""
    return f"usr/{'lib' if name.endswith(SHARED) else 'bin'}/{name}"


def _shared_files(name: str) -> list[Path]:
    """Return the files that a program shares with other software."""
    found = FOLDER / name / SHARED_FILES
    lines = found.read_text().split() if found.is_file() else []
    return [LIBRARY.parent / line for line in lines]


def _kind_flags(name: str, text: str) -> list[str]:
    """Return the flags of a library, or of a program by what its sources include."""
    if name.endswith(SHARED):
        return [*(flag for flag in FLAGS if flag != "-static"), "-shared", "-fPIC"]
    if VERBS in text or OPENS in text:
        return [flag for flag in FLAGS if flag != "-static"]
    return FLAGS


def guest_program(name: str, *, symbols: bool = False) -> Path:
    """Return the program or library, built when its sources are new.

    With `symbols` it is not that of nodes, but the same with a symbol table.

    Raises:
        LinuxError: there is no such program, or it does not compile.
    """
    if name not in guest_programs():
        names = ", ".join(guest_programs())
        raise LinuxError(f'found no program "{name}" in {FOLDER}, expected any of: {names}.')
    sources = sorted((FOLDER / name).glob("*.c"))
    version = run([COMPILER, "--version"]).splitlines()[0]
    key: list[KeyPart] = [version, FOLDER / name, Path(__file__)]
    key += sorted(FOLDER.glob("*.h"))
    text = "".join(path.read_text() for path in sorted((FOLDER / name).iterdir()))
    flags, libraries = _kind_flags(name, text), ["-lm"]
    shared = _shared_files(name)
    if shared:
        folders = list(dict.fromkeys(path.parent for path in shared))
        flags = [*flags, *(f"-I{folder}" for folder in folders)]
        sources += [path for path in shared if path.suffix == ".c"]
        key += [*shared, *(path for folder in folders for path in sorted(folder.glob("*.h")))]
    if SYSTEM in text:
        flags, libraries = [*agent.FLAGS, f"-I{agent.FOLDER}"], []
        sources += [agent.FOLDER / "start.S", agent.FOLDER / "memory.c"]
        key.append(agent.FOLDER)
    if VERBS in text:
        folder = _verbs()
        key += [folder, *SHARED_HEADERS]
        flags = [*flags, "-isystem", str(folder / "usr/include"), f"-I{LIBRARY}"]
        # The library needs a newer C library than the compiler has, and nodes have it.
        libraries = ["-Wl,--allow-shlib-undefined", str(folder / packages.LIBRARIES[0] / _LIBRARY)]
    if symbols:
        flags = agent.with_symbols(flags)
    key.append(" ".join(flags))

    def build(folder: Path) -> None:
        run([COMPILER, *flags, "-o", str(folder / name), *map(str, sources), *libraries])

    places = [FOLDER / name, FOLDER, agent.FOLDER]
    return cached("linux-program", key, build, places=places) / name
