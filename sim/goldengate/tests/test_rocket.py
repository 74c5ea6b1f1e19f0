# SPDX-License-Identifier: BSD-3-Clause
"""A Rocket SoC through Golden Gate equals the original in plain Verilator."""

from __future__ import annotations

import json
from pathlib import Path

from firesim.build.cores import SIZES
from firesim.build.rtl import rocket_soc
from firesim_common.cache import cached
from firesim_common.tools import run

import goldengate
from goldengate import verilator_backend
from goldengate.cache_key import compiler_key
from goldengate.tests.reference.plain import ENGINE, HERE, build_plain

CYCLES = 60_000


def _models() -> Path:
    """Return a folder with golden_gate/model.so, plain/plain.so, axi_bench and loop.bin."""
    # The engines of a big core are compared in engine-exact; here it takes twice the time.
    rtl = rocket_soc(SIZES["small"])
    sources = sorted(rtl.glob("*.*v"))

    def build(folder: Path) -> None:
        # The generated engine is compared with this one in the experiment engine-exact. To compile
        # well would take longer than all the cycles here.
        model = folder / "golden_gate"
        work = model / "build"
        names = [str(source) for source in sources]
        request = goldengate.Request(names, "RocketSoC1", str(work), engine="verilator")
        lowered = goldengate.lower(request)
        verilator_backend.build(work, lowered, model / "model.so", jobs=2, fast="-O1")
        manifest = json.loads((work / "model.json").read_text())
        build_plain(sources, manifest, folder / "plain")
        run(["g++", "-O2", "-std=c++20", "-I", ENGINE, "-o", folder / "axi_bench",
             HERE / "axi_bench.cc", "-ldl"])  # fmt: skip
        elf = folder / "loop.elf"
        run(["riscv64-unknown-elf-gcc", "-march=rv64imac", "-mabi=lp64", "-nostdlib",
             "-Ttext=0x80000000", "-o", elf, HERE / "loop.S"])  # fmt: skip
        run(["riscv64-unknown-elf-objcopy", "-O", "binary", elf, folder / "loop.bin"])

    reference = sorted(path for path in HERE.iterdir() if path.is_file())
    return cached("rocket-comparison", [*sources, *compiler_key("verilator"), *reference], build)


def _run(folder: Path, library: str) -> str:
    out = run([folder / "axi_bench", folder / library, folder / "loop.bin", "0x80000000",
               str(CYCLES)])  # fmt: skip
    return out.split()[0]


def test_rocket_is_equal() -> None:
    folder = _models()
    assert _run(folder, "plain/plain.so") == _run(folder, "golden_gate/model.so")
