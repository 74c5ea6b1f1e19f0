# SPDX-License-Identifier: BSD-3-Clause
"""`goldengate.compile`: Verilog in, model.so and model.json out."""

from __future__ import annotations

import dataclasses
import json
import shutil
import subprocess
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from firesim_common.tools import python_command

from goldengate import verilator_backend
from goldengate.engine import backend as generated_backend
from goldengate.engine.design import Unsupported
from goldengate.errors import GoldenGateError
from goldengate.passes import read, rewrite
from goldengate.state import UNKNOWN, Event, Request, State


def lower(request: Request) -> dict[str, Any]:
    """Run the passes in a process of their own; return the manifest.

    The folder `request.out` receives the back end's Verilog, `yosys.log` and intermediate files.

    Raises:
        GoldenGateError: the design is refused; the message says where and why.
    """
    folder = Path(request.out)
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("error.txt", "manifest.json", "diagnostics.json"):
        (folder / name).unlink(missing_ok=True)
    _bring(request.data_files, folder)
    (folder / "request.json").write_text(json.dumps(dataclasses.asdict(request)))
    log = folder / "yosys.log"
    with log.open("w") as stream:
        done = subprocess.run(
            python_command("-m", "goldengate.worker", folder),
            stdout=stream,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            cwd=folder,  # Where $readmemh finds its files; nothing else is read by a relative path.
            check=False,
        )
    if done.returncode == 0:
        manifest: dict[str, Any] = json.loads((folder / "manifest.json").read_text())
        return manifest
    error = folder / "error.txt"
    raise GoldenGateError(error.read_text() if error.is_file() else _explain(request, log))


def _bring(files: Sequence[str], folder: Path) -> None:
    """Copy the files that the Verilog reads into the folder where the reader runs.

    Raises:
        GoldenGateError: one cannot be read, or two have one name.
    """
    taken = {"request.json", "yosys.log"}
    for name in files:
        path = Path(name)
        if path.name in taken:
            raise GoldenGateError(f"{path}: found another data file of this name, expected one.")
        taken.add(path.name)
        try:
            shutil.copyfile(path, folder / path.name)
        except OSError as error:
            raise GoldenGateError(
                f"{path}: cannot be read ({error.strerror or error}); expected a data file."
            ) from error


def _explain(request: Request, log: Path) -> str:
    """Say why Yosys ended the process."""
    text = log.read_text(errors="replace")
    step = (log.parent / "pass.txt").read_text() if (log.parent / "pass.txt").is_file() else ""
    if step == read.__name__:
        state = State(request)
        rewrite.run(state)
        return read.explain_failure(state, text)
    lines = [line for line in text.splitlines() if line.strip()]
    return f"{request.top}: pass {step or 'rewrite'} failed: {lines[-1] if lines else 'no output'}"


def _build(
    engine: str,
    work: Path,
    manifest: dict[str, Any],
    library: Path,
    jobs: int,
    training: Callable[[Path, Path], None] | None,
    waves: bool,
) -> dict[str, str]:
    """Make the library with the engine asked for; return what the manifest says of it."""
    said: dict[str, str] = {}
    if engine != "verilator":
        try:
            generated_backend.build(
                work, manifest, library, jobs=jobs, training=training, waves=waves
            )
            return {"name": "generated"}
        except Unsupported as reason:
            if engine == "generated" or waves:
                raise GoldenGateError(not_generated(str(reason))) from reason
            said["not_generated"] = str(reason)
    verilator_backend.build(work, manifest, library, jobs=jobs)
    return {"name": "verilator", **said}


def not_generated(reason: str) -> str:
    """Return the sentence that says why the generated engine refuses a design."""
    return f"{reason}; the engine Verilator takes it."


def compile(
    sources: Sequence[Path],
    top: str,
    out: Path,
    *,
    clock: str = "clock",
    reset: str = "reset",
    clock_ratios: Mapping[str, str] | None = None,
    events: Sequence[Event] = (),
    include_dirs: Sequence[Path] = (),
    defines: Mapping[str, str | None] | None = None,
    parameters: Mapping[str, str] | None = None,
    data_files: Sequence[Path] = (),
    jobs: int = 2,
    engine: str = "auto",
    training: Callable[[Path, Path], None] | None = None,
    waves: bool = False,
    bridges: Sequence[Path] = (),
    unknown: str = "zero",
) -> Path:
    """Compile a design into `out/model.so` and `out/model.json`; return `out`.

    `clock` and `reset` are one-bit inputs of `top`; `clock_ratios` names further clock inputs, with
    how many of their edges there are for each edge of `clock` ("1/2"; pass `clocks`). `parameters`
    of `top` are values as Verilog writes them; `data_files` are what $readmemh may read, by their
    names without a folder. Every `cover`
    and every event becomes a counter, every `assert` a bit of the assert port. `jobs` bounds the
    compiler processes.
    `engine` is `verilator`, `generated`, or `auto`: generated where it can, else Verilator; the
    manifest's `engine` says which it was, and why not the generated one.
    `training` (model folder, profile folder) runs typical programs on a model for the generated
    engine to see what is active when; without it a design is cut into small pieces.
    `unknown` says what an `x` of the text, the first value of a register without one, and the rest
    of a case that promises to be complete are: `zero`, or `free`, what makes the logic smallest.
    What is read and has no driver is 0; the manifest's `warnings` name it with file and line.
    `waves` makes every wire that has a name visible, which only the generated engine can.
    `bridges` are declarations (bridge.yaml) of kinds of the user's own that the design may have.

    Raises:
        GoldenGateError: the design is refused, or a tool failed.
    """
    if waves and engine == "verilator":
        raise GoldenGateError(
            'found engine "verilator" with waves, expected "generated" or "auto".'
        )
    out = out.absolute()  # Tools run in folders of their own.
    if unknown not in UNKNOWN:
        raise GoldenGateError(f'found unknown "{unknown}", expected one of: {", ".join(UNKNOWN)}.')
    out.mkdir(parents=True, exist_ok=True)
    work = out / "build"
    shutil.rmtree(work, ignore_errors=True)
    request = Request(
        sources=[str(Path(source).absolute()) for source in sources],
        top=top,
        out=str(work),
        clock=clock,
        reset=reset,
        clock_ratios=dict(clock_ratios or {}),
        events=list(events),
        include_dirs=[str(Path(folder).absolute()) for folder in include_dirs],
        defines=dict(defines or {}),
        parameters=dict(parameters or {}),
        data_files=[str(Path(file).absolute()) for file in data_files],
        engine=engine,
        bridges=[str(Path(declaration).absolute()) for declaration in bridges],
        unknown=unknown,
    )
    manifest = lower(request)
    manifest["engine"] = _build(engine, work, manifest, out / "model.so", jobs, training, waves)
    (out / "model.json").write_text(json.dumps(manifest, indent=1) + "\n")
    return out
