# SPDX-License-Identifier: BSD-3-Clause
"""What of the compiler itself a compiled model depends on, for the cache of models."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path

from goldengate.bridges import bridge_kinds
from goldengate.engine.backend import compiler_version
from goldengate.verilator_backend import ENGINE_FOLDER, host_fingerprint

_PACKAGE = Path(__file__).resolve().parent
_MAKE_NO_MODELS = (
    "harness.py",
    "bridge_files.py",
    "stalls.py",
    "synthesis.py",
    "synthesis_cells.py",
)


def code_of(*folders: str) -> list[Path]:
    """Return the modules of folders of this package."""
    return [path for part in folders for path in sorted((_PACKAGE / part).glob("*.py"))]


def compiler_key(engine: str = "auto", bridges: Sequence[Path] = ()) -> list[str | Path]:
    """Return the cache key parts that stand for this compiler, its tools and this processor.

    `bridges` are declarations beside our own, as for `goldengate.compile`.

    Raises:
        GoldenGateError: a bad declaration.
    """
    folders = ("", "passes", "tasks") + (() if engine == "verilator" else ("engine",))
    code = code_of(*folders)
    for module in _MAKE_NO_MODELS:
        code.remove(_PACKAGE / module)
    headers = ENGINE_FOLDER.glob if engine == "verilator" else ENGINE_FOLDER.rglob
    tools = [f"{package} {version(package)}" for package in ("verilator", "pyosys", "pyslang")]
    tools.append(compiler_version())
    tools += [kind.contract() for kind in bridge_kinds(bridges).values()]
    # A model is compiled for this very processor; a cache on a shared disk may serve several.
    return [*code, *sorted(headers("*.[ch]*")), *tools, host_fingerprint()]
