# SPDX-License-Identifier: BSD-3-Clause
"""Builds bare-metal programs with Debian's cross compiler, cached by content."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path

from firesim_common.cache import KeyPart, cached
from firesim_common.watch import watched

from firesim_software.workload import Workload, workload

LIBRARY = Path(__file__).resolve().parents[1] / "lib"
ADDRESS_MAP = LIBRARY / "address_map.h"
DEBUG_SOURCES = "/firesim-software"
"""What the folder above LIBRARY is called in a program's debug information, in every clone."""
COMPILER = "riscv64-unknown-elf-gcc"
_FLOAT = "-march=rv64imafdc_zicsr_zifencei -mabi=lp64d".split()
_INTEGER = "-march=rv64imac -misa-spec=2.2 -mabi=lp64".split()
"""For cores without a floating-point unit; by this version of the ISA gcc finds its libgcc."""
_PLAIN = (
    "-mcmodel=medany -O2 -g -std=gnu11 -ffreestanding "
    "-fno-tree-loop-distribute-patterns -fno-common -ffunction-sections -fdata-sections "
    "-Wall -Wextra -Werror"
).split()
COMMON = [*_FLOAT, *_PLAIN]
LINK = "-nostdlib -static -Wl,--gc-sections -Wl,--build-id=none -Wl,--no-warn-rwx-segments".split()


class ProgramError(RuntimeError):
    """A program could not be built; the message holds the compiler's, with file and line."""


def compiler_version() -> str:
    """Return the first line of the cross compiler's version, a part of every cache key.

    Raises:
        ProgramError: it is not installed.
    """
    return _run([COMPILER, "--version"]).splitlines()[0]


def _run(command: Sequence[str], folder: Path | None = None) -> str:
    try:
        done = subprocess.run(
            command,
            cwd=folder,
            env=watched(),
            text=True,
            capture_output=True,
            check=False,
            stdin=subprocess.DEVNULL,
        )
    except FileNotFoundError as error:
        raise ProgramError(
            f"{command[0]} is not installed: apt-get install gcc-riscv64-unknown-elf"
        ) from error
    if done.returncode != 0:
        raise ProgramError(f"{command[0]} failed:\n{done.stderr.strip()}")
    return done.stdout


def _build(found: Workload, defines: Sequence[str], fpu: bool, folder: Path) -> None:
    defaults = folder / "defaults.c"
    defaults.write_text(
        "/* Default arguments of the program, from its workload.yaml. */\n"
        f'const char firesim_default_arguments[] = "{found.default_arguments}";\n'
    )
    flags = [f"-I{found.folder}", *(f"-D{name}" for name in defines)]
    _with_library([*found.source_files, defaults], folder / f"{found.name}.elf", flags, fpu)


def _with_library(sources: Sequence[Path], out: Path, flags: Sequence[str], fpu: bool) -> None:
    library = [LIBRARY / "start.S", *sorted(LIBRARY.glob("*.c"))]
    files = [str(path.absolute()) for path in [*library, *sources]]
    places = [f"-I{LIBRARY}", f"-T{LIBRARY / 'link.ld'}"]
    # The same program wherever the clone is: models are kept by what they were trained with.
    names = {LIBRARY.parent: DEBUG_SOURCES, out.parent.absolute(): f"{DEBUG_SOURCES}/made"}
    for option in ("-ffile-prefix-map", "-Wa,--debug-prefix-map"):
        places += [f"{option}={place}={name}" for place, name in names.items()]
    compiler = [COMPILER, *(COMMON if fpu else [*_INTEGER, *_PLAIN]), *LINK]
    arithmetic = [] if fpu else ["-lgcc"]  # float and double by integer instructions
    _run([*compiler, *places, *flags, "-o", str(out.absolute()), *files, *arithmetic], LIBRARY)


def own_program(
    sources: Sequence[Path], out: Path, fpu: bool = True, defines: Sequence[str] = ()
) -> Path:
    """Compile and link a program of the user's own with our library; return `out`.

    Its arguments and their defaults are the text `firesim_default_arguments` that it defines, if it
    does. `defines` and `fpu` are as for `program`.

    Raises:
        ProgramError: it does not compile; the message has file and line.
    """
    out.parent.mkdir(parents=True, exist_ok=True)
    _with_library(sources, out, [f"-D{name}" for name in defines], fpu)
    return out


def program(name: str, defines: Sequence[str] = (), fpu: bool = True) -> Path:
    """Return the ELF file of a program of `programs/`, built when its inputs are new.

    `defines` are macros; `FIRESIM_QEMU_VIRT` builds for QEMU's machine `virt`. Without `fpu` it
    is for cores that have no floating-point unit: RV64IMAC, and the ABI without float registers.

    Raises:
        WorkloadError: no such program, or its workload.yaml is wrong.
        ProgramError: it does not compile; the message has file and line.
    """
    found = workload(name)
    settings = " ".join([*COMMON, *LINK, *defines, *([] if fpu else _INTEGER)])
    key: list[KeyPart] = [compiler_version(), settings, Path(__file__), LIBRARY, found.folder]
    places = [found.folder, LIBRARY]
    folder = cached("program", key, lambda work: _build(found, defines, fpu, work), places=places)
    return folder / f"{name}.elf"


def link(
    sources: Sequence[Path],
    script: Path,
    out: Path,
    defines: Sequence[str] = (),
    *,
    passes_floats: bool = True,
) -> Path:
    """Compile and link `sources` alone by the linker script `script`; return `out`.

    Without `passes_floats` the ABI is lp64, which cores without a floating-point unit take;
    instructions of that unit are still assembled.

    Raises:
        ProgramError: they do not compile; the message has file and line.
    """
    abi = [] if passes_floats else ["-mabi=lp64"]
    places = [f"-I{LIBRARY}", f"-T{script}"]
    flags = [*COMMON, *abi, *LINK, *places, *(f"-D{name}" for name in defines)]
    _run([COMPILER, *flags, "-o", str(out), *(str(path) for path in sources)])
    return out
