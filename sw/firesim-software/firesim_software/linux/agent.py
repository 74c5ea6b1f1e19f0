# SPDX-License-Identifier: BSD-3-Clause
"""Builds the programs of `linux/agent/` that every Linux node has."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from firesim_common.cache import KeyPart, cached

from firesim_software.builder import ADDRESS_MAP
from firesim_software.linux.errors import run

FOLDER = Path(__file__).resolve().parents[2] / "linux" / "agent"
COMPILER = "riscv64-linux-gnu-gcc"
FLAGS = (
    "-march=rv64imafdc -mabi=lp64d -mcmodel=medany -O2 -std=gnu11 -ffreestanding -fno-pic "
    "-fno-tree-loop-distribute-patterns -fno-stack-protector -fno-asynchronous-unwind-tables "
    "-ffunction-sections -Wall -Wextra -Werror -nostdlib -static -s -Wl,--build-id=none "
    "-Wl,--gc-sections -Wl,-z,norelro -Wl,-z,noexecstack"
).split()
STRIPPED = "-s"
PROGRAMS = {
    "firesim-agent": ["start.S", "agent.c", "identity.c", "job.c", "node.c", "memory.c"],
    "firesim-start-roi": ["roi.S", "-DMARKER=0x00008013"],
    "firesim-end-roi": ["roi.S", "-DMARKER=0x00010013"],
}
"""What each is made of: sources, and flags of its own."""


INCLUDES = [f"-I{FOLDER}", f"-I{ADDRESS_MAP.parent}"]
"""Where the sources here find their headers."""


def with_symbols(flags: Sequence[str]) -> list[str]:
    """Return the flags of a program with which it keeps its symbols, and all its addresses.

    It also says where in the source its code is, and which functions were inlined.
    """
    return [*(flag for flag in flags if flag != STRIPPED), "-g"]


def agent_programs(*, symbols: bool = False) -> Path:
    """Return the folder with `firesim-agent`, `firesim-start-roi` and `firesim-end-roi`.

    With `symbols` they are not those of nodes, but the same with a symbol table.

    Raises:
        LinuxError: the compiler is missing, or they do not compile.
    """
    flags = with_symbols(FLAGS) if symbols else FLAGS

    def build(folder: Path) -> None:
        for name, parts in PROGRAMS.items():
            arguments = [part if part.startswith("-") else str(FOLDER / part) for part in parts]
            run([COMPILER, *flags, *INCLUDES, "-o", str(folder / name), *arguments])

    version = run([COMPILER, "--version"]).splitlines()[0]
    key: list[KeyPart] = [version, " ".join(flags), FOLDER, ADDRESS_MAP, Path(__file__)]
    return cached("linux-agent", key, build, places=[FOLDER, ADDRESS_MAP])
