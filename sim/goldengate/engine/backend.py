# SPDX-License-Identifier: BSD-3-Clause
"""From the flat netlist to model.so through generated C++."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from firesim_common.progress import step
from firesim_common.tools import ToolError, run

from goldengate.engine import (
    access,
    asks,
    branches,
    choice,
    emit,
    files,
    guess,
    items,
    netlist,
    profile,
    rtlil,
    zones,
)
from goldengate.engine.design import Design, Unsupported
from goldengate.engine.fold import Folding, fold, single
from goldengate.errors import GoldenGateError
from goldengate.manifest import Manifest

NETLIST = "target.il"
ENGINE_FOLDER = Path(__file__).resolve().parents[2] / "engine"
RUNTIME_FOLDER = ENGINE_FOLDER / "generated"
COMPILER = "clang++-19"
"""The compiler of generated code; g++ was not compared with it on this code."""
_FLAGS = ["-std=c++20", "-O2", "-march=native", "-fPIC", "-fvisibility=hidden", "-fno-plt"]
_PIECE_ITEMS = 60
WHOLE_ITEMS = 15_000
"""Without a profile, a design of so few items runs as a whole in each cycle, or rests as one."""
_ONE_FUNCTION_ITEMS, _PART_ITEMS = 8_000, 500
"""What runs as a whole is one function up to the first; more is compiled in parts of the second."""
Training = Callable[[Path, Path], None]
_FILES = 4


def compiler_version() -> str:
    """Return what the compiler of generated code says of itself, for use in cache keys."""
    done = subprocess.run([COMPILER, "--version"], capture_output=True, text=True, check=False)
    return done.stdout


def read_design(work: Path, manifest: Manifest, probes: bool = False) -> Design:
    """Return the design of a lowered netlist, with `probes` as for netlist.build.

    Raises:
        Unsupported: it has something this engine does not handle.
    """
    with (work / NETLIST).open() as stream:
        module = rtlil.parse(stream, manifest.top)
    names = [port.name for port in manifest.ports]
    return netlist.build(module, manifest.clock, names, probes)


def _write(folder: Path, texts: dict[str, str]) -> list[Path]:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for name, text in texts.items():
        (folder / name).write_text(text)
    return sorted(folder.glob("*.cc"))


def compile_files(sources: list[Path], library: Path, jobs: int, flags: list[str]) -> None:
    """Compile and link source files of one folder, the largest first."""
    folder = sources[0].parent
    options: list[str | Path] = [*_FLAGS, *flags, "-I", RUNTIME_FOLDER, "-I", ENGINE_FOLDER]
    options += ['-DFIRESIM_ENGINE_NAME="generated"', "-Wno-invalid-feature-combination"]

    def compile_one(source: Path) -> Path:
        target = source.with_suffix(".o")
        run([COMPILER, *options, "-c", source, "-o", target], cwd=folder)
        return target

    by_size = sorted(sources, key=lambda path: path.stat().st_size, reverse=True)
    with ThreadPoolExecutor(jobs) as pool:
        objects = list(pool.map(compile_one, by_size))
    run([COMPILER, "-shared", "-Wl,--no-undefined", "-o", library, *objects], cwd=folder)


def make_model(
    emitter: emit.Emitter,
    design_hash: str,
    folder: Path,
    library: Path,
    jobs: int,
    more: list[str],
    flags: list[str],
) -> None:
    """Write, compile and link the C++ of a model."""
    texts = files.write(emitter, design_hash, _FILES, more)
    sources = _write(folder, texts)
    state_hash = access.state_hash(emitter.design)
    # Tables of offsets into a state that is not a standard layout class, which clang allows.
    flags = [*flags, "-Wno-invalid-offsetof", f"-DFIRESIM_STATE_HASH=0x{state_hash:016x}u"]
    try:
        compile_files(sources, library, jobs, flags)
    except ToolError as error:
        raise GoldenGateError(f"{emitter.design.name}: {error}") from error
    for path in folder.glob("*.o"):
        path.unlink()


def untrained(folding: Folding, keep_all: bool = False) -> emit.Emitter:
    """Cut a design without a profile; small pieces let most of a large one rest in most cycles."""
    count = len(folding.units)
    if count > WHOLE_ITEMS or folding.modules or keep_all:
        return emit.Emitter(folding, zones.pieces(folding, _PIECE_ITEMS), keep_all=keep_all)
    size = count if count <= _ONE_FUNCTION_ITEMS else _PART_ITEMS
    return emit.Emitter(folding, zones.pieces(folding, size), is_whole=True)


def _train(
    folding: Folding, work: Path, manifest: Manifest, training: Training, jobs: int
) -> profile.Profile:
    """Build the profiling model and run what is typical on it."""
    emitter = untrained(folding, keep_all=True)
    model, results = work / "profiling", work / "profile"
    model.mkdir(parents=True, exist_ok=True)
    results.mkdir(exist_ok=True)
    for old in results.glob("*"):
        old.unlink()
    manifest.write(model)
    flags = ["-O1"]
    more = profile.declarations(emitter)
    make_model(emitter, manifest.design_hash, model / "code", model / "model.so", jobs, more, flags)
    training(model, results)
    seen = profile.read(results, emitter)
    if seen.samples == 0:
        raise GoldenGateError(f"{manifest.top}: the training run left no profile.")
    return seen


def cut(folding: Folding, seen: profile.Profile) -> emit.Emitter:
    """Cut a design into zones by what was seen in training."""
    emitter = emit.Emitter(folding, zones.Cutter(folding, seen).zones())
    emitter.erratic = branches.erratic(emitter, seen)
    emitter.asks = asks.together(emitter, seen)
    return emitter


def guessed(folding: Folding) -> emit.Emitter:
    """Cut a large design that nobody trains by what may be expected to change together."""
    return cut(folding, guess.profile(folding.found))


def build(
    work: Path,
    manifest: Manifest,
    library: Path,
    *,
    jobs: int,
    training: Training | None = None,
    waves: bool = False,
    by_speed: bool = False,
    is_guess: bool = False,
    may_refuse: bool = False,
) -> str | None:
    """Generate, compile and link the model of the netlist in `work`.

    `training` runs what is typical on the model in the folder it is given, with the second folder
    as FIRESIM_PROFILE_DIRECTORY. Without it the design runs as a whole, or is cut into small
    pieces when it is large. With `waves` every wire that has a name can be seen, and the model is
    several times slower. With `by_speed` training decides, too, whether the design is cut at all;
    `is_guess` says that it has random inputs. Returns what it showed, None if nothing was decided.

    Raises:
        Unsupported: the design has something this engine does not handle, or with `may_refuse`
            Verilator is the faster engine.
        GoldenGateError: the C++ compiler or the linker failed.
    """
    found = items.collect(read_design(work, manifest, waves))
    is_small = len(found.items) <= WHOLE_ITEMS
    if may_refuse and not training and not is_small:
        raise Unsupported(
            f"the design has {len(found.items):,} items, and without training the generated "
            f"engine is the faster one only up to {WHOLE_ITEMS:,}"
        )
    # Wires that are to be seen belong to no copy; what is run as a whole has none.
    as_whole = training is None and is_small
    folding = single(found) if waves or as_whole else fold(found)
    text = None
    if training is None:
        emitter = untrained(folding) if waves or as_whole else guessed(folding)
    elif by_speed:
        with step(f"training the engine for {manifest.top}"):
            seen = _train(folding, work, manifest, training, jobs)
            chosen = choice.choose(
                folding,
                seen,
                cut,
                untrained,
                whole_items=WHOLE_ITEMS,
                is_guess=is_guess,
                may_refuse=may_refuse,
            )
        emitter, text = chosen.emitter, chosen.text
    else:
        emitter = cut(folding, _train(folding, work, manifest, training, jobs))
    flags = ["-O1"] if waves else []
    make_model(emitter, manifest.design_hash, work / "generated", library, jobs, [], flags)
    return text
