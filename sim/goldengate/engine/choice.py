# SPDX-License-Identifier: BSD-3-Clause
"""Step `choice`: a trained design as a whole, in zones, or by Verilator.

A profile is not always worth a cut: where most of a design changes in most cycles, comparing costs
more than it saves. So the cut is made by a part of the samples, what a cycle costs is predicted by
those held out, and zones are taken where that is clearly less than what the design costs without a
profile. No time is measured: the same text and training give the same model everywhere.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from goldengate.engine import predict
from goldengate.engine.design import Unsupported
from goldengate.engine.emit import Emitter
from goldengate.engine.fold import Folding, single
from goldengate.engine.profile import Profile

MOST_OF_WHOLE = 0.35
"""Zones are taken up to this share of what the whole is predicted to cost."""
MOST_OF_VERILATOR = 0.35
"""The same beside Verilator, which is taken to cost as much as a whole."""
LEAST_SEEN = 0.5
"""Share of the registers that random inputs must have changed, else they say too little."""


@dataclass(frozen=True)
class Chosen:
    """How a trained design was cut, and what training says of it, a clause for people."""

    emitter: Emitter
    text: str


def seen_share(folding: Folding, seen: Profile) -> float:
    """Return the share of the registers that changed in some sample."""
    registers = folding.found.design.registers
    moving = [r for r in registers if r.following is not r.leaf]
    changed = sum(bool(seen.changed.get(r.leaf.value)) for r in moving)
    return changed / len(moving) if moving else 0.0


def choose(
    folding: Folding,
    seen: Profile,
    cut: Callable[[Folding, Profile], Emitter],
    untrained: Callable[[Folding], Emitter],
    *,
    whole_items: int,
    is_guess: bool,
    may_refuse: bool,
) -> Chosen:
    """Return the cut of a trained design that is predicted to be the fastest.

    Up to `whole_items` items it is the whole, as `untrained` makes it, unless zones are clearly
    cheaper. `is_guess` says that the inputs were random: the design may have stood still.

    Raises:
        Unsupported: with `may_refuse`, of a design of more items whose zones are not clearly
            cheaper: Verilator is to be taken.
    """
    emitter = cut(folding, seen.part(held_out=False))
    zones = predict.zoned(emitter, seen.part(held_out=True))
    plain = untrained(single(folding.found))
    share = zones.total / max(1.0, predict.whole(plain).total)
    known = seen_share(folding, seen)
    text = (
        f"{seen.samples:,} samples, {known:.0%} of the registers changed; a cycle in zones is "
        f"predicted to cost {share:.2f} of one as a whole"
    )
    is_small = len(folding.found.items) <= whole_items
    most = MOST_OF_WHOLE if is_small else MOST_OF_VERILATOR
    if share <= most and (known >= LEAST_SEEN or not is_guess):
        return Chosen(emitter, f"in {len(emitter.zones):,} zones: {text}")
    if is_small:
        return Chosen(plain, f"as a whole: {text}")
    if may_refuse:
        raise Unsupported(f"training saw {text}")
    return Chosen(emitter, f"in {len(emitter.zones):,} zones: {text}")
