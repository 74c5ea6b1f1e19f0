# SPDX-License-Identifier: BSD-3-Clause
"""Builds our own programs for Linux nodes: `linux/programs/NAME`, static, cached by content.

A program that includes the agent's `system.h` is built as the agent is, without a C library: such
a one is a few kilobytes, which a node in RTL unpacks and starts a million cycles sooner.
"""

from __future__ import annotations

from pathlib import Path

from firesim_common.cache import KeyPart, cached

from firesim_software.linux import agent
from firesim_software.linux.errors import LinuxError, run

FOLDER = Path(__file__).resolve().parents[2] / "linux" / "programs"
SYSTEM = '#include "system.h"'
SHARED = FOLDER / "program.h"
"""What programs with a C library share."""
COMPILER = "riscv64-linux-gnu-gcc"
FLAGS = (
    "-march=rv64imafdc -mabi=lp64d -O2 -std=gnu11 -Wall -Wextra -Werror -static -s "
    "-Wl,--build-id=none"
).split()


def guest_programs() -> list[str]:
    """Return the names of all programs, sorted."""
    return sorted(path.name for path in FOLDER.iterdir() if path.is_dir())


def guest_program(name: str, *, symbols: bool = False) -> Path:
    """Return the program, built when its sources are new: a static executable.

    With `symbols` it is not that of nodes, but the same with a symbol table.

    Raises:
        LinuxError: there is no such program, or it does not compile.
    """
    if name not in guest_programs():
        names = ", ".join(guest_programs())
        raise LinuxError(f'found no program "{name}" in {FOLDER}, expected any of: {names}.')
    sources = sorted((FOLDER / name).glob("*.c"))
    version = run([COMPILER, "--version"]).splitlines()[0]
    key: list[KeyPart] = [version, str(symbols), FOLDER / name, Path(__file__)]
    flags, libraries = FLAGS, ["-lm"]
    if any(SYSTEM in path.read_text() for path in (FOLDER / name).iterdir()):
        flags, libraries = [*agent.FLAGS, f"-I{agent.FOLDER}"], []
        sources += [agent.FOLDER / "start.S", agent.FOLDER / "memory.c"]
        key.append(agent.FOLDER)
    else:
        key.append(SHARED)

    if symbols:
        flags = agent.with_symbols(flags)

    def build(folder: Path) -> None:
        run([COMPILER, *flags, "-o", str(folder / name), *map(str, sources), *libraries])

    places = [FOLDER / name, FOLDER, agent.FOLDER]
    return cached("linux-program", key, build, places=places) / name
