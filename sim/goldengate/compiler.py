# SPDX-License-Identifier: BSD-3-Clause
"""`goldengate.compile_request`: Verilog in; a model, a FAME-1 form or both, and a manifest out."""

from __future__ import annotations

import dataclasses
import json
import shutil
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO, Any

from firesim_common.tools import python_command
from firesim_common.watch import watched

from goldengate import capture, verilator_backend
from goldengate.allowances import DIAGNOSTICS, Allowances, further, is_worse
from goldengate.engine import backend as generated_backend
from goldengate.engine.design import Unsupported
from goldengate.errors import GoldenGateError
from goldengate.manifest import FILE as MANIFEST
from goldengate.manifest import EngineUsed, Manifest
from goldengate.passes import explain, read
from goldengate.plain_paths import Links, with_plain_paths
from goldengate.state import CPU, FPGA, METASIM, TARGETS, UNKNOWN, Request, State
from goldengate.stimulus import RANDOM, Stimulus

_LOG = "yosys.log"


def lower(request: Request) -> Manifest:
    """Run the passes in a process of their own; return the manifest.

    The folder `request.out` receives the back end's Verilog, `yosys.log` and intermediate files.

    Raises:
        GoldenGateError: the design is refused; the message says where and why.
    """
    Path(request.out).mkdir(parents=True, exist_ok=True)
    with with_plain_paths(request.absolute()) as (plain, links):
        manifest = run_passes(plain, "goldengate.worker")
        return manifest if links is None else _restored(links, Path(plain.out))


def _restored(links: Links, folder: Path) -> Manifest:
    """Put the user's files into a manifest that names links to them."""
    file = folder / MANIFEST
    file.write_text(links.restored(file.read_text(), escaped=True))
    return Manifest.read(folder)


def run_passes(request: Request, worker: str) -> Manifest:
    """Run a module that runs the passes, again with allowances where the reader asks for them."""
    folder = Path(request.out)
    folder.mkdir(parents=True, exist_ok=True)
    _bring(request.data_files, folder)
    (folder / "request.json").write_text(json.dumps(dataclasses.asdict(request)))
    allowed: Allowances | None = Allowances()
    while allowed is not None:
        if _lowers(folder, worker, allowed):
            return Manifest.read(folder)
        refused, allowed = _refusal(request, allowed)
    raise GoldenGateError(refused)


def _lowers(folder: Path, worker: str, allowed: Allowances) -> bool:
    """Run the passes once; return whether they came to an end."""
    for name in ("error.txt", MANIFEST, DIAGNOSTICS, "pass.txt", explain.LOCATED):
        (folder / name).unlink(missing_ok=True)
    allowed.write(folder)
    with (folder / _LOG).open("w") as stream:
        return _run_worker(worker, folder, stream) == 0


def _run_worker(worker: str, folder: Path, stream: IO[str]) -> int:
    """Run a module's `main(folder)` in a process of its own; return its exit status."""
    return subprocess.run(
        python_command("-m", worker, folder),
        stdout=stream,
        stderr=subprocess.STDOUT,
        stdin=subprocess.DEVNULL,
        env=watched(),
        cwd=folder,  # Where $readmemh finds its files; nothing else is read by a relative path.
        check=False,
    ).returncode


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


def _refusal(request: Request, allowed: Allowances) -> tuple[str, Allowances | None]:
    """Say why Yosys ended the process, and what to allow the reader next, if that may help."""
    folder = Path(request.out)
    error, log, step = (_text(folder / name) for name in ("error.txt", _LOG, "pass.txt"))
    if error or step != read.__name__:
        lines = [line for line in log.splitlines() if line.strip()]
        last = lines[-1] if lines else "no output"
        return error or f"{request.top}: pass {step or 'rewrite'} failed: {last}", None
    state = explain.with_places(State(request, allowed))
    if is_worse(state, allowed):
        return allowed.refused, None
    refused = explain.explain_failure(state, log)
    more = further(state, allowed, log, refused)
    if more is None and explain.lacks_place(state, log):
        _locate(folder)
        refused = explain.explain_located(state, log, refused)
    return refused, more


def _locate(folder: Path) -> None:
    """Search for what the reader failed at, by reading parts of the design."""
    with (folder / "locate.log").open("w") as stream:
        subprocess.run(
            python_command("-m", "goldengate.locate", folder),
            stdout=stream,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            cwd=folder,
            check=False,
        )


def _text(file: Path) -> str:
    return file.read_text(errors="replace") if file.is_file() else ""


def _build(
    request: Request,
    work: Path,
    manifest: Manifest,
    library: Path,
    jobs: int,
    training: Callable[[Path, Path], None] | None,
    waves: bool,
) -> EngineUsed:
    """Make the library with the engine asked for; return what the manifest says of it.

    Where `auto` is to be the faster one, the generated engine takes what runs as a whole, and what
    training shows to be faster in zones: cut into pieces without a profile, a busy design is slower
    than with Verilator.
    """
    engine, refused = request.engine, None
    if engine != "verilator":
        try:
            trained = generated_backend.build(
                work,
                manifest,
                library,
                jobs=jobs,
                training=training,
                waves=waves,
                by_speed=request.by_speed,
                may_refuse=engine == "auto" and request.by_speed and not waves,
                is_guess=_is_guess(training, manifest),
            )
            return EngineUsed("generated", trained=trained)
        except Unsupported as reason:
            if engine == "generated" or waves:
                raise GoldenGateError(not_generated(str(reason))) from reason
            refused = str(reason)
    verilator_backend.build(work, manifest, library, jobs=jobs)
    return EngineUsed("verilator", refused)


def _is_guess(training: Callable[[Path, Path], None] | None, manifest: Manifest) -> bool:
    """Return whether a training draws inputs; what has none but its reset does what it does."""
    inputs = {port.name for port in manifest.ports if port.direction == "in"} - {manifest.reset}
    return isinstance(training, Stimulus) and training.kind == RANDOM and bool(inputs)


def _metasim(
    request: Request,
    work: Path,
    manifest: Manifest,
    library: Path,
    jobs: int,
    training: Callable[[Path, Path], None] | None,
) -> Manifest:
    """Make the library of a FAME-1 form with its host's side; return the target's manifest."""
    host = manifest.host
    assert host is not None
    inner = Request(
        [str(work / name) for name in host.files],
        host.top,
        str(work / "host"),
        clock=host.clock,
        reset=host.reset,
        engine=request.engine,
        by_speed=request.by_speed,
        unknown=request.unknown,
    )
    lowered = lower(inner)
    used = _build(inner, work / "host", lowered, library, jobs, training, False)
    host = dataclasses.replace(host, design_hash=lowered.design_hash)
    return dataclasses.replace(manifest, engine=used, host=host)


def not_generated(reason: str) -> str:
    """Return the sentence that says why the generated engine refuses a design."""
    return f"{reason}; the engine Verilator takes it."


def compile_request(
    request: Request,
    *,
    jobs: int = 2,
    training: Callable[[Path, Path], None] | None = None,
    waves: bool = False,
) -> Path:
    """Compile a design into its folder `request.out`, which is emptied first, and return that.

    A CPU model is `model.so` and its manifest `model.json`, a FAME-1 form `fame1.v`, `target.v`, a
    queue and the manifest; for an FPGA `host.v` and the parts of the host's side are beside them. A
    metasimulation is `model.so`, a model of all that, which the host's clock drives, and the
    manifest. Its `engine` says which it was and why not the generated one, its `warnings` name what
    is read and has no driver, which is 0, with file and line.

    `jobs` bounds the compiler processes. `training` (model folder, profile folder) runs typical
    programs on a model for the generated engine to see what is active when; without it a design is
    cut into small pieces. `waves` makes every wire that has a name visible, which only the
    generated engine can.

    Raises:
        GoldenGateError: the design is refused, or a tool failed.
    """
    if waves and request.target != CPU:
        raise GoldenGateError(f'found target "{request.target}" with waves, expected "cpu".')
    if waves and request.engine == "verilator":
        raise GoldenGateError(
            'found engine "verilator" with waves, expected "generated" or "auto".'
        )
    for key, known in (("unknown", UNKNOWN), ("target", TARGETS)):
        if (found := getattr(request, key)) not in known:
            raise GoldenGateError(f'found {key} "{found}", expected one of: {", ".join(known)}.')
    if request.capture is not None:
        capture.check(request.capture, request.target in (FPGA, METASIM))
    request = request.absolute()
    Path(request.out).mkdir(parents=True, exist_ok=True)
    with with_plain_paths(request) as (plain, links):
        _compile(plain, jobs, training, waves)
        if links is not None:
            _restored(links, Path(plain.out))
    return Path(request.out)


def _compile(
    request: Request,
    jobs: int,
    training: Callable[[Path, Path], None] | None,
    waves: bool,
) -> None:
    """Compile a request whose folder is there."""
    out = Path(request.out)
    work = out / "build"
    shutil.rmtree(work, ignore_errors=True)
    manifest = lower(dataclasses.replace(request, out=str(work)))
    if request.target == METASIM:
        manifest = _metasim(request, work, manifest, out / "model.so", jobs, training)
    elif (form := manifest.host or manifest.fame1) is not None:
        for name in form.files:
            shutil.copyfile(work / name, out / name)
    else:
        library = out / "model.so"
        used = _build(request, work, manifest, library, jobs, training, waves)
        manifest = dataclasses.replace(manifest, engine=used)
    manifest.write(out)


def compile(
    sources: Sequence[Path],
    top: str,
    out: Path,
    *,
    jobs: int = 2,
    training: Callable[[Path, Path], None] | None = None,
    waves: bool = False,
    **more: Any,
) -> Path:
    """Compile files into the folder `out`: `compile_request`, with `more` fields of the request."""
    for key in ("include_dirs", "data_files", "bridges"):
        more[key] = [str(path) for path in more.get(key, ())]
    request = Request([str(source) for source in sources], top, str(out), **more)
    return compile_request(request, jobs=jobs, training=training, waves=waves)
