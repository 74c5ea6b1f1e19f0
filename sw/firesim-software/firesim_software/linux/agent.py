# SPDX-License-Identifier: BSD-3-Clause
"""Builds the programs of `linux/agent/` that every Linux node has."""

from __future__ import annotations

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
PROGRAMS = {
    "firesim-agent": ["start.S", "agent.c", "identity.c", "job.c", "node.c", "memory.c"],
    "firesim-start-roi": ["roi.S", "-DMARKER=0x00008013"],
    "firesim-end-roi": ["roi.S", "-DMARKER=0x00010013"],
}
"""What each is made of: sources, and flags of its own."""


INCLUDES = [f"-I{FOLDER}", f"-I{ADDRESS_MAP.parent}"]
"""Where the sources here find their headers."""


def _build(folder: Path) -> None:
    for name, parts in PROGRAMS.items():
        arguments = [part if part.startswith("-") else str(FOLDER / part) for part in parts]
        run([COMPILER, *FLAGS, *INCLUDES, "-o", str(folder / name), *arguments])


def agent_programs() -> Path:
    """Return the folder with `firesim-agent`, `firesim-start-roi` and `firesim-end-roi`.

    Raises:
        LinuxError: the compiler is missing, or they do not compile.
    """
    version = run([COMPILER, "--version"]).splitlines()[0]
    key: list[KeyPart] = [version, FOLDER, ADDRESS_MAP, Path(__file__)]
    return cached("linux-agent", key, _build, places=[FOLDER, ADDRESS_MAP])
