# SPDX-License-Identifier: BSD-3-Clause
"""`compile_shared`: as `goldengate.compile_request`, for a FAME-1 form that shares."""

from __future__ import annotations

import dataclasses
import json
import shutil
from pathlib import Path

from goldengate import compiler
from goldengate.capture import check as check_capture
from goldengate.errors import GoldenGateError
from goldengate.fpga_form import FpgaForm
from goldengate.manifest import Manifest
from goldengate.scan_layout import FILE as SCAN_FILE
from goldengate.sharing.exclusions import (
    CAPTURE,
    HOST_RTL,
    MULTI_CYCLE,
    SCAN,
    THREADS,
    excluded,
)
from goldengate.sharing.options import FILE, MOST_THREADS, WANTED, Sharing
from goldengate.state import CPU, FPGA, METASIM, Request


def lower_shared(request: Request, sharing: Sharing) -> Manifest:
    """Run the passes in a process of their own; return the manifest, as `goldengate.lower`.

    Raises:
        GoldenGateError: the design is refused, or nothing of it can be shared so.
    """
    folder = Path(request.out)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / FILE).unlink(missing_ok=True)
    (folder / WANTED).write_text(json.dumps(dataclasses.asdict(sharing)))
    return compiler.run_passes(request, "goldengate.sharing.worker")


def shared_form(request: Request, sharing: Sharing) -> FpgaForm:
    """Write a form that shares, with its host's side, into `request.out`, as `fpga_form` does.

    Raises:
        GoldenGateError: the design is refused, or nothing of it can be shared so.
    """
    request = dataclasses.replace(request, target=FPGA).absolute()
    _check(request, sharing)
    manifest = lower_shared(request, sharing)
    assert manifest.host is not None
    sources = [Path(request.out).absolute() / name for name in manifest.host.files]
    return FpgaForm(sources, manifest.host.top, manifest)


def _check(request: Request, sharing: Sharing) -> None:
    if request.target == CPU:
        raise GoldenGateError(
            'found target "cpu" with shared resources, expected "fame1" or "fpga": a CPU has none.'
        )
    wanted = {
        MULTI_CYCLE: sharing.multi_cycle_memories,
        THREADS: sharing.fame5_threads > 1,
        SCAN: sharing.scan_chain,
        CAPTURE: request.capture is not None,
        HOST_RTL: bool(request.host_rtl),
    }
    if found := excluded(wanted):
        raise GoldenGateError(
            f"{found.feature} cannot be combined with {found.other}: {found.why}. Remove one."
        )
    if sharing.fame5_threads > 1 and request.target == METASIM:
        raise GoldenGateError(
            'found target "metasim" with FAME-5 threads, expected "fame1" or "fpga": each node has '
            "a metasimulation of its own."
        )
    if request.capture is not None:
        check_capture(request.capture, request.target in (FPGA, METASIM))
    if not 1 <= sharing.fame5_threads <= MOST_THREADS:
        raise GoldenGateError(
            f"found {sharing.fame5_threads} FAME-5 threads, expected 1 to {MOST_THREADS}."
        )


def compile_shared(request: Request, sharing: Sharing, *, jobs: int = 2) -> Path:
    """Compile a design that shares into its folder `request.out`, made new, and return that.

    A FAME-1 form, with the host's side for an FPGA, or a metasimulation of that; `sharing.json`
    says what is shared, and the host cycles of a target cycle.

    Raises:
        GoldenGateError: the design is refused, nothing of it can be shared so, or a tool failed.
    """
    _check(request, sharing)
    request = request.absolute()
    out = Path(request.out)
    out.mkdir(parents=True, exist_ok=True)
    work = out / "build"
    shutil.rmtree(work, ignore_errors=True)
    manifest = lower_shared(dataclasses.replace(request, out=str(work)), sharing)
    if request.target == METASIM:
        library = out / "model.so"
        manifest = compiler._metasim(request, work, manifest, library, jobs, None)
    else:
        form = manifest.host or manifest.fame1
        assert form is not None
        for name in form.files:
            shutil.copyfile(work / name, out / name)
    for name in (FILE, SCAN_FILE) if sharing.scan_chain else (FILE,):
        shutil.copyfile(work / name, out / name)
    manifest.write(out)
    return out
