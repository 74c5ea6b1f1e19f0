"""Builds our own programs for Linux nodes: `linux/programs/NAME`, static, cached by content."""

from __future__ import annotations

from pathlib import Path

from firesim.build.cache import KeyPart, cached

from firesim_software.linux.errors import LinuxError, run

FOLDER = Path(__file__).resolve().parents[2] / "linux" / "programs"
COMPILER = "riscv64-linux-gnu-gcc"
FLAGS = (
    "-march=rv64imafdc -mabi=lp64d -O2 -std=gnu11 -Wall -Wextra -Werror -static -s "
    "-Wl,--build-id=none"
).split()


def guest_programs() -> list[str]:
    """Return the names of all programs, sorted."""
    return sorted(path.name for path in FOLDER.iterdir() if path.is_dir())


def guest_program(name: str) -> Path:
    """Return the program, built when its sources are new: a static executable.

    Raises:
        LinuxError: there is no such program, or it does not compile.
    """
    if name not in guest_programs():
        names = ", ".join(guest_programs())
        raise LinuxError(f'found no program "{name}" in {FOLDER}, expected any of: {names}.')
    sources = [str(path) for path in sorted((FOLDER / name).glob("*.c"))]
    version = run([COMPILER, "--version"]).splitlines()[0]
    key: list[KeyPart] = [version, FOLDER / name, Path(__file__)]

    def build(folder: Path) -> None:
        run([COMPILER, *FLAGS, "-o", str(folder / name), *sources, "-lm"])

    return cached("linux-program", key, build) / name
