# SPDX-License-Identifier: BSD-3-Clause
"""Pass `clocks`: gated clocks, and further clocks with a ratio, become enables on the one clock.

In: the flat module. A *gate* is an AND of a clock and a signal that cannot change while the clock
is high: a latch that is open while it is low, a register on its falling edge, an input of the top,
or logic of these. A further clock of the request is an input of the top; `p/q` of it are its rising
edges for each edge of the clock, edge k in cycle ceil(k·q/p), so both rise together in cycle 0.
Out: what was clocked by a gate or a further clock is clocked by the clock, with an enable; a
further clock is no input any more, but a divider. So each engine, and FAME-1, simulates them.
Bridges on such clocks stand on the clock, too (`goldengate.passes.bridge_clocks`), and events that
name such a clock have a signal that is 1 at its edges (`goldengate.passes.event_clocks`).

A clock that is a constant (a JTAG port tied low) never rises: what it clocks has an enable that is
0.

What is clocked otherwise stays as it is: the pass `edges` takes falling edges, and clocks that
registers make; the pass `check` decides about the rest, as a gate that may open while the clock is
high.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from pyosys import libyosys as ys

from goldengate.drivers import Bit, Drivers, bit_key
from goldengate.errors import GoldenGateError, nearest
from goldengate.passes import bridge_clocks, event_clocks
from goldengate.state import State, plain, public

MOST_CYCLES = 1 << 20
"""The largest denominator of a ratio."""

_DIVIDER = """\
module firesim_divider_{name}(input clock, output tick);
  reg [{high}:0] count;
  initial count = {first};
  wire [{high}:0] sum = count + {numerator};
  assign tick = sum >= {denominator};
  always @(posedge clock) count <= tick ? sum - {denominator} : sum;
endmodule
"""
_WITH_ENABLE = {
    "$dff": "$dffe",
    "$adff": "$adffe",
    "$aldff": "$aldffe",
    "$sdff": "$sdffe",
    "$dffsr": "$dffsre",
}
_ENABLED = frozenset((*_WITH_ENABLE.values(), "$sdffce"))


def _beside(cell: Any, output: str, port: str, bit: Any) -> Any:
    """Return the bit of a port that lies where `bit` does in the output."""
    outputs = [bit_key(one) for one in cell.getPort(public(output)).to_sigbit_vector()]
    return list(cell.getPort(public(port)).to_sigbit_vector())[outputs.index(bit_key(bit))]


class _Clocks:
    """Turns clocks of a module into enables."""

    def __init__(self, state: State) -> None:
        self.state = state
        self.module = state.module
        self.drivers = Drivers(self.module)
        self.clock: Bit = (state.request.clock, 0)
        self.zero, self.one = ys.SigSpec(ys.Const(2, 2)).to_sigbit_vector()
        self.ticks: dict[Bit, Any] = {self.clock: self.one}
        self.made: dict[tuple[str, Bit, Bit], Any] = {}

    def add_tick(self, name: str, tick: Any) -> None:
        """Say that the clock `name` rises in the cycles in which the bit `tick` is 1."""
        self.ticks[name, 0] = tick

    def _gate(self, kind: str, first: Any, second: Any) -> Any:
        if kind == "And" and self.one in (first, second):
            return second if first == self.one else first
        name = (kind, bit_key(first), bit_key(second))
        if name not in self.made:
            cell = ys.IdString(f"$firesim$clock_enable${len(self.made)}")
            operands = [ys.SigSpec(first, 1), ys.SigSpec(second, 1)][: 1 if kind == "Not" else 2]
            made = getattr(self.module, kind)(cell, *operands)
            self.made[name] = next(iter(made.to_sigbit_vector()))
        return self.made[name]

    def enable(self, bit: Any) -> Any:
        """Return the bit that is 1 in the cycles in which a clock rises; None if not known."""
        bit = self.drivers.source(bit)
        if self._is_constant(bit):
            return self.zero
        if bit_key(bit) in self.ticks:
            return self.ticks[bit_key(bit)]
        operands = self._operands(self.drivers.cell(bit_key(bit)), ("$and", "$logic_and"))
        for clock, gate in (operands, operands[::-1]) if len(operands) == 2 else ():
            tick = self.enable(clock)
            opened = None if tick is None else self._stable(gate, self.drivers.source(clock))
            if opened is not None:
                return self._gate("And", tick, opened)
        return None

    def _is_constant(self, bit: Any) -> bool:
        """Whether a clock is a constant, or the inverse of one."""
        while bit.is_wire():
            cell = self.drivers.cell(bit_key(bit))
            operands = self._operands(cell, ("$not", "$logic_not", "$and", "$logic_and"))
            if not operands:
                return False
            sources = [self.drivers.source(operand) for operand in operands]
            if self.zero in sources and len(sources) > 1:
                return True
            others = [one for one in sources if one != self.one]
            if len(others) != 1:
                return not others
            bit = others[0]
        return True

    def _operands(self, cell: Any, kinds: tuple[str, ...]) -> list[Any]:
        """Return the one-bit operands of a cell of one of these kinds; none for others."""
        if cell is None or plain(cell.type) not in kinds:
            return []
        found = []
        for port in ("A", "B", "Y"):
            if cell.hasPort(public(port)):
                signal = list(cell.getPort(public(port)).to_sigbit_vector())
                if len(signal) != 1:
                    return []
                found += signal if port != "Y" else []
        return found

    def _stable(self, bit: Any, clock: Any) -> Any:
        """Return what a gate's signal is when the clock rises, if it stays so; else None."""
        bit = self.drivers.source(bit)
        if not bit.is_wire():
            return bit
        cell = self.drivers.cell(bit_key(bit))
        if cell is None:
            is_input = bit.wire.port_input and bit_key(bit) not in self.ticks
            return bit if is_input else None
        kind = plain(cell.type)
        if kind == "$dlatch":
            return self._latched(cell, bit, clock)
        if kind in _WITH_ENABLE or kind in _ENABLED:
            return bit if self._is_on_fall(cell, clock) else None
        operands = self._operands(cell, ("$and", "$logic_and", "$or", "$logic_or", "$not"))
        values = [self._stable(operand, clock) for operand in operands]
        if not values or any(value is None for value in values):
            return None
        name = {"and": "And", "or": "Or", "not": "Not"}[kind.rpartition("_")[2].lstrip("$")]
        return self._gate(name, values[0], values[-1])

    def _is_low(self, bit: Any, clock: Any) -> bool | None:
        """Whether a bit is 1 while the clock is low (True) or high (False); None for others."""
        bit = self.drivers.source(bit)
        if not bit.is_wire():
            return None
        if bit_key(bit) == bit_key(clock):
            return False
        inverted = self._operands(self.drivers.cell(bit_key(bit)), ("$not", "$logic_not"))
        same = inverted and bit_key(self.drivers.source(inverted[0])) == bit_key(clock)
        return True if same else None

    def _is_on_fall(self, cell: Any, clock: Any) -> bool:
        """Whether a register changes when the clock falls."""
        (bit,) = cell.getPort(public("CLK")).to_sigbit_vector()
        low = self._is_low(bit, clock)
        return low is not None and low == cell.getParam(public("CLK_POLARITY")).as_bool()

    def _latched(self, latch: Any, bit: Any, clock: Any) -> Any:
        """Return the bit that a latch takes while the clock is low, if it is open just then."""
        (opened,) = latch.getPort(public("EN")).to_sigbit_vector()
        low = self._is_low(opened, clock)
        if low is None or low != latch.getParam(public("EN_POLARITY")).as_bool():
            return None
        return self._while_low(_beside(latch, "Q", "D", bit), clock)

    def _while_low(self, bit: Any, clock: Any) -> Any:
        """Follow multiplexers that the clock selects: the reader makes one for a closed latch."""
        while True:
            bit = self.drivers.source(bit)
            cell = self.drivers.cell(bit_key(bit)) if bit.is_wire() else None
            if cell is None or plain(cell.type) != "$mux":
                return bit
            (select,) = cell.getPort(public("S")).to_sigbit_vector()
            low = self._is_low(select, clock)
            if low is None:
                return bit
            bit = _beside(cell, "Y", "B" if low else "A", bit)

    def _limit(self, cell: Any, port: str, enable: Any) -> None:
        """Make every bit of a control depend on the enable."""
        polarity = public(f"{port}_POLARITY")
        low = cell.hasParam(polarity) and not cell.getParam(polarity).as_bool()
        result = ys.SigSpec()
        for bit in cell.getPort(public(port)).to_sigbit_vector():
            result.append(self._gate("And", enable, self._gate("Not", bit, bit) if low else bit))
        cell.setPort(public(port), result)
        if low:
            cell.setParam(polarity, ys.Const(1, 1))

    def rewrite(self, cell: Any, port: str, enable: Any) -> None:
        """Clock a cell by the clock, with the enable."""
        kind = plain(cell.type)
        cell.setPort(public(port), ys.SigSpec(self.module.wire(public(self.clock[0]))))
        if enable == self.one:
            return
        if kind in _WITH_ENABLE:
            cell.type = ys.IdString(_WITH_ENABLE[kind])
            cell.setParam(public("EN_POLARITY"), ys.Const(1, 1))
            cell.setPort(public("EN"), ys.SigSpec(enable, 1))
        else:
            self._limit(cell, "EN", enable)
        if cell.hasPort(public("SRST")) and kind != "$sdffce":
            self._limit(cell, "SRST", enable)


def _clock_port(cell: Any) -> str | None:
    """Return the port with the rising edge a cell is clocked by, if there is one."""
    kind = plain(cell.type)
    if kind in ("$check", "$print"):
        single = cell.getParam(public("TRG_WIDTH")).as_int() == 1
        edge = single and cell.getParam(public("TRG_ENABLE")).as_bool()
        return "TRG" if edge and cell.getParam(public("TRG_POLARITY")).as_bool() else None
    clocked = kind in _WITH_ENABLE or kind in _ENABLED or kind in ("$memwr_v2", "$memrd_v2")
    if not clocked:
        return None
    enabled = public("CLK_ENABLE")
    if cell.hasParam(enabled) and not cell.getParam(enabled).as_bool():
        return None
    return "CLK" if cell.getParam(public("CLK_POLARITY")).as_bool() else None


def _on_other_clocks(state: State) -> list[tuple[Any, str, Any]]:
    """Return (cell, port, clock bit) of what is clocked by another bit than the clock."""
    found = []
    for cell in state.module.cells_.values():
        port = _clock_port(cell)
        if port is not None:
            (bit,) = cell.getPort(public(port)).to_sigbit_vector()
            if bit_key(bit) != (state.request.clock, 0):
                found.append((cell, port, bit))
    return found


def _check(state: State, name: str, ratio: Fraction) -> None:
    top, module = state.request.top, state.module
    wire = module.wire(public(name))
    if wire is None or not wire.port_input or wire.width != 1 or name == state.request.clock:
        inputs = [plain(p) for p in module.ports if module.wire(p).port_input]
        raise GoldenGateError(
            f"{top}: expected a further one-bit input '{name}' as a clock{nearest(name, inputs)}; "
            f"its inputs are: {', '.join(sorted(inputs))}."
        )
    if not 0 < ratio <= 1 or ratio.denominator > MOST_CYCLES:
        raise GoldenGateError(
            f"{top}: the ratio of clock '{name}' is {ratio}, expected a fraction above 0, at most "
            f"1, with a denominator of at most {MOST_CYCLES}."
        )


def _add_divider(state: State, name: str, ratio: Fraction) -> Any:
    """Add the register that counts out the edges of a further clock; return the tick's bit."""
    module = state.module
    wire = module.wire(public(name))
    wire.port_input = False
    module.fixup_ports()
    text = _DIVIDER.format(
        name=name,
        high=ratio.denominator.bit_length(),
        first=ratio.denominator - ratio.numerator,
        numerator=ratio.numerator,
        denominator=ratio.denominator,
    )
    source = state.out / f"firesim_divider_{name}.v"
    source.write_text(text)
    state.run(f"read_verilog {source}")
    state.run(f"proc firesim_divider_{name}")
    cell = module.addCell(public(f"{name}_divider"), public(f"firesim_divider_{name}"))
    tick = module.addWire(public(f"{name}_tick"), 1)
    cell.setPort(public("clock"), ys.SigSpec(module.wire(public(state.request.clock))))
    cell.setPort(public("tick"), ys.SigSpec(tick))
    state.run("flatten")
    return next(iter(ys.SigSpec(tick).to_sigbit_vector()))


def _refuse_other_uses(state: State, name: str) -> None:
    """Nothing but clocks of what was rewritten may read a further clock."""
    if state.module.wire(public(name)) is None:  # Nothing reads it: opt_clean has dropped it.
        return
    clock = _connected(state.module, name)
    for cell in state.module.cells_.values():
        for port, signal in dict(cell.connections_).items():
            if signal.extract(clock, None).size() and plain(port) not in ("Y", "Q"):
                raise GoldenGateError(
                    f"{state.place(cell.get_src_attribute())}: this reads the clock '{name}' "
                    f"otherwise than by its rising edge or a clock gate; a clock with a ratio has "
                    f"no level."
                )


def _connected(module: Any, name: str) -> Any:
    """Return the one-bit wire of a name with all bits that are connected to it, as a signal."""
    found = ys.SigSpec(module.wire(public(name)))
    sides = [pair for left, right in module.connections_ for pair in ((left, right), (right, left))]
    size = 0
    while size < found.size():
        size = found.size()
        for one, other in sides:
            if one.extract(found, None).size() == 0:
                continue
            pairs = zip(one.to_sigbit_vector(), other.to_sigbit_vector(), strict=True)
            for here, there in pairs:
                if _has(found, here) and there.is_wire() and not _has(found, there):
                    found.append(there)
    return found


def _has(signal: Any, bit: Any) -> bool:
    return bool(ys.SigSpec(bit, 1).extract(signal, None).size())


def run(state: State) -> None:
    """Rewrite what is clocked by gates and further clocks."""
    ratios = {name: Fraction(text) for name, text in state.request.clock_ratios.items()}
    for name, ratio in ratios.items():
        _check(state, name, ratio)
    ticks = {name: _add_divider(state, name, ratio) for name, ratio in ratios.items()}
    others = _on_other_clocks(state)
    bridges = bridge_clocks.on_other_clocks(state)
    events = event_clocks.named(state)
    # As in most designs; asking who drives what takes long.
    if not (others or bridges or events or ratios):
        return
    clocks = _Clocks(state)
    for name, tick in ticks.items():
        clocks.add_tick(name, tick)
    for cell, port, bit in others:
        enable = clocks.enable(bit)
        if enable is not None:
            clocks.rewrite(cell, port, enable)
    for cell, bit in bridges:
        enable = clocks.enable(bit)
        if enable is not None:
            share = next((ratios[name] for name, tick in ticks.items() if tick == enable), None)
            bridge_clocks.put_on_clock(state, cell, None if enable == clocks.one else enable, share)
    for event, wire in events:
        enable = clocks.enable(next(iter(wire.to_sigbit_vector())))
        event_clocks.add_edges(state, event, wire, enable, clocks.one)
    state.run("opt_clean")
    for name in ratios:
        _refuse_other_uses(state, name)
