# SPDX-License-Identifier: BSD-3-Clause
"""Step of pass `elaborate`: a reset input that is active low becomes one that is active high.

In: a flat module whose reset input may be active low (`rst_n`). Out: the same with an input
`firesim_reset` instead, which is 1 during reset as everything behind this pass expects; the name of
the old input stays, as a wire with its own level.

Whether it is active low is what the request says. Told to find out (`auto`), the pass looks at the
registers that the input resets asynchronously, else at its name.
"""

from __future__ import annotations

import dataclasses
import re

from pyosys import libyosys as ys

from goldengate.drivers import Drivers, bit_key
from goldengate.errors import GoldenGateError
from goldengate.state import AUTO, LEVELS, LOW, State, plain, public

NEW_NAME = "firesim_reset"
_LOW_NAME = re.compile(
    r"(?:\w*_)?(?:\w{0,6}?(?:rst|reset)_?(?:n|b|l|low|bar)(?:_?[io])?|n_?(?:rst|reset)(?:_\w+)?)",
    re.IGNORECASE,
)
"""rst_n, rst_ni, resetn, aresetn, sys_rst_n_i, reset_b, reset_l, nreset, n_rst, ..."""


def is_low_by_name(name: str) -> bool:
    """Return whether a reset's name says that it is active low."""
    return _LOW_NAME.fullmatch(name) is not None


def _levels(state: State) -> set[bool]:
    """Return the levels at which the input resets registers asynchronously: True is high."""
    drivers = Drivers(state.module)
    wanted = (state.request.reset, 0)
    ports = [(public(port), public(f"{port}_POLARITY")) for port in ("ARST", "ALOAD")]
    found = set()
    for cell in state.module.cells_.values():
        for port, polarity in ports:
            if not cell.hasPort(port):
                continue
            (bit,) = cell.getPort(port).to_sigbit_vector()
            if bit.is_wire() and bit_key(drivers.source(bit)) == wanted:
                found.add(bool(cell.getParam(polarity).as_bool()))
    return found


def _is_low(state: State) -> bool:
    """Decide for a request that leaves it open; warn of what was decided against the default."""
    name = state.request.reset
    levels = _levels(state)
    by_name = is_low_by_name(name)
    low = levels == {False} if len(levels) == 1 else by_name
    how = "registers are reset at its falling edge" if levels == {False} else "its name says so"
    if low:
        state.warnings.append(
            f"{state.request.top}: the reset '{name}' is taken as active low: {how}; it is 0 in "
            "target cycles 0 to 15."
        )
    elif by_name:
        state.warnings.append(
            f"{state.request.top}: the reset '{name}' is taken as active high, against its name: "
            "registers are reset at its rising edge."
        )
    return low


def run(state: State) -> None:
    """Put an inverter behind a reset input that is active low.

    Raises:
        GoldenGateError: the design has a signal with the name of the new input.
    """
    request = state.request
    if request.reset_active not in LEVELS:
        raise GoldenGateError(
            f'found reset_active "{request.reset_active}", expected one of: {", ".join(LEVELS)}.'
        )
    low = _is_low(state) if request.reset_active == AUTO else request.reset_active == LOW
    if not low:
        return
    module = state.module
    if module.wire(public(NEW_NAME)) is not None:
        raise GoldenGateError(
            f"{request.top}: the name '{NEW_NAME}' is reserved; rename the signal."
        )
    old = module.wire(public(request.reset))
    new = module.addWire(public(NEW_NAME), 1)
    new.port_input, old.port_input = True, False
    module.addNot(ys.IdString("$firesim$reset"), ys.SigSpec(new), ys.SigSpec(old))
    module.fixup_ports()
    state.request = dataclasses.replace(request, reset=plain(new.name))
