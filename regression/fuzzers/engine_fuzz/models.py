# SPDX-License-Identifier: BSD-3-Clause
"""The generated engine's side of engine-fuzz: many netlists as one program that checks them.

Each netlist is imported, cut and emitted for itself; the texts are put into namespaces of their own
in one source file, since starting a compiler costs more than compiling a small netlist. Most are
compiled without optimisation and with traps for what C++ leaves undefined, some as real models are.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Sequence
from pathlib import Path

from firesim_common.tools import python_command
from firesim_common.tools import run as run_tool
from goldengate.engine import asks, backend, emit, files, items, netlist, rtlil, zones
from goldengate.engine.fold import fold

from regression.fuzzers.engine_fuzz.builder import name_of
from regression.fuzzers.engine_fuzz.netlists import Netlist
from regression.support.random_inputs import invented_cut

HERE = Path(__file__).resolve().parent
_FLAGS: list[str | Path] = [
    "-std=c++20", "-fno-exceptions", "-fno-rtti", "-fno-asynchronous-unwind-tables", "-w",
]  # fmt: skip
_CHECKED: list[str | Path] = [
    "-O0", "-fsanitize=shift,bounds,integer-divide-by-zero,signed-integer-overflow",
    "-fsanitize-trap=all",
]  # fmt: skip
_AS_MODELS: list[str | Path] = ["-O2", "-march=native"]
_WHOLE = 0.2
"""Share of the netlists cut into pieces that run as a whole, without flags."""
_FOLDERS = (HERE, backend.ENGINE_FOLDER, backend.RUNTIME_FOLDER)
_INCLUDES: list[str | Path] = [f"-I{folder}" for folder in _FOLDERS]


def compile_tool(folder: Path) -> None:
    """Compile what all batches share, in `folder`: the checking program and the header."""
    tool = [backend.COMPILER, *_FLAGS, *_INCLUDES, "-O2", "-c", HERE / "check.cc"]
    run_tool([*tool, "-o", folder / "check.o"])
    for name, flags in (("checked", _CHECKED), ("models", _AS_MODELS)):
        header = [backend.COMPILER, *_FLAGS, *_INCLUDES, *flags, "-x", "c++-header"]
        run_tool([*header, HERE / "check.h", "-o", folder / f"{name}.pch"])


def _cut(found: items.Items, seed: int) -> emit.Emitter:
    """Cut a netlist into pieces of some size, or by an invented profile: any cut must be right."""
    emitter = _zones(found, seed)
    emitter.least_sides = random.Random(f"sides of {seed}").choice((0.0, 0.0, 2.0, 8.0))
    return emitter


def _zones(found: items.Items, seed: int) -> emit.Emitter:
    generator = random.Random(f"cut of {seed}")
    folding = fold(found, least_state=1, least_saved=1)
    if generator.random() < 0.4:
        return invented_cut(folding, seed)
    size = generator.choice((1, 1, 2, 3, 5, 8, 60))
    if not folding.modules and random.Random(f"whole of {seed}").random() < _WHOLE:
        return emit.Emitter(folding, zones.pieces(folding, size), is_whole=True)
    emitter = emit.Emitter(folding, zones.pieces(folding, size))
    share = generator.choice((0.0, 0.3, 1.0))
    emitter.erratic = {
        key for key in sorted(emitter.flags_of, key=repr) if generator.random() < share
    }
    emitter.asks = _invented_asks(emitter, generator)
    return emitter


def _invented_asks(emitter: emit.Emitter, generator: random.Random) -> list[range]:
    """Ask for some zones that follow each other in one module at once."""
    share = generator.choice((0.0, 0.5, 1.0))
    found, start = [], 0
    while start < len(emitter.zones):
        word = asks.is_word(emitter, start) and generator.random() < share
        end = start + (asks.WORD if word else 1)
        found.append(range(start, end))
        start = end
    return found


def _one_clock(folder: Path, netlists: Sequence[Netlist]) -> None:
    """Write NAME.il for each netlist with several clocks, after Golden Gate's pass `clocks`."""
    wanted = {
        name_of(one.seed): str(one.ratio or "")
        for one in netlists
        if one.gates or one.ratio is not None
    }
    for one in netlists:
        if name_of(one.seed) in wanted:
            (folder / f"{name_of(one.seed)}.in.il").write_text(one.text())
    if wanted:
        run_tool(python_command(HERE / "one_clock.py", folder, json.dumps(wanted)))


def _emitted(folder: Path, one: Netlist) -> str:
    """Return the C++ of a netlist in a namespace of its own."""
    name = name_of(one.seed)
    rewritten = folder / f"{name}.il"
    text = rewritten.read_text() if rewritten.is_file() else one.text()
    module = rtlil.parse(text.splitlines(), name)
    design = netlist.build(module, "clock", [port for port, _, _ in one.ports()])
    texts = files.write(_cut(items.collect(design), one.seed), "", 1, [])
    text = "\n".join(texts[file] for file in ("state.h", "zones_0.cc", "main.cc"))
    text = re.sub(r"(?m)^#.*\n", "", text)
    return text.replace("namespace model {", f"namespace model::{name} {{")


def program(folder: Path, tool: Path, netlists: Sequence[Netlist], as_models: bool) -> Path:
    """Return the program, compiled in `folder`, that checks netlists against their VCD files.

    `tool` is the folder given to compile_tool; `as_models` compiles with the flags of real models.
    """
    name, flags = ("models", _AS_MODELS) if as_models else ("checked", _CHECKED)
    table = [f"  FUZZ_NETLIST({name_of(one.seed)})," for one in netlists]
    _one_clock(folder, netlists)
    lines = [_emitted(folder, one) for one in netlists]
    lines += ["const Netlist kNetlists[] = {", *table, "};"]
    lines += ["const size_t kNetlistCount = sizeof kNetlists / sizeof kNetlists[0];", ""]
    source, target = folder / "batch.cc", folder / "batch"
    source.write_text("\n".join(lines))
    compiler = [backend.COMPILER, *_FLAGS, *_INCLUDES, *flags, "-include-pch", tool / f"{name}.pch"]
    run_tool([*compiler, "-c", source, "-o", folder / "batch.o"])
    run_tool([backend.COMPILER, "-o", target, folder / "batch.o", tool / "check.o"])
    return target
