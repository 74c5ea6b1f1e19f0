# SPDX-License-Identifier: BSD-3-Clause
"""Pass `hoist`: every bridge instance, wherever it is, becomes ports of the top module.

In: black-box cells `a.b.nic` of type `FireSimNICBridge`. Out: no such cells; the top has ports
`a__b__nic__out_valid` and so on, outputs for what the target sends and inputs for what it receives.
Each port is a channel of one token per target cycle.
"""

from __future__ import annotations

from typing import Any

from pyosys import libyosys as ys

from goldengate.bridges import BRIDGE_MODULE, BridgeKind
from goldengate.errors import GoldenGateError
from goldengate.state import Bridge, State, plain, public


def _parameters(cell: Any, kind: BridgeKind) -> dict[str, int]:
    given = {plain(name): value.as_int() for name, value in dict(cell.parameters).items()}
    return {name: given.get(name, default) for name, default in kind.defaults.items()}


def _hoist_port(state: State, cell: Any, port: str, width_bits: int, is_out: bool) -> str:
    module = state.module
    path = plain(cell.name)
    name = f"{path.replace('.', '__')}__{port}"
    if module.wire(public(name)) is not None:
        raise GoldenGateError(
            f"{state.place(cell.get_src_attribute())}: port '{name}' of bridge {path} would clash "
            f"with a signal of that name; rename the bridge instance or the signal."
        )
    wire = module.addWire(public(name), width_bits)
    wire.port_output, wire.port_input = is_out, not is_out
    outside = ys.SigSpec(wire)
    inside = cell.getPort(public(port)) if cell.hasPort(public(port)) else None
    if inside is None or inside.size() == 0:
        if is_out:
            raise GoldenGateError(
                f"{state.place(cell.get_src_attribute())}: port '{port}' of bridge {path} is not "
                f"connected."
            )
        return name
    if inside.size() != width_bits:
        raise GoldenGateError(
            f"{state.place(cell.get_src_attribute())}: port '{port}' of bridge {path} is "
            f"{inside.size()} bits wide; {plain(cell.type)} has {width_bits}."
        )
    if is_out:
        module.connect(outside, inside)
    else:
        module.connect(inside, outside)
    return name


def _hoist(state: State, cell: Any) -> Bridge:
    module_name = plain(cell.type)
    kind = state.bridge_kinds[module_name]
    parameters = _parameters(cell, kind)
    ports = {}
    for is_out, table in ((True, kind.out_ports), (False, kind.in_ports)):
        for port in table:
            width_bits = kind.width_bits(port, parameters)
            ports[port] = _hoist_port(state, cell, port, width_bits, is_out)
    path = plain(cell.name)
    gate = kind.gate.model_dump() if kind.gate else None
    ratio = state.bridge_ratios.get(path)
    wakes = kind.wakes
    return Bridge(kind.key, module_name, path, parameters, ports, kind.several, wakes, gate, ratio)


def run(state: State) -> None:
    """Fill `state.bridges`, in order of their paths."""
    module = state.module
    cells = [cell for cell in module.cells_.values() if BRIDGE_MODULE.fullmatch(plain(cell.type))]
    for cell in sorted(cells, key=lambda cell: plain(cell.name)):
        state.bridges.append(_hoist(state, cell))
        module.remove(cell)
    module.fixup_ports()
    state.run("opt_clean")
