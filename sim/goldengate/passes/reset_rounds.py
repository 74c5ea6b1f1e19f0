# SPDX-License-Identifier: BSD-3-Clause
"""Pass `reset_rounds`: asynchronous controls that depend on registers with such controls.

In: the flat module without loops of logic. A register's reset may be computed from what itself, or
another one, is reset by. Verilog lets logic settle, resets what is to be, and lets it settle again.
Out: the same in rounds. The registers that `reset_graph` finds become plain ones, whose values in
the first round are those that the clock gave them; the logic between them and their controls is
computed once for each round, and a reset that was active in one round holds in all that follow. So
both engines and FAME-1 forms reset for good what is reset for no time. Resets alone settle always,
since each acts once; loads and latches of gates may not, which an assert says.
"""

from __future__ import annotations

from typing import Any

from pyosys import libyosys as ys

from goldengate import held, reset_graph
from goldengate.drivers import Bit, add_like, bit_key
from goldengate.reset_graph import KEPT, LOAD, RESET, Found, Group, reset_of, signal
from goldengate.settled import add_check, listed
from goldengate.state import State, plain, public

_MOST_CELLS = 200_000


class _Rounds:
    """Computes what was found in rounds."""

    def __init__(self, state: State, found: Found) -> None:
        self.state = state
        self.module = state.module
        self.found = found
        self.fan = found.fan
        self.names = 0
        self.q = {
            bit_key(bit): bit
            for group in found.groups for cell in group.cells
            for bit in cell.getPort(public("Q")).to_sigbit_vector()
        }  # fmt: skip
        self.needed: set[Bit] = set()
        """Bits of the registers from which controls are computed."""
        self.cells = self._between()
        self.rounds = found.rounds
        self.now: dict[Bit, Any] = {}
        """What stands for a bit in this round."""
        self.held: dict[str, Any] = {}
        """The register that takes the place of a cell, by the cell's name."""
        self.value: dict[str, Any] = {}
        self.active: dict[int, Any] = {}
        """Whether a group has been reset."""

    @property
    def is_small(self) -> bool:
        """Whether this number of copies may be made."""
        return self.rounds * len(self.cells) <= _MOST_CELLS

    def _between(self) -> list[Any]:
        """Return the cells between the registers and their controls, inputs first."""
        order: list[Any] = []
        depends: dict[str, bool] = {}
        starts = [
            bit for group in self.found.groups
            for bit in (*(one for one, _ in group.controls), *group.data)
        ]  # fmt: skip
        self._reads(starts)
        todo = [cell for bit in starts if (cell := self.fan.cell(bit)) is not None]
        while todo:
            cell, name = todo[-1], plain(todo[-1].name)
            if name in depends:
                todo.pop()
                continue
            inputs = [bit for signal in self.fan.ports(cell).values() for bit in signal]
            before = [one for bit in inputs if (one := self.fan.cell(bit)) is not None]
            missing = [one for one in before if plain(one.name) not in depends]
            if missing:
                todo += missing
                continue
            todo.pop()
            own = self._reads(inputs)
            depends[name] = own or any(depends[plain(one.name)] for one in before)
            if depends[name]:
                order.append(cell)
        return order

    def _reads(self, bits: list[Any]) -> bool:
        keys = {bit_key(self.fan.drivers.source(bit)) for bit in bits}
        self.needed |= keys & self.q.keys()
        return bool(keys & self.q.keys())

    def _name(self, what: str) -> Any:
        self.names += 1
        return ys.IdString(f"$firesim$reset${what}${self.names}")

    def _wire(self, width: int) -> Any:
        return ys.SigSpec(self.module.addWire(self._name("wire"), width))

    def _seen(self, bits: Any) -> Any:
        """Return bits as they are in this round."""
        return signal(self.now.get(bit_key(self.fan.drivers.source(bit)), bit) for bit in bits)

    def _on(self, cell: Any, port: str) -> Any:
        """Return a control, 1 where it is active, as it is in this round."""
        found = self._seen(cell.getPort(public(port)).to_sigbit_vector())
        if cell.getParam(public(f"{port}_POLARITY")).as_bool():
            return found
        return self.module.Not(self._name("low"), found)

    def _reset(self, group: Group, cell: Any) -> Any:
        """Return the reset of a register of a group as it is in this round; None if it has none."""
        found = reset_of(cell) if group.kind == RESET else None
        return None if found is None else self._on(cell, found[0])

    def _acted(self, group: Group, cell: Any, before: Any, on: Any) -> Any:
        """Return a register's value after its controls of this round, from that before."""
        if group.kind == RESET:
            found = reset_of(cell)
            assert found is not None
            return self.module.Mux(self._name("reset"), before, found[1], on)
        if group.kind == LOAD:
            data = self._seen(cell.getPort(public("AD")).to_sigbit_vector())
            return self.module.Mux(self._name("load"), before, data, self._on(cell, LOAD))
        if group.kind == KEPT:
            return self._seen(cell.getPort(public("D")).to_sigbit_vector())
        high = self.module.Or(self._name("set"), before, self._on(cell, "SET"))
        clear = self.module.Not(self._name("clear"), self._on(cell, "CLR"))
        return self.module.And(self._name("clear"), high, clear)

    def _hold(self, cell: Any) -> None:
        """Add the register that has a value before resets act."""
        self.held[plain(cell.name)] = held.add(self.module, cell, held.BEFORE_RESETS)

    def _copy(self) -> None:
        """Compute the cells between as they are in this round."""
        for cell in self.cells:
            output = self.fan.output(cell)
            made = add_like(self.module, self._name("cell"), cell)
            outputs = list(cell.getPort(public(output)).to_sigbit_vector())
            for port, own in dict(cell.connections_).items():
                if plain(port) != output:
                    made.setPort(port, self._seen(own.to_sigbit_vector()))
            copy = self._wire(len(outputs))
            made.setPort(public(output), copy)
            for bit, new in zip(outputs, copy.to_sigbit_vector(), strict=True):
                self.now[bit_key(bit)] = new

    def _set(self, cell: Any, value: Any, now: dict[Bit, Any]) -> None:
        self.value[plain(cell.name)] = value
        bits = zip(
            cell.getPort(public("Q")).to_sigbit_vector(), value.to_sigbit_vector(), strict=True
        )
        now |= {bit_key(bit): new for bit, new in bits}

    def _round(self, is_last: bool) -> None:
        self._copy()
        now: dict[Bit, Any] = {}
        for number, group in enumerate(self.found.groups):
            if group.kind == RESET:
                on = self._reset(group, group.cells[0])
                before = self.active.get(number)
                both = on if before is None else self.module.Or(self._name("any"), before, on)
                self.active[number] = both
            for cell in group.cells:
                keys = [bit_key(bit) for bit in cell.getPort(public("Q")).to_sigbit_vector()]
                if is_last or group.kind != RESET or not self.needed.isdisjoint(keys):
                    name = plain(cell.name)
                    before = self.held[name] if group.kind == RESET else self.value[name]
                    self._set(cell, self._acted(group, cell, before, self.active.get(number)), now)
        self.now = now

    def _following(self, group: Group, cell: Any) -> Any:
        """Return what a register takes at the clock's edge."""
        data = cell.getPort(public("D"))
        if group.kind == KEPT:
            return data
        if cell.hasPort(public("EN")):
            data = self.module.Mux(
                self._name("enable"), cell.getPort(public("Q")), data, self._on(cell, "EN")
            )
        on = self._reset(group, cell)
        return self._acted(group, cell, data, on)

    def rewrite(self) -> None:
        """Replace the registers."""
        for group in self.found.groups:
            for cell in group.cells:
                self._hold(cell)
                self._set(cell, self.held[plain(cell.name)], self.now)
        for number in range(self.rounds):
            self._round(number == self.rounds - 1)
        self.now = {}
        for ring in self.found.unsure:
            self._settled(ring)
        clock = ys.SigSpec(self.module.wire(public(self.state.request.clock)))
        for group in self.found.groups:
            for cell in group.cells:
                name, following = plain(cell.name), self._following(group, cell)
                q, source = cell.getPort(public("Q")), cell.get_src_attribute()
                self.module.remove(cell)
                self.module.connect(q, self.value[name])
                made = self.module.addDff(
                    self._name("register"), clock, following, self.held[name], True
                )
                made.set_src_attribute(source)

    def _settled(self, ring: list[Group]) -> None:
        """Add an assert that another round would change nothing."""
        final, again = ys.SigSpec(), ys.SigSpec()
        names: set[str] = set()
        for group in ring:
            for cell in group.cells:
                q = cell.getPort(public("Q"))
                final.append(q)
                on = self._reset(group, cell)
                again.append(self._acted(group, cell, q, on))
                names |= {bit_key(bit)[0] for bit in q.to_sigbit_vector()}
        shown = sorted(name for name in names if not name.startswith(("$", KEPT)))
        source = ring[0].cells[0].get_src_attribute()
        text, place = listed(shown), self.state.place(source)
        same = self.module.Eq(self._name("settled"), final, again)
        add_check(
            self.module, self._name("assert"), same, source,
            f"the asynchronous controls of {text} ({place}) do not settle: they still change after "
            f"{self.rounds} rounds",
        )  # fmt: skip
        self.state.warnings.append(
            f"{place}: the asynchronous controls of {text} depend on what they set; a run ends if "
            f"they do not settle."
        )


def run(state: State) -> None:
    """Compute in rounds what has to be; what would be too large is left to pass `check`."""
    found = reset_graph.find(state.module, state.request.clock)
    if found is None:
        return
    rounds = _Rounds(state, found)
    if rounds.is_small:
        rounds.rewrite()
        state.run("opt_clean")
