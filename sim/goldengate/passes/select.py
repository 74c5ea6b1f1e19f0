# SPDX-License-Identifier: BSD-3-Clause
"""Pass `select`: a `$pmux` (case statement) becomes two-way multiplexers that evaluate lazily.

In: `$pmux` cells: a one-hot vector of comparisons picks one of many values, so every comparison is
computed every time. Out: for a case over most values of a narrow signal, a tree of multiplexers
over the bits of that signal, as deep as it has bits; otherwise a chain of multiplexers. The
compiler of the model turns both into conditional expressions of which only the taken side is
evaluated.
"""

from __future__ import annotations

from typing import Any

from pyosys import libyosys as ys

from goldengate.state import State, plain, public

_MAX_INDEX_BITS = 8

_Key = tuple[str, int]


def _bits(cell: Any, port: str) -> list[Any]:
    return list(cell.getPort(public(port)).to_sigbit_vector())


def _wire_key(bit: Any) -> _Key | None:
    return (plain(bit.wire.name), bit.offset) if bit.is_wire() else None


def _comparisons(module: Any) -> dict[_Key, tuple[Any, int]]:
    """Map each one-bit signal that is `x == constant` to (signal x, constant)."""
    found: dict[_Key, tuple[Any, int]] = {}
    for cell in module.cells_.values():
        kind = plain(cell.type)
        if kind not in ("$eq", "$logic_not"):
            continue
        out = _wire_key(_bits(cell, "Y")[0])
        if out is None:
            continue
        compared = cell.getPort(public("A"))
        if kind == "$logic_not":
            found[out] = (compared, 0)
            continue
        constant = cell.getPort(public("B"))
        whole = constant.is_fully_const() and constant.is_fully_def() and not compared.has_const()
        if whole and constant.size() == compared.size() <= 31:
            found[out] = (compared, constant.as_int())
    return found


def _index(cell: Any, comparisons: dict[_Key, tuple[Any, int]]) -> tuple[Any, list[int]] | None:
    """Return (signal, constant per case) when all cases compare one narrow signal."""
    index: Any = None
    values: list[int] = []
    for bit in _bits(cell, "S"):
        key = _wire_key(bit)
        if key is None or key not in comparisons:
            return None
        signal, value = comparisons[key]
        if index is None:
            index = signal
        elif [_wire_key(b) for b in index.to_sigbit_vector()] != [
            _wire_key(b) for b in signal.to_sigbit_vector()
        ]:
            return None
        values.append(value)
    if index is None or index.size() > _MAX_INDEX_BITS or len(values) * 3 < 1 << index.size():
        return None
    return index, values


class _Builder:
    """Adds multiplexers to the module under fresh names."""

    def __init__(self, module: Any) -> None:
        self.module = module
        self.count = 0

    def mux(self, low: Any, high: Any, select: Any, out: Any = None) -> Any:
        """Return `select ? high : low`, in `out` when given."""
        self.count += 1
        if out is None:
            wire = self.module.addWire(ys.IdString(f"$firesim$case${self.count}$y"), low.size())
            out = ys.SigSpec(wire)
        cell = ys.IdString(f"$firesim$case${self.count}")
        self.module.addMux(cell, low, high, ys.SigSpec(select, 1), out)
        return out

    def tree(self, table: list[Any], index: list[Any], out: Any = None) -> Any:
        """Return `table[index]`, testing the highest index bit first."""
        if len(table) == 1:
            return table[0]
        half = len(table) // 2
        low, high = self.tree(table[:half], index[:-1]), self.tree(table[half:], index[:-1])
        return low if low is high and out is None else self.mux(low, high, index[-1], out)


def _replace(builder: _Builder, cell: Any, found: tuple[Any, list[int]] | None) -> None:
    default, out = cell.getPort(public("A")), cell.getPort(public("Y"))
    width = default.size()
    values = cell.getPort(public("B"))
    cases = [values.extract(low, width) for low in range(0, values.size(), width)]
    selects = _bits(cell, "S")
    builder.module.remove(cell)
    if found is not None:
        index, constants = found
        table = [default] * (1 << index.size())
        for constant, case in reversed(list(zip(constants, cases, strict=True))):
            table[constant] = case
        builder.tree(table, list(index.to_sigbit_vector()), out)
        return
    value = default
    for step in reversed(range(len(cases))):
        value = builder.mux(value, cases[step], selects[step], out if step == 0 else None)


def run(state: State) -> None:
    """Replace every `$pmux`."""
    module = state.module
    comparisons = _comparisons(module)
    cells = [cell for cell in module.cells_.values() if plain(cell.type) == "$pmux"]
    builder = _Builder(module)
    for cell in cells:
        _replace(builder, cell, _index(cell, comparisons))
    state.run("opt_clean")
