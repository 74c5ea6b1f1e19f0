# SPDX-License-Identifier: BSD-3-Clause
"""Which features of a form exclude each other, and why: for requests and for build recipes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

MULTI_CYCLE, THREADS, SCAN = "multi-cycle memories", "FAME-5 threads", "a scan chain"
CAPTURE, HOST_RTL = "a capture", "a bridge's host side in RTL"


@dataclass(frozen=True)
class Exclusion:
    """Two features that no form has both of."""

    feature: str
    other: str
    why: str


EXCLUSIONS = (
    Exclusion(THREADS, MULTI_CYCLE, "each needs the host cycles of a target cycle for itself"),
    Exclusion(THREADS, SCAN, "the state of such a form is not that of a CPU model"),
    Exclusion(SCAN, MULTI_CYCLE, "the state of such a form is not that of a CPU model"),
    Exclusion(THREADS, CAPTURE, "a step is that of one thread, and the ring has a row for all"),
    Exclusion(HOST_RTL, SCAN, "the state of that RTL is not in the chain"),
    Exclusion(HOST_RTL, MULTI_CYCLE, "their tokens have never been compared"),
)


def excluded(wanted: Mapping[str, bool]) -> Exclusion | None:
    """Return the first two wanted features that exclude each other, None if all go together.

    `wanted` says of each feature whether it is.
    """
    return next((one for one in EXCLUSIONS if wanted[one.feature] and wanted[one.other]), None)
