# SPDX-License-Identifier: BSD-3-Clause
"""What cannot be asked of a sample: names that are none, options that exclude each other."""

from __future__ import annotations

from typing import Any

from regression.robustness.bad_input.case import Case

RECIPE = "system: {topology: rack_1}\nworkload: {node: {program: hello}}\n"


def _case(name: str, message: str, **settings: Any) -> Case:
    return Case(name, message, RECIPE, sampled=settings)


SAMPLING_CASES = [
    _case(
        "points of a sample that are none",
        '--points: found "simpiont", expected one of "simpoint" or "systematic", did you mean '
        '"simpoint"?',
        points="simpiont",
    ),
    _case(
        "a warming that is none",
        '--warming: found "functinal", expected one of "functional" or "none", did you mean '
        '"functional"?',
        warming="functinal",
    ),
    _case(
        "an error of representatives",
        "--error cannot be used with --points simpoint: its intervals are not drawn at random, so "
        "they have no confidence interval. Remove one of them.",
        points="simpoint",
        error=0.01,
    ),
    _case(
        "figures of representatives",
        "--figure cannot be used with --points simpoint: basic-block vectors are of intervals of "
        "instructions. Remove one of them.",
        points="simpoint",
        figure="cycles=([0-9]+)",
    ),
    _case(
        "too many clusters",
        "--clusters: found 101, expected 1 to 100.",
        points="simpoint",
        clusters=101,
    ),
    _case(
        "clusters of a sample that is drawn",
        "--clusters cannot be used without --points simpoint: intervals that are drawn have no "
        "clusters. Remove it.",
        clusters=8,
    ),
    _case(
        "a figure without a number",
        "--figure: found 0 groups in cycles, expected one around the number, as in "
        "'cycles=([0-9]+)'.",
        figure="cycles",
    ),
]
