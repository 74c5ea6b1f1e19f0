# SPDX-License-Identifier: BSD-3-Clause
"""A reset that is active low resets when the target is in reset, in either engine, and is said."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

import goldengate
from goldengate import GoldenGateError
from goldengate.harness import RESET_CYCLES, Model, load_manifest
from goldengate.passes.reset_level import NEW_NAME, is_low_by_name
from goldengate.tests.designs import write

CLOCKED = {
    "low edge": ("or negedge {0}", "!{0}"),
    "high edge": ("or posedge {0}", "{0}"),
    "low": ("", "!{0}"),
    "high": ("", "{0}"),
}


def counter(folder: Path, kind: str, reset: str, level: str, engine: str = "generated") -> Path:
    """Compile a counter of the cycles out of reset."""
    edge, condition = (text.format(reset) for text in CLOCKED[kind])
    text = (
        f"module Top(input clock, input {reset}, output reg [7:0] n);\n"
        f"always @(posedge clock {edge}) if ({condition}) n <= 0; else n <= n + 1;\nendmodule\n"
    )
    source = write(folder, text)
    return goldengate.compile(
        [source], "Top", folder / "m", reset=reset, reset_active=level, engine=engine
    )


def counts(model: Path) -> list[int]:
    """Return what is counted in the cycles after reset."""
    manifest = load_manifest(model / "model.so")
    with Model(model / "model.so") as instance:
        instance.reset(RESET_CYCLES, manifest["reset"])
        return [instance.step()["n"] for _ in range(4)]


@pytest.mark.parametrize("engine", ["generated", "verilator"])
@pytest.mark.parametrize(
    ("kind", "reset", "level", "name"),
    [
        ("low edge", "rst_n", "auto", NEW_NAME),
        ("low", "rst_n", "low", NEW_NAME),
        ("low edge", "reset", "auto", NEW_NAME),  # its use counts for more than its name
        ("high edge", "reset_n", "auto", "reset_n"),
        ("high", "reset", "auto", "reset"),
    ],
)
def test_a_counter_begins_when_reset_ends(
    tmp_path: Path, engine: str, kind: str, reset: str, level: str, name: str
) -> None:
    model = counter(tmp_path, kind, reset, level, engine)
    assert load_manifest(model / "model.so")["reset"] == name
    assert counts(model) == [0, 1, 2, 3]


def test_what_is_found_out_is_said(tmp_path: Path) -> None:
    def warnings(kind: str, reset: str, level: str) -> list[str]:
        model = counter(tmp_path, kind, reset, level)
        return list(load_manifest(model / "model.so").get("warnings", []))

    low = "Top: the reset 'rst_n' is taken as active low: {}; it is 0 in target cycles 0 to 15."
    assert warnings("low edge", "rst_n", "auto") == [
        low.format("registers are reset at its falling edge")
    ]
    assert warnings("low", "rst_n", "auto") == [low.format("its name says so")]
    assert warnings("low", "rst_n", "low") == []
    assert warnings("high edge", "rst_n", "auto") == [
        "Top: the reset 'rst_n' is taken as active high, against its name: registers are reset at "
        "its rising edge."
    ]


def test_names_that_say_so() -> None:
    low = "rst_n rst_ni reset_n resetn aresetn sys_rst_n_i reset_b rstb rst_l nreset n_rst RST_N"
    high = "rst reset rst_i arst reset_now rest reset_in srst in_reset reset_bit"
    assert all(map(is_low_by_name, low.split()))
    assert not any(map(is_low_by_name, high.split()))


def test_a_level_that_is_none_is_refused(tmp_path: Path) -> None:
    text = "module Top(input clock, input reset, output y); assign y = reset;\nendmodule\n"
    source = write(tmp_path, text)
    request = goldengate.Request([str(source)], "Top", str(tmp_path / "m"))
    with pytest.raises(GoldenGateError, match='found reset_active "up", expected one of: high, '):
        goldengate.lower(dataclasses.replace(request, reset_active="up"))
