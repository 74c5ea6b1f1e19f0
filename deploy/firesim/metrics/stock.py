# SPDX-License-Identifier: BSD-3-Clause
"""FireSim's own metrics, each an expression over the events that a blade may count.

The top-down shares are the first level of A. Yasin, "A Top-Down Method for Performance Analysis and
Counters Architecture" (ISPASS 2014), with its back end split into memory and core as in its second
level. Rocket issues one instruction a cycle, so that a slot is a cycle in which the hart does not
wait in `wfi`. target-design/probes/rocket_top_down.sv says what each event counts.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from firesim.metrics.expression import Expression, read_expression


@dataclass(frozen=True)
class Metric:
    """A value that is worked out from counters."""

    name: str
    expression: Expression
    unit: str = ""
    description: str = ""
    """What it says, for people."""


MPKI = {
    "icache_mpki": ("icache_miss", "instruction cache misses"),
    "dcache_mpki": ("dcache_miss", "data cache misses"),
    "itlb_mpki": ("itlb_miss", "instruction TLB misses"),
    "dtlb_mpki": ("dtlb_miss", "data TLB misses"),
    "branch_mpki": ("branch_mispredict", "wrong predictions of branches and jumps"),
}
"""Events in a thousand instructions: the event, and what it is."""
SLOTS = "(cycles * harts - topdown_idle)"
LOST = ("topdown_bad_speculation", "topdown_front_end", "topdown_memory")
"""Events that count slots in which no instruction was retired; the rest of them is the core's."""
TOP_DOWN = {
    "retiring": (f"instructions / {SLOTS}", "slots that retired an instruction"),
    "bad_speculation": (f"{LOST[0]} / {SLOTS}", "slots lost to wrong paths and flushes"),
    "front_end": (f"{LOST[1]} / {SLOTS}", "slots in which no instruction had been fetched"),
    "memory": (f"{LOST[2]} / {SLOTS}", "slots lost while a data access was under way"),
    "core": (
        f"({SLOTS} - instructions - {' - '.join(LOST)}) / {SLOTS}",
        "slots lost to all else: long operations, hazards, CSRs",
    ),
}
"""Shares of slots, which add up to 1: their expressions, and what they are."""
LINKS = {
    "link_out_use": ("sent_flits / link_flits", "of what its links can carry, the node sent"),
    "link_in_use": ("received_flits / link_flits", "of what its links can carry, it received"),
}
"""Over the whole run only: links are not counted in intervals."""


def _stock() -> list[Metric]:
    made = [("ipc", "instructions / cycles / harts", "a cycle", "instructions a cycle of a hart")]
    made += [
        (name, f"1000 * {event} / instructions", "per 1,000 instructions", description)
        for name, (event, description) in MPKI.items()
    ]
    shares = {f"topdown_{key}": said for key, said in TOP_DOWN.items()} | LINKS
    made += [(name, text, "share", description) for name, (text, description) in shares.items()]
    return [Metric(name, read_expression(text), unit, said) for name, text, unit, said in made]


STOCK = tuple(_stock())


def with_own(own: Mapping[str, Expression]) -> list[Metric]:
    """Return ours and the user's own metrics; where both have a name, the user's."""
    ours = [metric for metric in STOCK if metric.name not in own]
    return [*ours, *(Metric(name, expression) for name, expression in own.items())]
