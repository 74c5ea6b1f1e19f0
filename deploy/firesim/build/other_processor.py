# SPDX-License-Identifier: BSD-3-Clause
"""Models compiled once more for another processor than this computer's.

C++ and options are the same except for `-march`: training and cutting were done on the
model for this computer, so the state and the hash of the design are the same.
"""

from __future__ import annotations

import shutil
from pathlib import Path

from firesim_common.cache import KeyPart, cached

NATIVE = "native"
_JOBS = 2


def model_for(native: Path, march: str) -> Path:
    """Return the folder with `model.so` and `model.json`, like `native` except for `march`.

    Raises:
        ToolError, GoldenGateError: a step failed.
    """
    if march == NATIVE:
        return native
    from goldengate.cache_key import compiler_key

    key: list[KeyPart] = [native, Path(__file__), march, *compiler_key()]
    return cached("other-processor", key, lambda folder: _build(native, folder, march))


def _build(native: Path, folder: Path, march: str) -> None:
    from goldengate import Manifest, verilator_backend
    from goldengate.engine import access, backend
    from goldengate.verilator_backend import FAST

    for name in ("model.json", "blade.dts"):
        if (native / name).is_file():
            shutil.copyfile(native / name, folder / name)
    made = native / "build"
    if Manifest.read(native).host is not None:  # A metasimulation: its model holds the host, too.
        made /= "host"
        manifest = Manifest.read(made)
    else:
        manifest = Manifest.read(native)
    work, library, option = folder / "build", folder / "model.so", f"-march={march}"
    if (made / "generated").is_dir():
        shutil.copytree(made / "generated", work)
        state = access.state_hash(backend.read_design(made, manifest))
        flags = [option, "-Wno-invalid-offsetof", f"-DFIRESIM_STATE_HASH=0x{state:016x}u"]
        backend.compile_files(sorted(work.glob("*.cc")), library, _JOBS, flags)
    else:
        shutil.copytree(made, work)
        fast = f"{FAST} {option}"  # the last -march= counts
        verilator_backend.build(work, manifest, library, jobs=_JOBS, fast=fast)
    shutil.rmtree(work)
