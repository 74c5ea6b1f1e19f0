# SPDX-License-Identifier: BSD-3-Clause
"""Pass `clock_sources`: clocks that a design makes by itself, each stated by its period.

In: black-box cells `FireSimClockSource` with a period. Out: none of them. The shortest period is
that of the clock of the request; each longer one has become a further clock input with the ratio of
the two, for the pass `clocks`. A source with period 0 is the clock of the request, whatever that
is, for logic that has to be in step with bridges.
"""

from __future__ import annotations

import dataclasses
from fractions import Fraction
from typing import Any

from pyosys import libyosys as ys

from goldengate.errors import GoldenGateError
from goldengate.state import State, plain, public

CLOCK_SOURCE = "FireSimClockSource"
_PERIOD, _OUTPUT = "PERIOD_PS", "clock"
CLOCK_SOURCE_STUB = (
    f"(* blackbox *) module {CLOCK_SOURCE} #(parameter {_PERIOD} = 0) (output {_OUTPUT});\n"
    "endmodule\n"
)


def _period_ps(state: State, cell: Any) -> int:
    value = dict(cell.parameters).get(public(_PERIOD))
    period_ps = 0 if value is None else int(value.as_int())
    if period_ps < 0:
        raise GoldenGateError(
            f"{state.place(cell.get_src_attribute())}: found a period of {period_ps} ps of the "
            f"clock source {plain(cell.name)}, expected 0 or more."
        )
    return period_ps


def _add_clock(state: State, period_ps: int) -> Any:
    """Add an input for a further clock; return its wire."""
    name = f"firesim_clock_{period_ps}_ps"
    wire = state.add_output(name, 1)
    wire.port_output, wire.port_input = False, True
    return wire


def run(state: State) -> None:
    """Replace all clock sources; fill the ratios of the request."""
    module = state.module
    cells = [cell for cell in module.cells_.values() if plain(cell.type) == CLOCK_SOURCE]
    if not cells:
        return
    periods_ps = {plain(cell.name): _period_ps(state, cell) for cell in cells}
    base_ps = min((period for period in periods_ps.values() if period), default=0)
    clocks = {period: module.wire(public(state.request.clock)) for period in (0, base_ps)}
    ratios = dict(state.request.clock_ratios)
    for period_ps in sorted(set(periods_ps.values()) - set(clocks)):
        clocks[period_ps] = _add_clock(state, period_ps)
        ratios[plain(clocks[period_ps].name)] = str(Fraction(base_ps, period_ps))
    for cell in cells:
        if cell.hasPort(public(_OUTPUT)):
            clock = ys.SigSpec(clocks[periods_ps[plain(cell.name)]])
            module.connect(cell.getPort(public(_OUTPUT)), clock)
        module.remove(cell)
    module.fixup_ports()
    state.request = dataclasses.replace(state.request, clock_ratios=ratios)
