# SPDX-License-Identifier: BSD-3-Clause
"""Bare programs in C that print by system calls and end by tohost, for cores that others made."""

from __future__ import annotations

import subprocess
from pathlib import Path

HERE = Path(__file__).resolve().parent
HELLO, WORK = "hello", "work"
"""hello.c says what the core is; work.c computes and prints checksums."""
L2_FLUSH = 0x201_0200
"""The flush register of SiFive's L2, where Rocket Chip has its control: a write of an address
brings what a cache holds of it to memory."""
_STACK = 0x8010_0000


def built(
    folder: Path,
    program: str | Path,
    flush: int | None = None,
    rounds: int = 20,
    log_lines: int | None = None,
) -> Path:
    """Build a program for RV64IMAC at 0x8000_0000, ours by name or a file of another folder.

    `flush` is the address of a flush register, `log_lines` the length of the ring of work.c.

    Raises:
        CalledProcessError: the compiler failed.
    """
    source = program if isinstance(program, Path) else HERE / f"{program}.c"
    elf = folder / f"{source.stem}.elf"
    flags = "-march=rv64imac_zicsr -mabi=lp64 -mcmodel=medany -O2 -ffreestanding -nostdlib -n"
    flags += " -fno-tree-loop-distribute-patterns -Wall -Wextra -Werror"
    places = "-Wl,-e,start,--section-start=.start=0x80000000,-Ttext=0x80002000,--build-id=none"
    places += ",--no-relax,--section-start=.tohost=0x80001000,--no-warn-rwx-segments"
    places += f",--defsym=stack_end={_STACK:#x}"
    defines = [f"-DROUNDS={rounds}", *([] if flush is None else [f"-DFLUSH={flush:#x}"])]
    defines += [] if log_lines is None else [f"-DLOG_LINES={log_lines}"]
    command = ["riscv64-unknown-elf-gcc", *flags.split(), places, *defines]
    subprocess.run([*command, "-I", HERE, "-o", elf, source], check=True)
    return elf


def expected(folder: Path, program: str, rounds: int = 20) -> str:
    """Return what a program prints on this computer, built by its own compiler."""
    native = folder / f"{program}.native"
    flags = ["-O1", "-DNATIVE", f"-DROUNDS={rounds}"]
    subprocess.run(["cc", *flags, "-o", native, HERE / f"{program}.c"], check=True)
    return subprocess.run([native], check=True, capture_output=True, text=True).stdout
