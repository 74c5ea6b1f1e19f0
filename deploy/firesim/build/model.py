"""Blade models: the RTL of a blade through Golden Gate, cached by content."""

from __future__ import annotations

import json
import shutil
from importlib.metadata import version
from pathlib import Path

from firesim.build.cache import cached
from firesim.build.paths import ROOT


def blade_model(name: str) -> Path:
    """Return the folder with `model.so`, `model.json` and `blade.dts` of a blade.

    Raises:
        ToolError, GoldenGateError: a step failed; the message says which and why.
    """
    import goldengate
    from goldengate.verilator_backend import host_fingerprint

    from firesim.build.rtl import blade_rtl

    rtl = blade_rtl(name)
    blade = json.loads((rtl / "blade.json").read_text())

    def build(folder: Path) -> None:
        goldengate.compile(
            [rtl / source for source in blade["sources"]],
            blade["top"],
            folder,
            clock=blade["clock"],
            reset=blade["reset"],
            events=[
                goldengate.Event(event["name"], event["signal"], event["description"])
                for event in blade["events"]
            ],
        )
        shutil.copyfile(rtl / blade["device_tree"], folder / "blade.dts")

    versions = [f"{package} {version(package)}" for package in ("verilator", "pyosys")]
    # A model is compiled for this very processor; a cache on a shared disk may serve several.
    versions.append(host_fingerprint())
    return cached("model", [rtl, *_compiler_files(), ROOT / "sim/engine", *versions], build)


def _compiler_files() -> list[Path]:
    folder = ROOT / "sim/goldengate"
    return [path for path in sorted(folder.rglob("*")) if path.is_file() and _counts(path)]


def _counts(path: Path) -> bool:
    return "tests" not in path.parts and path.suffix in (".py", ".cc", ".h", ".j2", ".v", ".sv")
