# SPDX-License-Identifier: BSD-3-Clause
"""Forms that share resources: proved, compared token by token, and what they take of an FPGA."""

from __future__ import annotations

import dataclasses
import shutil
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import goldengate
from goldengate.sharing import Shared, Sharing
from goldengate.sharing.compiler import lower_shared
from goldengate.synthesis import synthesize
from goldengate.tests.designs import PORTS, write
from goldengate.tests.fame1_designs import MANY_PORTS

from regression.oracles.fame_proof.designs import (
    REFLECTOR,
    Case,
    Simulated,
    compiled_form,
    simulate,
)
from regression.oracles.fame_proof.lemmas import SLOTS
from regression.support.experiment import Experiment, ExperimentError
from regression.support.open_designs import OPEN_DESIGNS

FAMILY = "ecp5"
MEMORIES = Sharing(multi_cycle_memories=True)
_SMALL = {"ROWS": "4", "WIDTH": "2"}
_LARGE = {"ROWS": "32", "WIDTH": "65"}
_ROWS = {"DEPTH": "256"}


def _register_file(folder: Path, name: str, parameters: dict[str, str]) -> Case:
    text = f"module Top #(parameter ROWS = 4, WIDTH = 2)({PORTS});\n{MANY_PORTS}endmodule\n"
    return Case(name, "Top", [write(folder, text, "ports.sv")], {"parameters": parameters})


def cases(folder: Path, quick: bool) -> Iterable[Case]:
    """Write the designs to be shared into `folder` and yield them."""
    yield _register_file(folder, "register file, 3 reads, 2 writes", _LARGE)
    if quick:
        return
    reflector = {"parameters": _ROWS}
    yield Case("PacketReflector, 256 flits", "PacketReflector", [REFLECTOR], reflector)
    core = OPEN_DESIGNS["PicoRV32"]
    yield Case("PicoRV32", core.top, core.files(), {"include_dirs": core.include_folders()})


def prepare_proof(folder: Path) -> Case:
    """Leave the plain form and the one that shares in `folder`, small enough to be proved."""
    folder.mkdir()
    case = _register_file(folder, "register file", _SMALL)
    goldengate.lower(case.request(folder / "plain", "fame1"))
    lower_shared(case.request(folder / "form", "fame1"), MEMORIES)
    return case


def plant(good: Path, folder: Path) -> None:
    """Copy the folder of a proof; there a read is kept one slot too early."""
    shutil.copytree(good, folder)
    plant_in(folder / "form/target.v", "if (firesim_slot[1]) ", "if (firesim_slot[0]) ")


def plant_in(file: Path, old: str, new: str) -> None:
    """Change the text of a form.

    Raises:
        ExperimentError: it is not there.
    """
    text = file.read_text()
    if old not in text:
        raise ExperimentError(f"a fault could not be planted in {file}: it has no '{old}'")
    file.write_text(text.replace(old, new, 1))


@dataclass(frozen=True)
class Compared:
    """A form that shares: its tokens, and what it takes beside the plain one."""

    simulated: Simulated
    host_cycles: int
    plain: dict[str, float]
    shared: dict[str, float]


def counts(form: Path) -> dict[str, float]:
    """Return what a form takes of the device, by kind."""
    said = goldengate.Manifest.read(form).fame1
    assert said is not None
    files = [form / name for name in said.files]
    return synthesize(files, said.top, FAMILY, form / "synthesis").total


def compare(experiment: Experiment, cycles: int, seeds: range) -> list[Compared]:
    """Compare all designs with the CPU model; synthesize them too, unless --quick.

    Raises:
        ExperimentError: a token differs.
    """
    found = []
    folder = experiment.folder / "sharing"
    folder.mkdir()
    for number, case in enumerate(cases(folder, experiment.quick)):
        own = folder / str(number)
        simulated = simulate(case, own, cycles, seeds, sharing=MEMORIES)
        shared = own / "form"
        taken: list[dict[str, float]] = [{}, {}]
        if not experiment.quick:
            plain = compiled_form(case, own / "plain", None)
            taken = [counts(plain), counts(shared)]
        found.append(Compared(simulated, Shared.read(shared).host_cycles, *taken))
    return found


def fault_is_found(folder: Path, cycles: int, seeds: range) -> bool:
    """Return whether tokens differ when the target takes its step a slot too early."""
    folder.mkdir()
    case = _register_file(folder, "planted", _LARGE)

    def early(form: Path) -> None:
        slots = Shared.read(form).host_cycles
        plant_in(form / "fame1.v", f"& slot[{slots - 2}];", f"& slot[{slots - 3}];")

    try:
        simulate(case, folder, cycles, seeds, sharing=MEMORIES, change=early)
    except ExperimentError:
        return True
    return False


def tables(experiment: Experiment, found: list[Compared], seeds: int) -> None:
    """Show tokens and savings."""
    rows = []
    for one in found:
        tokens, rate = one.simulated, [str(one.host_cycles)]
        total = f"{tokens.target_cycles * seeds:,}"
        if not one.plain:
            rows.append([tokens.name, total, *["not counted"] * 3, *rate])
            continue
        pairs = [
            f"{one.plain[kind]:,.0f} -> {one.shared[kind]:,.0f}"
            for kind in ("lut", "ff", "bram_kbit")
        ]
        rows.append([tokens.name, total, *pairs, *rate])
    columns = ["design", "target cycles compared", "LUT4", "FF", "BRAM (kbit)",
               "host cycles a target cycle"]  # fmt: skip
    experiment.table("Multi-cycle memories, on ECP5", columns, rows)
    experiment.keep(sharing=[dataclasses.asdict(one) for one in found])


__all__ = ["SLOTS", "compare", "fault_is_found", "plant", "prepare_proof", "tables"]
