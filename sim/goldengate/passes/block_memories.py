# SPDX-License-Identifier: BSD-3-Clause
"""Step after `fame1`, of forms for Vivado: memories behind address registers become block RAM.

In: the module of a form. Out: the same in every cycle, with the reads of `block_reads` a cycle
early, in the plainest text there is: `shown <= rows[next]`. What such a read misses, a write of the
same cycle, is kept beside the memory and shown in its place, as no tool makes a memory that shows
it of any text. The open tools get that from Yosys itself, after this text.
"""

from __future__ import annotations

from typing import Any

from pyosys import libyosys as ys

from goldengate.block_reads import BlockReads, Early, Memory
from goldengate.memory_ports import laid_over, port_number
from goldengate.state import State, public


class _Reads(BlockReads):
    """Reads that show a write of the same cycle from registers of their own."""

    def __init__(self, module: Any) -> None:
        super().__init__(module)
        self.made = 0

    def _name(self) -> Any:
        self.made += 1
        return ys.IdString(f"$firesim$early${self.made}")

    def _kept(self, clock: Any, value: Any) -> Any:
        """Return a register that takes a value in each cycle and is 0 at first."""
        wire = self.module.addWire(self._name(), value.size())
        wire.attributes = {public("init"): ys.Const(0, value.size())}
        self.module.addDff(self._name(), clock, value, ys.SigSpec(wire), True)
        return ys.SigSpec(wire)

    def change(self, memory: Memory, cell: Any, early: Early) -> None:
        """Read early what was there before the cycle, and lay the writes of the cycle over it."""
        shown = cell.getPort(public("DATA"))
        self.read_early(cell, early)
        address = cell.getPort(public("ADDR"))
        found = ys.SigSpec(self.module.addWire(self._name(), memory.width))
        cell.setPort(public("DATA"), found)
        for write in sorted(memory.writes, key=port_number):
            found = self._over(write, address, early.clock, found)
        self.module.connect(shown, found)

    def _over(self, write: Any, address: Any, clock: Any, below: Any) -> Any:
        """Return what a port shows after one more write of the cycle before."""
        same = self.module.Eq(self._name(), write.getPort(public("ADDR")), address)
        data = self._kept(clock, write.getPort(public("DATA")))

        def hit(enable: Any) -> Any:
            now = self.module.And(self._name(), same, ys.SigSpec(enable, 1))
            return self._kept(clock, now)

        return laid_over(self.module, self._name, below, data, write.getPort(public("EN")), hit)


def run(state: State) -> None:
    """Change the memories of a form's module; `target.v` is still to be written."""
    state.run("opt_clean")
    changed = _Reads(state.module).run()
    for command in ("opt_expr", "opt_clean"):
        state.run(command)
    print(f"read a cycle early: {', '.join(changed) or 'no memory'}", flush=True)
