"""Helpers of the generated engine's tests: a design from RTLIL text, a model of it, stepped."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from goldengate.engine import backend, emit, items, netlist, rtlil
from goldengate.engine.design import Design
from goldengate.engine.fold import Folding, single
from goldengate.harness import Model

Cut = Callable[[Folding], emit.Emitter]


def module_text(body: str, **ports: int) -> str:
    """Return a module `Top` with input ports of the given widths (names in `y*` are outputs)."""
    lines = ["module \\Top", "  wire input 1 \\clock"]
    for index, (name, width) in enumerate(ports.items()):
        direction = "output" if name.startswith("y") else "input"
        lines.append(f"  wire width {width} {direction} {index + 2} \\{name}")
    return "\n".join([*lines, body, "end", ""])


def cell(kind: str, parameters: dict[str, int | str] | None = None, **ports: str) -> str:
    """Return the text of a cell; its name is its kind and first port."""
    lines = [f"  cell {kind} ${kind}${'$'.join(ports.values()).replace(' ', '')}"]
    lines += [f"    parameter \\{name} {value}" for name, value in (parameters or {}).items()]
    lines += [f"    connect \\{name} {value}" for name, value in ports.items()]
    return "\n".join([*lines, "  end"])


def design(text: str) -> Design:
    """Return the design of RTLIL text with a module `Top`."""
    module = rtlil.parse(text.splitlines(), "Top")
    ports = [wire.name for wire in module.wires.values() if wire.direction]
    return netlist.build(module, "clock", [name for name in ports if name != "clock"])


def model(text: str, folder: Path, cut: Cut = backend.untrained) -> Model:
    """Return an instance of the compiled model of RTLIL text."""
    found = items.collect(design(text))
    folder.mkdir(parents=True, exist_ok=True)
    library = folder / "model.so"
    backend.make_model(cut(single(found)), "test", folder / "code", library, 1, [], ["-O0"])
    return Model(library)
