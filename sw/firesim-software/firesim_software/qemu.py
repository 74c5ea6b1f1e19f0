# SPDX-License-Identifier: BSD-3-Clause
"""Runs bare-metal programs in QEMU's machine `virt`: a quick check, and an oracle of RV64GC.

`virt` has memory, CLINT and PLIC where our blades have them; the UART and the finisher are
elsewhere (macro FIRESIM_QEMU_VIRT of lib/platform.h).
"""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

QEMU = "qemu-system-riscv64"
_OFF = "h v Zfh Zfhmin zba zbb zbc zbs sstc svinval svnapot svpbmt sscofpmf".split()
CPU = ",".join(["rv64", "priv_spec=v1.11.0", "pmu-num=0", *(f"{name}=off" for name in _OFF)])
"""A core with the extensions of Rocket: RV64GC, M, S and U modes, Sv39, PMP."""


class QemuError(RuntimeError):
    """QEMU is missing, failed, or did not end in time; the message says which."""


@dataclass(frozen=True)
class QemuRun:
    """A finished run: text on the UART and the code given to the finisher (0 passes)."""

    console: str
    exit_code: int


def run(
    elf: Path,
    *,
    bootargs: str = "",
    memory_mib: int = 64,
    timeout_s: float = 60,
    log: Path | None = None,
    log_items: str = "",
    options: Sequence[str] = (),
) -> QemuRun:
    """Run an ELF file linked at 0x8000_0000, built for `virt`, until it writes to the finisher.

    `log_items` is the value of QEMU's `-d`, written to the file `log`; `options` are further words
    of its command line.

    Raises:
        QemuError: QEMU is missing, or the program did not end within `timeout_s` seconds.
    """
    command = [QEMU, "-machine", "virt", "-cpu", CPU, "-m", str(memory_mib), "-bios", "none"]
    command += ["-display", "none", "-monitor", "none", "-serial", "stdio", "-no-reboot"]
    command += ["-kernel", str(elf), *options]
    if bootargs:
        command += ["-append", bootargs]
    if log is not None:
        command += ["-D", str(log), "-d", log_items]
    try:
        done = subprocess.run(
            command, capture_output=True, stdin=subprocess.DEVNULL, check=False, timeout=timeout_s
        )
    except FileNotFoundError as error:
        raise QemuError(f"{QEMU} is not installed: apt-get install qemu-system-misc") from error
    except subprocess.TimeoutExpired as error:
        raise QemuError(f"{elf}: did not end in QEMU within {timeout_s:g} s.") from error
    if done.stderr:
        raise QemuError(f"{elf}: QEMU said: {done.stderr.decode(errors='replace').strip()}")
    return QemuRun(done.stdout.decode(errors="replace"), done.returncode)
