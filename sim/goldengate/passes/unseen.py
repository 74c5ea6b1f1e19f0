# SPDX-License-Identifier: BSD-3-Clause
"""Pass `unseen`: large instances from which nothing comes are left out.

In: the modules of pass `read`. Out: the same without instances of modules that have no outputs and
in which nothing ends, prints, counts or leaves the design by a bridge, whatever else is in them.
Chisel's TileLink monitors are such modules where their checks are left out, and they may be most of
a design: four of them have 13 of the 19 million bits of a MegaBoom's test harness. Later passes
would find that out, too, after they had looked at every bit. Small instances are left to them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from goldengate.state import State, plain, public

_LEAST_BITS = 1 << 15
"""Of the wires in an instance that is looked at."""
_SEEN = re.compile(r"\$(check|print|assert|assume|cover|live|fair|_TBUF_)")
_KEEP = public("keep")


def _looked_at(state: State) -> Iterator[str]:
    """Yield all texts of the request that may name a signal."""
    for event in state.request.events:
        yield from (event.source, event.clock)
    if capture := state.request.capture:
        yield from capture.signals


class _Modules:
    """What each module does, and how large it is with all that is in it."""

    def __init__(self, state: State) -> None:
        self._design = state.design
        self._named = set(re.findall(r"[\w$]+", " ".join(_looked_at(state))))
        """Parts of paths that the request names: what is in such instances is looked at."""
        self._does_act: dict[str, bool] = {}
        self._bits: dict[str, int] = {}

    def inner(self, cell: Any) -> Any:
        """Return the module that a cell is an instance of, if its content is known."""
        module = self._design.module(cell.type)
        return None if module is None or module.get_blackbox_attribute() else module

    def is_unseen(self, cell: Any) -> bool:
        """Whether a cell is a large instance from which nothing comes."""
        module = self.inner(cell)
        if module is None or plain(cell.name) in self._named or cell.has_keep_attr():
            return False
        if any(module.wire(port).port_output for port in module.ports) or self._acts(module):
            return False
        return self._size(module) >= _LEAST_BITS

    def _acts(self, module: Any) -> bool:
        """Whether a module does more than to compute its outputs."""
        name = plain(module.name)
        if name not in self._does_act:
            kept = any(wire.get_bool_attribute(_KEEP) for wire in module.wires_.values())
            self._does_act[name] = kept or any(map(self._shows, module.cells_.values()))
        return self._does_act[name]

    def _shows(self, cell: Any) -> bool:
        inner = self.inner(cell)
        if inner is not None:
            return plain(cell.name) in self._named or self._acts(inner)
        kind = plain(cell.type)
        return not kind.startswith("$") or bool(_SEEN.match(kind)) or cell.has_keep_attr()

    def _size(self, module: Any) -> int:
        name = plain(module.name)
        if name not in self._bits:
            own = sum(wire.width for wire in module.wires_.values())
            inner = [self.inner(cell) for cell in module.cells_.values()]
            self._bits[name] = own + sum(self._size(one) for one in inner if one is not None)
        return self._bits[name]


def run(state: State) -> None:
    """Leave such instances out."""
    modules = _Modules(state)
    unseen = [
        (module, cell)
        for module in state.design.modules_.values()
        for cell in module.cells_.values()
        if modules.is_unseen(cell)
    ]
    for module, cell in unseen:
        module.remove(cell)
    if unseen:
        state.run(f"hierarchy -top {state.request.top}")  # Removes modules without instances.
