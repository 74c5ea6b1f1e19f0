# SPDX-License-Identifier: BSD-3-Clause
"""Signals that a form for an FPGA captures: as asked for, as laid out, and the text around them.

The signals stand side by side at an output of the target, the first one lowest; like counters they
are no tokens. `firesim_capture.v` keeps them in a ring as the target takes its steps.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from goldengate.errors import GoldenGateError

PORT = "firesim_capture"
PART = "firesim_capture.v"
LEAST_DEPTH_CYCLES, MOST_DEPTH_CYCLES = 16, 1 << 16
MOST_BITS = 4096
"""Of all signals together."""


@dataclass(frozen=True)
class Capture:
    """Which signals, by hierarchical name, and how many cycles of them are kept."""

    signals: tuple[str, ...]
    depth_cycles: int

    @staticmethod
    def from_json(data: dict[str, Any]) -> Capture:
        """Undo `dataclasses.asdict`."""
        return Capture(tuple(data["signals"]), data["depth_cycles"])


@dataclass(frozen=True)
class CapturedSignal:
    """Where a signal is in a row of the ring."""

    name: str
    low_bit: int
    width_bits: int


@dataclass(frozen=True)
class CaptureLayout:
    """The ring of a form."""

    depth_cycles: int
    signals: list[CapturedSignal]

    @property
    def width_bits(self) -> int:
        """Width of a row."""
        return sum(signal.width_bits for signal in self.signals)

    @staticmethod
    def from_json(data: dict[str, Any]) -> CaptureLayout:
        """Undo `dataclasses.asdict`."""
        return CaptureLayout(
            data["depth_cycles"], [CapturedSignal(**each) for each in data["signals"]]
        )


def depth_problem(depth_cycles: int) -> str | None:
    """Return what is wrong with a depth, None if nothing is."""
    in_range = LEAST_DEPTH_CYCLES <= depth_cycles <= MOST_DEPTH_CYCLES
    if in_range and depth_cycles.bit_count() == 1:
        return None
    return (
        f"found {depth_cycles}, expected a power of two from {LEAST_DEPTH_CYCLES} to "
        f"{MOST_DEPTH_CYCLES}."
    )


def check(capture: Capture, on_platform: bool) -> None:
    """Refuse what no design could have captured so.

    Raises:
        GoldenGateError: a CPU model is asked for it, no signal is named or one twice, or the depth
            is none that the ring can have.
    """
    if not on_platform:
        raise GoldenGateError('found a capture, expected target "fpga" or "metasim" with it.')
    if not capture.signals:
        raise GoldenGateError("capture: found no signal, expected at least one.")
    for index, name in enumerate(capture.signals):
        if name in capture.signals[:index]:
            raise GoldenGateError(f"capture: found '{name}' twice, expected it once.")
    if problem := depth_problem(capture.depth_cycles):
        raise GoldenGateError(f"capture: depth_cycles: {problem}")


def lay_out(depth_cycles: int, signals: Iterable[tuple[str, int]]) -> CaptureLayout:
    """Return the ring of signals with these names and widths.

    Raises:
        GoldenGateError: they are too wide together.
    """
    found: list[CapturedSignal] = []
    low_bit = 0
    for name, width_bits in signals:
        found.append(CapturedSignal(name, low_bit, width_bits))
        low_bit += width_bits
    if low_bit > MOST_BITS:
        raise GoldenGateError(
            f"capture: found {low_bit} bits in all signals, expected at most {MOST_BITS}."
        )
    return CaptureLayout(depth_cycles, found)


def design_hash(design: str, layout: CaptureLayout | None) -> str:
    """Return the fingerprint of a design with this ring: its own without."""
    if layout is None:
        return design
    return hashlib.sha256((design + repr(layout)).encode()).hexdigest()[:16]


def host_text(layout: CaptureLayout, others: str, found: str) -> list[str]:
    """Return the text of the ring in host.v; what its registers and `others` read as is `found`."""
    width_bits, log_depth = layout.width_bits, layout.depth_cycles.bit_length() - 1
    return [
        "  // The capture: " + ", ".join(signal.name for signal in layout.signals),
        f"  wire [{width_bits - 1}:0] {PORT};",
        "  wire [31:0] capture_found;",
        f"  assign {found} = {others} | capture_found;",
        f"  firesim_capture #(.WIDTH({width_bits}), .LOG_DEPTH({log_depth})) capture (",
        f"    .host_clock(host_clock), .host_reset(host_reset), .step(step), .value({PORT}),",
        "    .write(axil_awvalid & axil_awready), .awaddr(axil_awaddr), .wdata(axil_wdata),",
        "    .araddr(axil_araddr), .found(capture_found));",
    ]
