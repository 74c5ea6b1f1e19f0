# SPDX-License-Identifier: BSD-3-Clause
"""Which kinds of bridges the text of a user's blade names: it can have no others.

What a blade has is known once it is built. Its text alone says what it cannot have, since an
instance of a bridge has the name of the bridge's module before it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from firesim.build import firesim_bridges
from firesim.topology.chipyard import parts_for
from firesim.topology.chipyard_facts import AXI_MEMORY
from firesim.topology.chipyard_firrtl import FirrtlDesign
from firesim.topology.plan_blades import PlannedBlade

_BRIDGE = re.compile(r"\bFireSim\w+Bridge\b")
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_INCLUDED = re.compile(r"`include\b\s*(?:\"([^\"\n]+)\")?")
_PASTE = "``"
"""A macro makes a name of two."""


def named_bridges(blade: PlannedBlade) -> frozenset[str] | None:
    """Return the kinds of bridges that the text names; None where the text alone cannot tell."""
    from goldengate.bridges import bridge_kinds

    texts = list(_texts(blade))
    if None in texts:
        return None
    found = {name for text in texts if text for name in _BRIDGE.findall(_COMMENT.sub("", text))}
    kinds = bridge_kinds([str(bridge.declaration) for bridge in blade.bridges]).values()
    return frozenset(kind.key for kind in kinds if kind.module in found)


def _texts(blade: PlannedBlade) -> Iterator[str | None]:
    """Yield all text that makes the blade; None for what cannot be read here."""
    if blade.firrtl is not None:
        yield from _parts_of(blade.firrtl)
    yield from (blade.wrapper, blade.traces)
    yield " ".join(value for value in blade.defines.values() if value)
    todo, seen = list(blade.sources), set[Path]()
    while todo:
        file = todo.pop()
        if file in seen:
            continue
        seen.add(file)
        text = file.read_text(errors="replace")
        yield None if _PASTE in text else text
        for found in _INCLUDED.finditer(text):
            folders = (file.parent, *blade.include_dirs)
            there = (one / found[1] for one in folders if found[1] and (one / found[1]).is_file())
            if (included := next(there, None)) is None:
                yield None
            else:
                todo.append(included)


def _parts_of(design: FirrtlDesign) -> Iterator[str | None]:
    """Yield the text of our parts; None where a black box is neither a bridge nor one of ours."""
    verilog = firesim_bridges.verilog(design, {})
    named: Iterable[str] = (*design.boxes, *([AXI_MEMORY] if design.axi_memory else []))
    parts = parts_for(verilog)
    yield from (verilog, *parts.values())
    for name in named:
        own = {} if _BRIDGE.fullmatch(name) else parts_for(name)
        yield name if _BRIDGE.fullmatch(name) or name in own else None
        yield from own.values()
