# SPDX-License-Identifier: BSD-3-Clause
"""Write what is made from the declarations of our bridges: Chisel classes, a table of the docs.

`python -m goldengate.bridge_files` writes them; a test fails when they are out of date.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from pathlib import Path

from goldengate.bridges import ROOT, BridgeKind, Port, Width, stock_bridges

CHISEL = ROOT / "target-design/peripherals/src/main/scala/firesim/bridges/Declared.scala"
CONTRACT = ROOT / "docs/reference/interfaces/bridges.md"
BEGIN = "<!-- made from sim/bridges/*/bridge.yaml by `python -m goldengate.bridge_files` -->"
END = "<!-- end of what is made -->"

_HEAD = """\
// SPDX-License-Identifier: BSD-3-Clause
// The bridges of sim/bridges/*/bridge.yaml as black boxes: made by `python -m
// goldengate.bridge_files`, so change them there. `FireSimXBridge()` places one, clocked and reset
// by the surrounding module, and returns it.
// format: off
package firesim

import chisel3._
"""


def _camel(parameter: str) -> str:
    first, *others = parameter.lower().split("_")
    return first + "".join(word.capitalize() for word in others)


def _chisel_type(width: Width) -> str:
    if width == 1:
        return "Bool()"
    if isinstance(width, int):
        return f"UInt({width}.W)"
    name, _, divisor = width.partition("/")
    return f"UInt(({_camel(name)} / {divisor}).W)" if divisor else f"UInt({_camel(name)}.W)"


def _chisel_port(name: str, port: Port) -> str:
    way = "Input" if port.direction == "out" else "Output"
    meaning = port.meaning[0].upper() + port.meaning[1:]
    return f"\n  /** {meaning}. */\n  val {name} = {way}({_chisel_type(port.width_bits)})\n"


def _list(parts: Iterable[str]) -> str:
    """Return parameters or arguments in parentheses, nothing when there are none."""
    text = ", ".join(parts)
    return f"({text})" if text else ""


def _chisel_class(kind: BridgeKind) -> str:
    stem = kind.module.removeprefix("FireSim")
    widths = {str(port.width_bits).partition("/")[0] for port in kind.ports.values()}
    of_ports = [_camel(name) for name in kind.parameters if name in widths]
    every = [_camel(name) for name in kind.parameters]
    given = [f"{_camel(name)}: Int = {value}" for name, value in kind.defaults.items()]
    mapping = ", ".join(f'"{name}" -> {_camel(name)}' for name in kind.parameters)
    declared = _list(f"{name}: Int" for name in of_ports)
    ports = "".join(_chisel_port(name, port) for name, port in kind.ports.items())
    base = f"Bridge[{stem}IO]" + (f"(Map({mapping}))" if mapping else "")
    return (
        f"\n/** {kind.description}. */\n"
        f"class {stem}Ports{declared} extends Bundle {{{ports}}}\n\n"
        f"class {stem}IO{declared} extends {stem}Ports{_list(of_ports)} with BridgeIO\n\n"
        f"class {kind.module}{_list(f'{name}: Int' for name in every)} extends {base} {{\n"
        f"  val io = FlatIO(new {stem}IO{_list(of_ports)})\n}}\n\n"
        f"object {kind.module} {{\n\n"
        f"  def apply({', '.join(given)}): {kind.module} =\n"
        f"    Bridge.place(new {kind.module}{_list(every)})\n}}\n"
    )


def chisel() -> str:
    """Return the Scala source that declares our bridges."""
    return _HEAD + "".join(map(_chisel_class, stock_bridges().values()))


def _cell(kind: BridgeKind, direction: str) -> str:
    shown = []
    for name, port in kind.ports.items():
        if port.direction == direction:
            width = f"[{port.width_bits}]" if port.width_bits != 1 else ""
            shown.append(f"`{name}`{width}" + (f" ({port.wake})" if port.wake else ""))
    return ", ".join(shown)


def table() -> str:
    """Return the table of our bridges, for people."""
    lines = ["| module, parameters | key | out | in |", "|---|---|---|---|"]
    for kind in stock_bridges().values():
        named = ", ".join(f"`{name}` {value}" for name, value in kind.defaults.items())
        module = f"`{kind.module}`" + (f" #({named})" if named else "")
        several = ", several a blade" if kind.several else ""
        cells = [module, f"`{kind.key}`{several}", _cell(kind, "out"), _cell(kind, "in")]
        lines.append("| " + " | ".join(cell or "none" for cell in cells) + " |")
    return "\n".join(lines)


def settings_table() -> str:
    """Return the table of what configurations may tell our bridges, for people."""
    lines = ["| key | setting | default | limits | meaning |", "|---|---|---|---|---|"]
    for kind in stock_bridges().values():
        for name, one in kind.settings.items():
            cells = (kind.key, name, one.shown_default, one.shown_limits or "any", one.meaning)
            lines.append("| `{}` | `{}` | {} | {} | {} |".format(*cells))
    return "\n".join(lines)


def contract() -> str:
    """Return the page of the bridges with the tables of today's declarations."""
    pattern = re.compile(f"{re.escape(BEGIN)}.*?{re.escape(END)}", re.DOTALL)
    told = "A run's configuration tells them under `system.node.bridges`:"
    made = f"{BEGIN}\n\n{table()}\n\n{told}\n\n{settings_table()}\n\n{END}"
    return pattern.sub(lambda _: made, CONTRACT.read_text(), count=1)


FILES: dict[Path, Callable[[], str]] = {CHISEL: chisel, CONTRACT: contract}
"""Files that are made, or a part of which is, with what makes each."""


def main() -> None:
    """Write every file again."""
    for path, make in FILES.items():
        path.write_text(make())


if __name__ == "__main__":
    main()
