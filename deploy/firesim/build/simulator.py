# SPDX-License-Identifier: BSD-3-Clause
"""Builds firesim-sim (C++) with CMake and Ninja, incrementally, outside the source tree.

Each source tree has a folder of its own, with a link `source` to the tree beside its builds. By
that link every file has the same path relative to the build in every tree, so that ccache knows
what another clone has compiled.
"""

from __future__ import annotations

import hashlib
import os
import shutil
from contextlib import suppress
from pathlib import Path

from firesim_common.locks import locked
from firesim_common.paths import ROOT, cache_root
from firesim_common.tools import ToolError, run

SANITIZERS = ("address", "thread")
CLANG = ("-DCMAKE_C_COMPILER=clang-19", "-DCMAKE_CXX_COMPILER=clang++-19")
"""It compiles the simulator in two thirds of GCC's time (213 s of processor time for 306 s), with
a sanitizer in half of it, to one as fast; libFuzzer comes with it."""
FUZZ = "fuzz"
"""The variant for libFuzzer."""
CONFIGURED = ".firesim.configured"
"""The file in a build folder with what it was configured by."""
MARCHES = ("x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4")
"""Variants for other processors than this computer's, as -march takes them."""
PORTABLE = "x86-64-v3"
"""The variant without the newest instructions, for tools that do not know these."""


def native_keeps_to_valgrind() -> bool:
    """Whether valgrind knows what is made of the simulator for this processor: no AVX-512."""
    return " avx512f" not in Path("/proc/cpuinfo").read_text(encoding="utf-8")


def build_folder(variant: str = "release") -> Path:
    """Return the build folder of this source tree for a variant of the build."""
    tree = hashlib.sha256(str(ROOT).encode()).hexdigest()[:12]
    return cache_root() / "cmake" / tree / variant


def _linked_source(folder: Path) -> Path:
    """Return the link to this source tree beside a build folder, made if it is missing."""
    link = folder.parent / "source"
    with suppress(FileExistsError):  # Made before, or by the build of another variant just now.
        link.symlink_to(ROOT)
    return link


def _options(variant: str) -> list[str]:
    """Return what CMake is told of a variant."""
    options = ["-DCMAKE_BUILD_TYPE=Release", *CLANG]
    if variant in SANITIZERS:
        options.append(f"-DFIRESIM_SANITIZE={variant}")
    elif variant == FUZZ:
        options += ["-DFIRESIM_FUZZ=ON", "-DFIRESIM_BRIDGES=OFF"]
    elif variant in MARCHES:
        options.append(f"-DFIRESIM_MARCH={variant}")
    if shutil.which("ccache"):
        options.append("-DCMAKE_CXX_COMPILER_LAUNCHER=ccache")
    return options


def _configure(folder: Path, options: list[str]) -> None:
    """Configure a build folder, unless it is as these options and today's compiler ask for.

    CMake keeps the compiler that it found first, and asks neither it nor us again.
    """
    version = run(["clang++-19", "--version"])
    noted, wanted = folder / CONFIGURED, "\n".join([*options, version])
    with suppress(OSError):
        if (folder / "build.ninja").is_file() and noted.read_text(encoding="utf-8") == wanted:
            return
    noted.unlink(missing_ok=True)
    source = _linked_source(folder)
    run(["cmake", "--fresh", "-S", source, "-B", folder, "-G", "Ninja", *options])
    noted.write_text(wanted, encoding="utf-8")


def configure_and_build(variant: str = "release", targets: tuple[str, ...] = ()) -> Path:
    """Build the C++ tree and return its build folder; unchanged files are not built again.

    `variant` is "release", "address" or "thread" (sanitizers), "fuzz", or one of MARCHES.

    Raises:
        ToolError: CMake or the compiler failed; the message ends with its last lines.
    """
    if not (ROOT / "CMakeLists.txt").is_file():
        raise ToolError(f"There is no CMakeLists.txt in {ROOT}: the source tree is not complete.")
    folder = build_folder(variant)
    folder.mkdir(parents=True, exist_ok=True)
    with locked(folder / ".firesim.lock"):
        _configure(folder, _options(variant))
        jobs = str(min(os.cpu_count() or 1, 16))
        wanted = [word for target in targets for word in ("--target", target)]
        environment = {
            **os.environ,
            "CCACHE_BASEDIR": str(folder.parent),
            "CCACHE_NOHASHDIR": "1",
            "CCACHE_SLOPPINESS": "pch_defines,time_macros",  # else nothing with precompiled headers
        }
        run(["cmake", "--build", folder, "-j", jobs, *wanted], env=environment)
    return folder


def sanitizer_environment(**options: str) -> dict[str, str]:
    """Return the environment of a program of a sanitized variant, which then names file and line.

    Options of a sanitizer itself come as ASAN_OPTIONS and the like. Clang's own reader of
    debugging information is a package of its own; that of binutils is there with any compiler.
    """
    reader = f"external_symbolizer_path={shutil.which('addr2line') or ''}"
    names = ("ASAN_OPTIONS", "TSAN_OPTIONS", "UBSAN_OPTIONS")
    words = {name: [reader, os.environ.get(name), options.pop(name, None)] for name in names}
    return {
        **os.environ,
        **{name: ":".join(word for word in words[name] if word) for name in names},
        **options,
    }


def simulator(variant: str = "release") -> Path:
    """Return the firesim-sim binary of a variant of the build, built if anything changed.

    Raises:
        ToolError: the build failed.
    """
    folder = configure_and_build(variant, ("firesim-sim",))
    binary = folder / "bin/firesim-sim"
    if binary.is_file():
        return binary
    raise ToolError(f"The build in {folder} made no firesim-sim.")
