# SPDX-License-Identifier: BSD-3-Clause
"""GSIM as a side: its own generator on the design, its code compiled as its own build does."""

from __future__ import annotations

import re
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from firesim_common.tools import run
from goldengate.engine.backend import COMPILER

from regression.ledger.engine_untrained.sides import HERE, TRAINING_CYCLES, Side, timed
from regression.support.experiment import NotHereError

GENERATOR = Path("build/gsim/gsim")
"""In a checkout in which `make build-gsim` was run."""
PLAIN, PROFILED = "GSIM", "GSIM, profiled"
SUPERNODES = {"rocket": 30, "SmallBoom": 90, "LargeBoom": 65}
"""`--supernode-max-size` of its own Makefile, by what the design's file is named after."""
_FLAGS = "-std=c++20 -O3 -march=native -fbracket-depth=2048 -Wno-parentheses-equality"


def generator(checkout: Path) -> Path:
    """Return GSIM's program.

    Raises:
        NotHereError: it is not there.
    """
    program = checkout / GENERATOR
    if not program.is_file():
        raise NotHereError(f"{program} is not there: run `make build-gsim` in {checkout}")
    return program


def merger() -> str | None:
    """Return the program that merges profiles of our clang, None without one."""
    found = re.search(r"version (\d+)", run([COMPILER, "--version"]))
    return shutil.which(f"llvm-profdata-{found[1]}") if found else None


def _compile(model: Path, folder: Path, more: str) -> tuple[str, ...]:
    folder.mkdir()
    flags = [*_FLAGS.split(), *more.split(), "-I", str(model), "-I", str(HERE)]
    flags.append('-DSIDE_HEADER="side_gsim.h"')

    def compile_one(source: Path) -> Path:
        target = folder / f"{source.stem}.o"
        run([COMPILER, *flags, "-c", source, "-o", target])
        return target

    sources = [*sorted(model.glob("*.cpp")), HERE / "drive.cc"]
    with ThreadPoolExecutor(2) as pool:
        objects = list(pool.map(compile_one, sources))
    run([COMPILER, *more.split(), *objects, "-o", folder / "drive"])
    return (str(folder / "drive"),)


def sides(checkout: Path, design: Path, folder: Path, image: Path) -> dict[str, Side]:
    """Build GSIM's model, and once more with what the program in `image` showed to clang.

    Raises:
        NotHereError: it is not built.
        ToolError: it, or the compiler, failed.
    """
    program, model = generator(checkout), folder / "model"
    model.mkdir(parents=True)
    size = next((n for name, n in SUPERNODES.items() if name in design.name), 30)

    def build() -> tuple[str, ...]:
        options = [f"--supernode-max-size={size}", "--cpp-max-size-KB=1024"]
        run([program, *options, "--dir", model, design])
        return _compile(model, folder / "plain", "")

    found = {PLAIN: timed(build)}
    merge = merger()
    if merge is None:
        return found
    profile = folder / "profile"

    def build_profiled() -> tuple[str, ...]:
        first = _compile(model, folder / "counting", f"-fprofile-generate={profile}")
        Side(first, 0.0).run(image, TRAINING_CYCLES)
        merged = folder / "merged.profdata"
        subprocess.run([merge, "merge", "-o", merged, *profile.glob("*.profraw")], check=True)
        return _compile(model, folder / "profiled", f"-fprofile-use={merged}")

    profiled = timed(build_profiled)
    return found | {PROFILED: Side(profiled.command, profiled.build_s + found[PLAIN].build_s)}
