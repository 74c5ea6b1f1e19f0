# SPDX-License-Identifier: BSD-3-Clause
"""The Tcl by which Vivado says what a routed design takes and misses: for every builder of its.

Before it a script sets `begun` (seconds), and after route `fmax` (MHz).
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from firesim.bitstream.builders.base import RESULT
from firesim.boards.board import Resources

CHECK = "timing_check.tcl"
"""What is sourced beside a build's script, from this folder."""
CHECK_FILE = Path(__file__).with_name(CHECK)
REPORTS = ("timing.rpt", "cdc.rpt", "methodology.rpt")
"""What the check leaves, also of a build that it refuses."""
STABLE = ("*/firesim_words_reg*/*", "*/firesim_oldest_reg*/D")
"""Source and destination within a queue of ours (firesim_crossing.v) that Vivado takes for a
crossing without synchroniser: a word is read some cycles after it was written, when its pointer is
over."""
KINDS = {
    "lut": ("LUT", "LUT*"),
    "ff": ("FF", "FD*"),
    "bram": ("RAMB", "RAMB*"),
    "uram": ("URAM", "URAM*"),
    "dsp": ("DSP", "DSP48E*"),
}
"""Name and REF_NAME of the cells that are counted."""


def counts(resources: Resources, within: str | None = None) -> list[str]:
    """Return what puts the count of each kind that the device has into `parts`.

    `within` is the cell whose own are counted, else all are.
    """
    there = {
        "lut": resources.lut,
        "ff": resources.ff,
        "bram": resources.bram_kbit // 18,
        "uram": resources.uram,
        "dsp": resources.dsp,
    }
    inside = "" if within is None else f"NAME =~ {within}/* && "
    lines = ["set parts {}"]
    for kind, (name, cells) in KINDS.items():
        if not there[kind]:
            continue
        found = f"[get_cells -hierarchical -filter {{{inside}REF_NAME =~ {cells}}} -quiet]"
        used = f'{{\\"used\\": [llength {found}], \\"available\\": {there[kind]}}}'
        lines.append(f'lappend parts "\\"{name}\\": {used}"')
    return lines


def checked(within: str, cores: Sequence[str]) -> list[str]:
    """Return what ends the build, with a sentence, when the routed design misses anything.

    Pins without constraint and crossings are looked for below the cell `within` ("" for all), not
    for crossings inside one of `cores`, whose makers have judged them.
    """
    allowed = f"{{{STABLE[0]} {STABLE[1]}}}"
    return [
        f"source {CHECK}",
        f"set missed [timing_faults {{{within}}} {{{' '.join(cores)}}} {{{allowed}}}]",
        "if {[llength $missed]} {",
        '  puts "firesim fault: [join $missed {; also }]"',
        "  exit 1",
        "}",
    ]


def written() -> list[str]:
    """Return what writes the result file of `fmax`, `parts` and `begun`."""
    return [
        f"set out [open {RESULT} w]",
        'puts $out "{\\"fmax_mhz\\": [format %.2f $fmax], \\"used\\": {[join $parts {, }]}, '
        '\\"cpu_s\\": {\\"vivado\\": [expr {double([clock seconds] - $begun)}]}, '
        '\\"memory_mb\\": 0.0, \\"tools\\": {\\"vivado\\": \\"[version -short]\\"}}"',
        "close $out",
    ]
