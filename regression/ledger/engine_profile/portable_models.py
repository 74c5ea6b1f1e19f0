# SPDX-License-Identifier: BSD-3-Clause
"""Models compiled once more, for a processor that tools such as valgrind know.

Users' models are compiled for the processor of the host. These are the same C++ and the same
options but for `-march`.
"""

from __future__ import annotations

import shutil
from pathlib import Path

from firesim.build.model import blade_model
from firesim.build.simulator import PORTABLE_MARCH
from firesim_common.cache import cached
from goldengate import Manifest, verilator_backend
from goldengate.engine import access, backend
from goldengate.verilator_backend import FAST

MARCH = f"-march={PORTABLE_MARCH}"
_JOBS = 2


def portable_model(blade: str, engine: str) -> Path:
    """Return the folder with `model.so` of a blade, like blade_model's but for `-march`.

    Raises:
        ToolError, GoldenGateError: a step failed.
    """
    native = blade_model(blade, engine)

    def build(folder: Path) -> None:
        for name in ("model.json", "blade.dts"):
            shutil.copyfile(native / name, folder / name)
        manifest = Manifest.read(native)
        work, library = folder / "build", folder / "model.so"
        if engine == "generated":
            shutil.copytree(native / "build/generated", work)
            state = access.state_hash(backend.read_design(native / "build", manifest))
            flags = [MARCH, "-Wno-invalid-offsetof", f"-DFIRESIM_STATE_HASH=0x{state:016x}u"]
            backend.compile_files(sorted(work.glob("*.cc")), library, _JOBS, flags)
        else:
            shutil.copytree(native / "build", work)
            fast = f"{FAST} {MARCH}"  # the last -march= counts
            verilator_backend.build(work, manifest, library, jobs=_JOBS, fast=fast)
        shutil.rmtree(work)

    return cached("portable-model", [native, Path(__file__), MARCH], build)
