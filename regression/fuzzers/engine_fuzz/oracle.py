# SPDX-License-Identifier: BSD-3-Clause
"""The oracle of engine-fuzz: what Yosys' own simulator says of each netlist on random inputs.

The pass `sim` reads the inputs of every step (a Yosys witness) and writes all ports of every step
(a VCD). A cycle is a step with new inputs and the clock low, then one with the clock high. Where a
register follows data while a control is active, the pass needs a second low step to see the data.

The pass never ends when two ports of a memory write different data to one row at once, so that
memories with several write ports are made registers first, by another pass of Yosys. Netlists with
loops through asynchronous resets have an oracle of their own (`reset_oracle`).
"""

from __future__ import annotations

import json
import random
from pathlib import Path

from firesim_common.tools import python_command
from firesim_common.tools import run as run_tool

from regression.fuzzers.engine_fuzz import reset_oracle
from regression.fuzzers.engine_fuzz.builder import CLOCK, FURTHER_CLOCK, name_of
from regression.fuzzers.engine_fuzz.netlists import Netlist
from regression.fuzzers.engine_fuzz.reset_oracle import Answers

_MOST_CPU_S = 600
_RUN = f"""
import resource, sys
resource.setrlimit(resource.RLIMIT_CPU, ({_MOST_CPU_S}, {_MOST_CPU_S}))
from pyosys import libyosys as ys
design = ys.Design()
for command in open(sys.argv[1]):
    ys.run_pass("tee -q " + command.strip(), design)
"""


class _Input:
    """Draws the values of one input: corners as often as random numbers.

    Some inputs seldom change: a part of the netlist must rest while another is busy.
    """

    def __init__(self, generator: random.Random, width: int) -> None:
        self.random = generator
        self.width = width
        self.value = 0
        self.activity = generator.choice((0.1, 0.4, 0.8, 1.0, 1.0))

    def draw(self) -> None:
        """Choose the next value."""
        rng, width = self.random, self.width
        if rng.random() > self.activity:
            return
        full = (1 << width) - 1
        bit = 1 << rng.randrange(width)
        ones = (1 << rng.randint(0, width)) - bit
        choices = (
            0, full, bit, full ^ bit, 1 << (width - 1), ones, full ^ ones, rng.getrandbits(3),
            self.value + 1, self.value ^ bit, -1 - rng.getrandbits(3), rng.getrandbits(width),
            rng.getrandbits(width), rng.getrandbits(width),
        )  # fmt: skip
        self.value = rng.choice(choices) & full


def _drawn(netlist: Netlist, cycles: int) -> list[str]:
    """Return the inputs of each cycle, the last one first; now and then they stand still."""
    generator = random.Random(f"inputs of {netlist.seed}")
    inputs = [_Input(generator, netlist.widths[name]) for name in netlist.inputs]
    found = []
    for _ in range(cycles):
        if generator.random() < 0.85:
            for one in inputs:
                one.draw()
        found.append("".join(format(one.value, f"0{one.width}b") for one in reversed(inputs)))
    return found


def _stimulus(netlist: Netlist, cycles: int) -> str:
    """Return the Yosys witness that drives a netlist."""
    inputs = [(name, netlist.widths[name]) for name in netlist.inputs]
    further = [(FURTHER_CLOCK, 1)] if netlist.ratio is not None else []
    signals = [
        {"path": [name], "offset": 0, "width": width, "init_only": False}
        for name, width in ((CLOCK, 1), *inputs, *further)
    ]
    steps = []
    for cycle, bits in enumerate(_drawn(netlist, cycles)):
        low, high = ("0", str(int(netlist.rises(cycle)))) if further else ("", "")
        steps += [{"bits": low + bits + "0"}] * (2 if netlist.has_load else 1)
        steps.append({"bits": high + bits + "1"})
    witness = {"format": "Yosys Witness Trace", "clocks": [], "signals": signals, "steps": steps}
    return json.dumps(witness)


def simulate(folder: Path, netlists: list[Netlist], cycles: int) -> Answers:
    """Write NAME.vcd for each netlist into `folder`; return what Verilator says of some."""
    others = [one for one in netlists if not one.has_loops]
    (folder / "batch.il").write_text("".join(netlist.text() for netlist in others))
    commands = [f"read_rtlil {folder}/batch.il"]
    for netlist in others:
        name = name_of(netlist.seed)
        (folder / f"{name}.yw").write_text(_stimulus(netlist, cycles))
        for memory in netlist.contended:
            commands.append(f"memory_map {name}/m:{memory}")
        commands.append(f"sim -q -zinit -r {folder}/{name}.yw -vcd {folder}/{name}.vcd {name}")
    (folder / "oracle.ys").write_text("\n".join(commands) + "\n")
    run_tool(python_command("-c", _RUN, folder / "oracle.ys"))
    looped = [one for one in netlists if one.has_loops]
    return reset_oracle.simulate(folder, looped, {one.seed: _drawn(one, cycles) for one in looped})
