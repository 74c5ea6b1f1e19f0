# SPDX-License-Identifier: BSD-3-Clause
"""Helpers of the generated engine's tests: a design from RTLIL text, a model of it, stepped."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

from goldengate.engine import backend, emit, items, netlist, rtlil
from goldengate.engine.design import Design
from goldengate.engine.fold import Folding, single
from goldengate.engine.items import Items, key_of
from goldengate.harness import Model
from goldengate.tests.designs import seed

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


def random_text(seed: int, cores: int = 1) -> str:
    """Return a module with some times the same 200 operations on `x` and on ten registers."""
    body, outputs = [], {}
    for core in range(cores):
        lines, outputs[f"y{core}"] = _random_core(random.Random(seed), f"\\core{core}.")
        body += lines
    body.sort(key=lambda line: line.startswith("  cell"))  # wires come before what names them
    body += [f"  connect \\{name} {{ {' '.join(wires)} }}" for name, wires in outputs.items()]
    widths = {name: 8 * len(wires) for name, wires in outputs.items()}
    return module_text("\n".join(body), x=8, **widths)


def _random_core(generator: random.Random, prefix: str) -> tuple[list[str], list[str]]:
    """Return wires and cells, and what is seen: the registers and the wire computed last."""
    registers = [f"{prefix}r{index}" for index in range(10)]
    wires, cells = [*registers, "\\x"], []
    for index in range(200):
        kind = generator.choice(("$xor", "$xnor", "$add", "$sub", "$mux", "$mux"))
        widths: dict[str, int | str] = {"A_WIDTH": 8, "B_WIDTH": 8, "Y_WIDTH": 8}
        a, b = generator.choice(wires), generator.choice(wires[-12:])
        select = f"{generator.choice(wires[:14])} [{generator.randrange(3)}]"
        wires.append(f"{prefix}w{index}")
        if kind == "$mux":
            cells.append(cell(kind, {"WIDTH": 8}, A=a, B=b, S=select, Y=wires[-1]))
            continue
        cells.append(cell(kind, {**widths, "A_SIGNED": 0, "B_SIGNED": 0}, A=a, B=b, Y=wires[-1]))
    for register in registers:
        parameters: dict[str, int | str] = {"WIDTH": 8, "CLK_POLARITY": 1}
        source = generator.choice(wires[-60:])
        cells.append(cell("$dff", parameters, CLK="\\clock", D=source, Q=register))
    declared = [f"  wire width 8 {wire}" for wire in wires if wire != "\\x"]
    return declared + cells, [*registers, wires[-1]]


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


def values_read(found: Items) -> list[object]:
    """Return the keys of all values that items read, in a fixed order."""
    return sorted({key_of(node) for item in found.items for node in item.reads}, key=repr)


def same_as_untrained(
    text: str, folder: Path, cut: Cut, cycles: int = 40, untrained: Cut = backend.untrained
) -> None:
    """Run a design, cut in some way and untrained, on random bytes for its inputs `x` and `z`."""
    number = seed()
    generator = random.Random(number)
    plain, other = model(text, folder / "plain", untrained), model(text, folder / "cut", cut)
    with plain, other:
        names = [name for name in "xz" if name in plain.ports]
        seen = set()
        for cycle in range(cycles):
            inputs = {name: generator.getrandbits(8) for name in names if generator.random() < 0.6}
            outputs = plain.step(inputs)
            assert other.step(inputs) == outputs, f"cycle {cycle}, seed {number}"
            seen.add(tuple(outputs.values()))
        assert plain.save() == other.save()
        assert len(seen) > 1, f"seed {number}: outputs that never change show nothing"
