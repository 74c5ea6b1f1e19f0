# SPDX-License-Identifier: BSD-3-Clause
"""The text around a target with a scan chain: its ports through `fame1.v` and `host.v`.

`firesim_scan.v` drives them, by registers of its own and the words of both streams.
"""

from __future__ import annotations

from dataclasses import dataclass

from goldengate.errors import GoldenGateError
from goldengate.scan_layout import WORD_BITS, ScanLayout

PREFIX = "firesim_scan_"
PART = "firesim_scan.v"
MOST_POINTS, MOST_ROW_WORDS, MOST_ROWS = 65535, 255, 1 << 32


@dataclass(frozen=True)
class ScanPort:
    """A port of the target, without PREFIX."""

    name: str
    width: int
    is_input: bool


def target_ports(layout: ScanLayout) -> list[ScanPort]:
    """Return the ports by which the host gets at the state."""
    found = [
        ScanPort("shift", 1, True),
        ScanPort("in", WORD_BITS, True),
        ScanPort("out", WORD_BITS, False),
    ]
    if layout.memories:
        found += [
            ScanPort("fetch", 1, True),
            ScanPort("write", 1, True),
            ScanPort("point", 16, True),
            ScanPort("word", 8, True),
            ScanPort("row", layout.row_bits, True),
            ScanPort("data", WORD_BITS * layout.row_words, True),
            ScanPort("found", WORD_BITS, False),
        ]
    return found


def _range(port: ScanPort) -> str:
    return f"[{port.width - 1}:0]"


def with_scan(text: str, fire: str, layout: ScanLayout) -> str:
    """Return the text of fame1.v with the ports of the chain, which go through to the target."""
    ports = target_ports(layout)
    head, opened, tail = text.partition("_fame1 (\n")
    connected = f"    .{fire}(step)"
    if not opened or connected not in tail:
        raise GoldenGateError("found another text of fame1.v than expected.")
    declared = "".join(
        f"  {'input' if port.is_input else 'output'} wire {_range(port)} {PREFIX}{port.name},\n"
        for port in ports
    )
    more = "".join(f",\n    .{PREFIX}{port.name}({PREFIX}{port.name})" for port in ports)
    return head + opened + declared + tail.replace(connected, connected + more, 1)


def stream_names(layout: ScanLayout | None) -> list[str]:
    """Return the streams of commands and rows: those of the host, but while it scans."""
    if layout is None:
        return [
            "  wire commands_valid = down_valid;",
            "  wire commands_ready, rows_valid, rows_ready = up_ready;",
            "  wire [63:0] rows_data;",
            "  assign down_ready = commands_ready;",
            "  assign up_valid = rows_valid;",
            "  assign up_data = rows_data;",
            "  wire scan_load, scan_row_load;",
            "  wire [31:0] scan_words = 32'd0;",
        ]
    ports = target_ports(layout)
    lines = [f"  wire {_range(port)} {PREFIX}{port.name};" for port in ports]
    if not layout.memories:
        lines.append(f"  wire [63:0] {PREFIX}found = 64'd0;")
    return [
        *lines,
        "  wire scanning, scan_ready, scan_valid, scan_load, scan_row_load;",
        "  wire [63:0] scan_data;",
        f"  wire [31:0] scan_words = 32'd{layout.chain_words};",
        "  wire commands_ready, rows_valid;",
        "  wire commands_valid = down_valid & ~scanning, rows_ready = up_ready & ~scanning;",
        "  wire [63:0] rows_data;",
        "  assign down_ready = scanning ? scan_ready : commands_ready;",
        "  assign up_valid = scanning ? scan_valid : rows_valid;",
        "  assign up_data = scanning ? scan_data : rows_data;",
    ]


def scan_instance(layout: ScanLayout | None) -> list[str]:
    """Instantiate what drives the chain's ports."""
    if layout is None:
        return []
    given = ["shift", "in", "out", "found"]
    if layout.memories:
        given += ["fetch", "write", "point", "word", "row", "data"]
    return [
        f"  firesim_scan #(.ROW_BITS({layout.row_bits}), .ROW_WORDS({layout.row_words})) scan (",
        "    .host_clock(host_clock), .host_reset(host_reset), .running(running),",
        "    .load(scan_load), .row_load(scan_row_load), .value(axil_wdata),",
        "    .down_valid(down_valid), .down_ready(scan_ready), .down_data(down_data),",
        "    .up_valid(scan_valid), .up_ready(up_ready), .up_data(scan_data),",
        "    .scanning(scanning), " + ", ".join(f".{each}({PREFIX}{each})" for each in given),
        "  );",
    ]


def form_connections(layout: ScanLayout | None) -> list[str]:
    """Return the connections of the form to the chain's ports."""
    ports = target_ports(layout) if layout else []
    return [f".{PREFIX}{port.name}({PREFIX}{port.name})" for port in ports]


def check(top: str, layout: ScanLayout) -> None:
    """Refuse what the host's registers have no room for.

    Raises:
        GoldenGateError: the target has too many memories, or too wide ones.
    """
    numbers = [one.point for one in layout.memories] + [one.point for one in layout.latches]
    points = max(numbers, default=0)
    for found, most, what in (
        (points, MOST_POINTS, "points of access to memories"),
        (layout.row_words, MOST_ROW_WORDS, "words of 64 bits in the widest row"),
        (1 << layout.row_bits, MOST_ROWS, "rows in the largest memory"),
    ):
        if found > most:
            text = f"found {found} {what}, expected at most {most} for a scan chain."
            raise GoldenGateError(f"{top}: {text}")
