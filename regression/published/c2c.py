# SPDX-License-Identifier: BSD-3-Clause
"""The card-to-card benchmark: a driver's and an echo's card in RTL, beside a published table.

Both are blades without a processor (target-design/examples/card-to-card). With a handshake a
message and its echo cross the wire four times while the latency counter runs, without it twice. So
over five link latencies that counter must move by exactly 4 (2) times links times latency, and
nothing else may move. That is absolute, as is the time of a word: that of the line within 2 %. The
recipe's link latency is fitted to the first row of the published table; the other rows are compared
in shape. Every frame's IPv4 header is checked. One hash for threads, batches and both RTL engines.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import yaml
from firesim_common.paths import ROOT

from regression.support.captured_frames import frames_in
from regression.support.cluster import Config, merged, run_cluster
from regression.support.experiment import Experiment, ExperimentError, Verdict, experiment_named
from regression.support.simulate import Run

FOLDER = ROOT / "target-design/examples/card-to-card"
RECIPE = FOLDER / "card_to_card.yaml"
HASH = "1b3f5d6f10729689"
"""Of the recipe as it stands."""
MOST_FIRST_ROW_CYCLES = 1
"""Of the first row, to which the latency is fitted: a cycle of it is 1.5 of the kernel's there."""
LATENCIES_CYCLES = (250, 500, 1_000, 2_000, 4_000)
"""Multiples of 125 cycles of the link, which are 24 of the kernel."""
KERNEL_CYCLES, LINK_CYCLES = 24, 125
KERNEL_CLOCK_NS = 3.33
LINE_BYTES_A_NS = 12.5
WORD_BYTES, PACKET_WORDS, FRAMING_BYTES = 64, 23, 66
LINE_KERNEL_CYCLES_A_WORD = (
    (WORD_BYTES + FRAMING_BYTES / PACKET_WORDS) / 8 * KERNEL_CYCLES / LINK_CYCLES
)
PUBLISHED = {
    128: (1_235, 1_236),
    1_024: (1_309, 1_328),
    10_240: (1_571, 1_822),
    102_400: (3_878, 6_439),
}
"""Latency and total in cycles, by bytes: Xilinx HPC, xnik_mem_c2c_benchmark, two Alveo U55C."""
MOST_SLOPE_ERROR, MOST_ROW_ERROR = 0.02, 0.05
_LINE = re.compile(r"c2c ((?:\w+=\d+ ?)+)")


@dataclass(frozen=True)
class Row:
    """The driver's counters after one message, in kernel cycles."""

    latency: int
    send: int
    receive: int
    total: int

    @property
    def streaming(self) -> int:
        """From the first word received to the last one."""
        return self.total - self.latency


Rows = Mapping[tuple[bool, int], Row]
"""By handshake and bytes."""


def recipe(latency_cycles: int, switches: int = 1, **simulation: Any) -> Config:
    """Return the benchmark with as many switches in a row, so one link more a traversal."""
    config: Config = yaml.safe_load(RECIPE.read_text())
    for blade in config["system"]["blades"].values():
        blade["sources"] = [str(FOLDER / name) for name in blade["sources"]]
    if switches > 1:
        names = [f"tor{index}" for index in range(switches)]
        config["system"]["topology"] = {
            "nodes": ["driver", "echo"],
            "switches": names,
            "links": [["driver", names[0]], *map(list, pairwise(names)), [names[-1], "echo"]],
        }
    over = {"system": {"link": {"latency_cycles": latency_cycles}}, "simulation": simulation}
    return merged(config, over)


def rows_of(run: Run) -> Rows:
    """Return what the driver counted.

    Raises:
        ExperimentError: a line is missing, or words were wrong.
    """
    text = (run.folder / "driver/prints.log").read_text()
    found: dict[tuple[bool, int], Row] = {}
    for line in _LINE.findall(text):
        values = {key: int(value) for key, value in (one.split("=") for one in line.split())}
        if values.pop("errors"):
            raise ExperimentError(f"driver: found wrong words: {line}")
        key = (bool(values.pop("handshake")), values.pop("bytes"))
        found[key] = Row(**values)
    wanted = {(handshake, size) for handshake in (True, False) for size in PUBLISHED}
    if set(found) != wanted:
        raise ExperimentError(
            f"driver: found lines for {sorted(found)}, expected {sorted(wanted)}."
        )
    return found


def _exact(experiment: Experiment, switches: int, latencies: tuple[int, ...]) -> bool:
    """Return whether the latency counter moves by what the wire takes, and nothing else moves."""
    links, table, holds = switches + 1, [], True
    runs = {
        latency: rows_of(
            run_cluster(experiment, f"links-{links}-{latency}", recipe(latency, switches))
        )
        for latency in latencies
    }
    first = runs[latencies[0]]
    for latency, rows in runs.items():
        for (handshake, size), row in rows.items():
            before = first[handshake, size]
            crossed = (4 if handshake else 2) * links * (latency - latencies[0])
            expected = crossed * KERNEL_CYCLES // LINK_CYCLES
            moved = row.latency - before.latency
            others = (row.send, row.receive) == (before.send, before.receive)
            holds &= moved == expected and others
            table.append(
                [latency, "yes" if handshake else "no", size, row.latency, moved, expected]
            )
    columns = ["link latency (cycles)", "handshake", "bytes", "latency", "moved by", "expected"]
    experiment.table(f"{links} links a traversal", columns, table)
    return holds


def _seed_row(size: int, latency: int, total: int) -> list[str]:
    """Return a row as the published table has it."""
    round_trip_us = (latency * KERNEL_CLOCK_NS - size / LINE_BYTES_A_NS) / 1000
    gb_s = 2 * size / (total * KERNEL_CLOCK_NS)
    return [
        f"{latency}",
        f"{total}",
        f"{round_trip_us:.5f}",
        f"{round_trip_us / 2:.5f}",
        f"{gb_s:.6g}",
    ]


def _compared(experiment: Experiment, rows: Rows) -> tuple[float, float]:
    """Return the largest error of the other rows, and that of the time of a word."""
    table, errors = [], []
    for size, published in PUBLISHED.items():
        row = rows[True, size]
        table.append(["published", size, *_seed_row(size, *published)])
        table.append(["simulated", size, *_seed_row(size, row.latency, row.total)])
        errors += [abs(row.latency / published[0] - 1), abs(row.total / published[1] - 1)]
    columns = ["", "data size (bytes)", "latency (cycles)", "total time (cycles)", "RTT (us)"]
    columns += ["point-to-point latency (us)", "throughput (GB/s)"]
    experiment.table("The published table", columns, table)
    large, small = rows[True, 102_400].streaming, rows[True, 10_240].streaming
    slope = (large - small) / ((102_400 - 10_240) / WORD_BYTES)
    experiment.keep(kernel_cycles_a_word=slope, of_the_line=LINE_KERNEL_CYCLES_A_WORD)
    return max(errors[2:]), abs(slope / LINE_KERNEL_CYCLES_A_WORD - 1)


def _sound(data: bytes) -> bool:
    """Return whether a frame is UDP of ours over IPv4, with a right checksum and right lengths."""
    header = struct.unpack_from(">10H", data, 14)
    total = sum(header)
    folded = (total & 0xFFFF) + (total >> 16)
    ports = struct.unpack_from(">2H", data, 34)
    udp_bytes = struct.unpack_from(">H", data, 38)[0]
    lengths = header[1] == udp_bytes + 20 and (udp_bytes - 8) % WORD_BYTES == 0
    kind = data[12:14] == b"\x08\x00" and data[14] == 0x45 and data[23] == 17
    return (
        kind
        and (folded + (folded >> 16)) & 0xFFFF == 0xFFFF
        and lengths
        and ports[1] in (5000, 5001)
    )


def _one_hash(experiment: Experiment, latency_cycles: int) -> tuple[Rows, int, int]:
    """Return the rows of the recipe, the ways to run it with its hash, and its sound frames."""
    ways: dict[str, Config] = {
        "1 thread": {"threads": 1, "captures": True},
        "2 threads, random batches": {"threads": 2, "random_batch_seed": experiment.seed | 1},
        "Verilator": {"rtl_engine": "verilator"},
    }
    rows, found, runs = [], [], []
    for name, simulation in ways.items():
        run = run_cluster(experiment, name.replace(" ", "-"), recipe(latency_cycles, **simulation))
        found.append(run.token_hash)
        runs.append(run)
        rows.append([name, run.token_hash, run.end_cycle])
    experiment.table("One hash", ["way to run", "token hash", "end cycle"], rows)
    frames = frames_in(runs[0].folder)
    if not frames or not all(_sound(frame.data) for frame in frames):
        raise ExperimentError("tor0: found a frame that is no UDP over IPv4 as it should be.")
    return rows_of(runs[0]), found.count(HASH), len(frames)


@experiment_named("c2c")
def run(experiment: Experiment) -> Verdict:
    """Hold when the laws are exact, the table has the published shape, and there is one hash."""
    exact = _exact(experiment, 1, LATENCIES_CYCLES)
    if not experiment.quick:
        exact &= _exact(experiment, 2, LATENCIES_CYCLES)
    fitted = int(yaml.safe_load(RECIPE.read_text())["system"]["link"]["latency_cycles"])
    rows, equal, frames = _one_hash(experiment, fitted)
    first_row = rows[True, 128].latency - PUBLISHED[128][0]
    row_error, slope_error = _compared(experiment, rows)
    experiment.keep(fitted_latency_cycles=fitted, first_row_cycles=first_row, frames=frames)
    experiment.keep(row_error=row_error, slope_error=slope_error)
    holds = exact and equal == 3 and abs(first_row) <= MOST_FIRST_ROW_CYCLES
    holds &= row_error <= MOST_ROW_ERROR and slope_error <= MOST_SLOPE_ERROR
    return Verdict(
        holds,
        f"latency exact: {exact}; {equal} of 3 runs with hash {HASH}; with {fitted} cycles a link "
        f"the first row is {first_row:+} cycles off, the others within {row_error:.1%}; a word "
        f"within {slope_error:.1%} of the line's time; {frames} frames sound",
        "exact, 3 of 3, within 1 cycle, 5.0 % and 2.0 %",
    )
