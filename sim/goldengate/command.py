# SPDX-License-Identifier: BSD-3-Clause
"""What `firesim build verilog TOP FILE...` does: files in, a model folder out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path

from firesim_common.cache import cached

from goldengate.bridges import bridge_kinds
from goldengate.compiler import compile
from goldengate.engine.backend import compiler_version
from goldengate.passes.rewrite import check_readable
from goldengate.state import Event
from goldengate.verilator_backend import ENGINE_FOLDER, host_fingerprint

_PACKAGE = Path(__file__).resolve().parent


def compiler_key(engine: str = "auto", bridges: Sequence[Path] = ()) -> list[str | Path]:
    """Return the cache key parts that stand for this compiler, its tools and this processor.

    `bridges` are declarations beside our own, as for `goldengate.compile`.

    Raises:
        GoldenGateError: a bad declaration.
    """
    folders = ("", "passes") if engine == "verilator" else ("", "passes", "engine")
    code = [path for part in folders for path in sorted((_PACKAGE / part).glob("*.py"))]
    for module in ("harness.py", "bridge_files.py"):  # They make no models.
        code.remove(_PACKAGE / module)
    headers = ENGINE_FOLDER.glob if engine == "verilator" else ENGINE_FOLDER.rglob
    tools = [f"{package} {version(package)}" for package in ("verilator", "pyosys")]
    if engine != "verilator":
        tools.append(compiler_version())
    tools += [kind.contract() for kind in bridge_kinds(bridges).values()]
    # A model is compiled for this very processor; a cache on a shared disk may serve several.
    return [*code, *sorted(headers("*.[ch]*")), *tools, host_fingerprint()]


def build(
    top: str,
    files: Sequence[Path],
    out: Path | None = None,
    *,
    events: Sequence[Event] = (),
    defines: Mapping[str, str | None] | None = None,
    parameters: Mapping[str, str] | None = None,
    data_files: Sequence[Path] = (),
    include_dirs: Sequence[Path] = (),
    clock: str = "clock",
    reset: str = "reset",
    clock_ratios: Mapping[str, str] | None = None,
    jobs: int = 2,
    engine: str = "auto",
    bridges: Sequence[Path] = (),
    unknown: str = "zero",
) -> Path:
    """Compile a design and return the folder with model.so and model.json.

    With `out`, that folder is filled anew; without, the result comes from the build cache.

    Raises:
        GoldenGateError: the design is refused; the message is one sentence for the user.
    """
    sources = [Path(file) for file in files]

    def into(folder: Path) -> None:
        compile(
            sources,
            top,
            folder,
            clock=clock,
            reset=reset,
            clock_ratios=clock_ratios,
            events=events,
            include_dirs=include_dirs,
            defines=defines,
            parameters=parameters,
            data_files=data_files,
            jobs=jobs,
            engine=engine,
            bridges=bridges,
            unknown=unknown,
        )

    if out is not None:
        into(out)
        return out
    for path in sources:
        check_readable(path)
    named = [sorted((given or {}).items()) for given in (defines, parameters, clock_ratios)]
    names = [Path(file).name for file in data_files]
    options = repr((top, clock, reset, list(events), *named, names, engine, unknown))
    key = [*compiler_key(engine, bridges), options, *sources, *include_dirs, *data_files]
    return cached("verilog", key, into)
