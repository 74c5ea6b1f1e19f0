# SPDX-License-Identifier: BSD-3-Clause
"""What place and route says of a board with several clocks."""

from __future__ import annotations

from typing import Any

import pytest
from firesim.bitstream.builders.open_tools_job import host_clock


def report(**clocks: tuple[float, float]) -> dict[str, Any]:
    return {
        "fmax": {
            name: {"achieved": achieved, "constraint": wanted}
            for name, (achieved, wanted) in clocks.items()
        }
    }


@pytest.mark.parametrize(
    ("clocks", "reached", "sentence"),
    [
        ({"host": (58.3, 50.0)}, 58.3, ""),
        ({"host": (40.0, 50.0)}, 40.0, ""),
        ({"host": (58.3, 50.0), "ethernet": (191.5, 125.0)}, 58.3, ""),
        ({"one": (58.3, 50.0), "two": (55.0, 50.0)}, 55.0, ""),
        (
            {"host": (58.3, 50.0), "ethernet": (99.96, 125.0)},
            58.3,
            "found 100.0 MHz for the clock ethernet after place and route, expected at least "
            "125.0, which the board gives it",
        ),
        (
            {"ethernet": (130.0, 125.0)},
            0.0,
            "found no clock of 50 MHz after place and route (only ethernet of 125.0), expected "
            "the host clock with FREQUENCY in the board's pins file",
        ),
        (
            {},
            0.0,
            "found no clock of 50 MHz after place and route (only none), expected the host clock "
            "with FREQUENCY in the board's pins file",
        ),
    ],
)
def test_each_clock_is_compared_with_its_own(
    clocks: dict[str, tuple[float, float]], reached: float, sentence: str
) -> None:
    assert host_clock(report(**clocks), 50.0) == (reached, sentence)


def test_a_clock_that_is_missed_names_its_slowest_path() -> None:
    found = report(host=(58.3, 50.0), ethernet=(99.96, 125.0))
    ends = {"host": ("a_TRELLIS_FF_Q", "b_TRELLIS_FF_Q"), "ethernet": ("c_DP16KD", "d_TRELLIS_FF")}
    found["critical_paths"] = [
        {
            "from": f"posedge {clock}",
            "to": f"posedge {clock}",
            "path": [{"from": {"cell": first}, "to": {"cell": last}}],
        }
        for clock, (first, last) in ends.items()
    ]
    assert host_clock(found, 50.0)[1].endswith("(slowest: from c_DP16KD to d_TRELLIS_FF)")
    # A path from one clock to another is neither's.
    found["critical_paths"][1]["from"] = "posedge host"
    assert host_clock(found, 50.0)[1].endswith("which the board gives it")
