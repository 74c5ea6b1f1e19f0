# SPDX-License-Identifier: BSD-3-Clause
"""The elaborated SoC runs programs: trace, traps, interrupts, coherent DMA and several harts.

The SoC alone is compiled with Verilator and the test bench in target-design/rocket/tests.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from firesim.build.cores import Cores
from firesim.build.rtl import ADDRESS_MAP, ROCKET, rocket_soc
from firesim_common.cache import cached
from firesim_common.paths import plain_link
from firesim_common.tools import run, verilator_environment

BENCH = plain_link(ROCKET / "tests")
MACHINE_ECALL, MACHINE_TIMER, MACHINE_EXTERNAL = 11, 7, 11


@dataclass(frozen=True)
class Traced:
    """One line of the trace."""

    cycle: int
    kind: str
    pc: int
    instruction: int
    privilege: int
    cause: int


@cache
def _bench(cores: int) -> Path:
    soc = rocket_soc(Cores(cores))

    def build(folder: Path) -> None:
        environment = verilator_environment()
        sources = [*sorted(soc.glob("*.sv")), *sorted(soc.glob("*.v")), BENCH / "soc_bench.cc"]
        options = ["--cc", "--exe", "--prefix", "Vsoc", "--top-module", f"RocketSoC{cores}"]
        options += ["-O3", "--assert", "-Wno-lint", "-Wno-style", "-o", "soc_bench"]
        flags = f"-std=c++20 -Wall -Wextra -I{BENCH} -I{plain_link(ADDRESS_MAP.parent)}"
        verilate: list[str | Path] = ["verilator", *options, "-Mdir", folder, "-CFLAGS", flags]
        run([*verilate, *sources], env=environment)
        make: list[str | Path] = ["make", "-C", folder, "-f", "Vsoc.mk", "-j2", "OPT_FAST=-O1"]
        run([*make, "CFG_CXXFLAGS_PCH_I=-include"], env=environment)

    return cached("soc-bench", [soc.name, BENCH, ADDRESS_MAP], build) / "soc_bench"


def _program(folder: Path, spin_cycles: int, other_harts: int) -> Path:
    elf, image = folder / "smoke.elf", folder / "smoke.bin"
    options = ["-march=rv64gc", "-mabi=lp64d", "-mcmodel=medany", "-nostdlib", "-nostartfiles"]
    options += [f"-DSPIN_CYCLES={spin_cycles}", f"-DOTHER_HARTS={other_harts}"]
    options += [f"-I{ADDRESS_MAP.parent}", "-Wl,-Ttext=0x80000000", "-Wl,--build-id=none"]
    run(["riscv64-unknown-elf-gcc", *options, "-o", elf, BENCH / "smoke.S"])
    run(["riscv64-unknown-elf-objcopy", "-O", "binary", elf, image])
    return image


def _symbols(folder: Path) -> dict[str, int]:
    lines = run(["riscv64-unknown-elf-nm", folder / "smoke.elf"]).splitlines()
    return {line.split()[2]: int(line.split()[0], 16) for line in lines}


def _simulate(
    folder: Path,
    *,
    cores: int = 1,
    latency_cycles: int = 40,
    max_cycles: int = 20_000,
    dma: str = "-",
    spin_cycles: int = 1,
    other_harts: int | None = None,
) -> tuple[dict[str, Any], list[Traced]]:
    expected = cores - 1 if other_harts is None else other_harts
    image, trace = _program(folder, spin_cycles, expected), folder / "trace.txt"
    arguments: list[str | Path] = [image, trace, str(latency_cycles), str(max_cycles), dma]
    result: dict[str, Any] = json.loads(run([_bench(cores), *arguments]))
    words = (line.split() for line in trace.read_text().splitlines())
    return result, [
        Traced(int(w[0]), w[1], int(w[2], 16), int(w[3], 16), int(w[4]), int(w[5])) for w in words
    ]


def test_program_runs_and_the_trace_shows_it(tmp_path: Path) -> None:
    result, trace = _simulate(tmp_path)
    assert result["ended"] and result["exit_value"] == 0x5555
    symbols = _symbols(tmp_path)

    assert [entry.pc for entry in trace[:7]] == list(range(0x10000, 0x1001C, 4))  # boot ROM
    assert trace[7].pc == symbols["_start"] == 0x80000000
    assert all(entry.privilege == 3 for entry in trace)

    traps = [entry for entry in trace if entry.kind != "commit"]
    assert [(entry.kind, entry.cause) for entry in traps] == [
        ("trap", MACHINE_ECALL),
        ("interrupt", MACHINE_TIMER),
        ("interrupt", MACHINE_EXTERNAL),
    ]
    assert traps[0].pc == symbols["ecall_here"] and traps[0].instruction == 0x73
    after = [trace[trace.index(trap) + 1].pc for trap in traps]
    assert after == [symbols["trap"]] * 3
    # An interrupted instruction commits after the return; a trapped ecall never does.
    committed = [entry.pc for entry in trace if entry.kind == "commit"]
    assert symbols["ecall_here"] not in committed
    assert traps[1].pc in committed and traps[2].pc in committed


def test_trace_agrees_with_the_program_image(tmp_path: Path) -> None:
    _, trace = _simulate(tmp_path)
    image = (tmp_path / "smoke.bin").read_bytes()
    for entry in (entry for entry in trace if entry.pc >= 0x80000000):
        offset = entry.pc - 0x80000000
        low = int.from_bytes(image[offset : offset + 2], "little")
        size = 4 if low & 3 == 3 else 2
        assert entry.instruction == int.from_bytes(image[offset : offset + size], "little")


@pytest.mark.parametrize("dma", ["r", "w", "rw"])
def test_dma_sustains_what_a_network_card_needs(tmp_path: Path, dma: str) -> None:
    result, _ = _simulate(
        tmp_path, latency_cycles=100, max_cycles=12_000, dma=dma, spin_cycles=1_000_000
    )
    cycles = result["cycles"] - result["dma_start_cycle"]
    for letter, key in (("r", "dma_bytes_read"), ("w", "dma_bytes_written")):
        bytes_per_cycle = result[key] / cycles
        assert bytes_per_cycle >= 4.0 if letter in dma else bytes_per_cycle == 0


def test_two_harts_share_memory(tmp_path: Path) -> None:
    result, _ = _simulate(tmp_path, cores=2)
    assert result["ended"] and result["exit_value"] == 0x5555


def test_a_missing_hart_is_noticed(tmp_path: Path) -> None:
    result, _ = _simulate(tmp_path, other_harts=1)
    assert not result["ended"]
