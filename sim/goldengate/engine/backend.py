"""From the flat netlist to model.so through generated C++."""

from __future__ import annotations

import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from firesim.build.tools import ToolError, run

from goldengate.engine import emit, items, netlist, rtlil
from goldengate.engine.design import Design
from goldengate.errors import GoldenGateError

NETLIST = "target.il"
ENGINE_FOLDER = Path(__file__).resolve().parents[2] / "engine"
RUNTIME_FOLDER = ENGINE_FOLDER / "generated"
COMPILER = "clang++-19"
"""Compiles this code to a faster model than g++ 12, in a third of the time."""
_FLAGS = ["-std=c++20", "-O2", "-march=native", "-fPIC", "-fvisibility=hidden", "-fno-plt"]
_FUNCTION_ITEMS = 1500
_FILES = 4


def read_design(work: Path, manifest: dict[str, Any]) -> Design:
    """Return the design of a lowered netlist.

    Raises:
        Unsupported: it has something this engine does not handle.
    """
    with (work / NETLIST).open() as stream:
        module = rtlil.parse(stream, manifest["top"])
    return netlist.build(module, manifest["clock"], [port["name"] for port in manifest["ports"]])


def whole(found: items.Items) -> list[emit.Cluster]:
    """Return clusters that evaluate everything in every cycle."""
    order = items.ordered(found)
    return [
        emit.Cluster(order[start : start + _FUNCTION_ITEMS], always=True)
        for start in range(0, len(order), _FUNCTION_ITEMS)
    ]


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
    run([COMPILER, "-shared", *flags, "-Wl,--no-undefined", "-o", library, *objects], cwd=folder)


def build(work: Path, manifest: dict[str, Any], library: Path, *, jobs: int) -> None:
    """Generate, compile and link the model of the netlist in `work`.

    Raises:
        Unsupported: the design has something this engine does not handle.
        GoldenGateError: the C++ compiler or the linker failed.
    """
    found = items.collect(read_design(work, manifest))
    texts = emit.write(found, whole(found), manifest["design_hash"], _FILES)
    folder = work / "generated"
    try:
        compile_files(_write(folder, texts), library, jobs, [])
    except ToolError as error:
        raise GoldenGateError(f"{manifest['top']}: {error}") from error
    for path in folder.glob("*.o"):
        path.unlink()
