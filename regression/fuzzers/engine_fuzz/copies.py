# SPDX-License-Identifier: BSD-3-Clause
"""Several copies of a random netlist in one: what the engine then finds again and shares.

Copies read the same inputs, or what an earlier copy computes; one may differ in a cell.
"""

from __future__ import annotations

import re

from regression.fuzzers.engine_fuzz.builder import CLOCK, Builder

COUNTS = (2, 2, 2, 3, 4, 9)
"""Nine are more than the engine asks one by one."""
_OWN = re.compile(r"(\\\\|\\|\$)([wegmrc]\d+)\b")
_ALIKE = re.compile(r"cell \$(and|or|xor|xnor|add|sub) ")


def multiply(netlist: Builder, *, may_chain: bool) -> None:
    """Replace a netlist by copies of it; with `may_chain` one may read what another computes."""
    rng, count = netlist.random, netlist.random.choice(COUNTS)
    wires, memories, cells = netlist.wires, netlist.memories, netlist.cells
    outputs, contended = netlist.outputs, netlist.contended
    own = [name for name in netlist.pool if name != CLOCK and name not in netlist.inputs]
    netlist.wires, netlist.memories, netlist.cells = [], [], []
    netlist.outputs, netlist.contended = [], []
    for kind in netlist.kinds:
        netlist.kinds[kind] *= count
    netlist.gates *= count
    for copy in range(count):
        changed = cells[:]
        for name in netlist.inputs if copy and may_chain else []:
            width = netlist.widths[name]
            fitting = [wire for wire in own if netlist.widths[wire] == width]
            if fitting and rng.random() < 0.5:
                other = _renamed(rng.choice(fitting), rng.randrange(copy))
                changed = [_read(cell, name, other) for cell in changed]
        if not netlist.gates and rng.random() < 0.3:
            changed_to = f"cell ${rng.choice(('and', 'or', 'xor', 'add'))} "
            number = rng.randrange(len(changed))
            changed[number] = _ALIKE.sub(changed_to, changed[number])
        netlist.cells += [_renamed(cell, copy) for cell in changed]
        netlist.wires += [(_renamed(name, copy), width, init) for name, width, init in wires]
        netlist.outputs += [(_renamed(name, copy), width) for name, width in outputs]
        netlist.memories += [_renamed(memory, copy) for memory in memories]
        netlist.contended += [_renamed(f"\\{name}", copy)[1:] for name in contended]


def _read(cell: str, name: str, other: str) -> str:
    """Return a cell that reads another wire instead of an input."""
    return re.sub(rf"{re.escape(name)}\b", lambda _: other, cell)


def _renamed(text: str, copy: int) -> str:
    """Return a text with all names of the netlist's own in the copy's part of the hierarchy."""
    return _OWN.sub(rf"\g<1>u{copy}.\g<2>", text)
