# SPDX-License-Identifier: BSD-3-Clause
"""After a warm start, registers and memory of RTL are those of the functional node, word for word.

A node is saved in the midst of a loop, with the lines of its caches, and goes on in RTL for a
debugger. Each hart is stopped where it was saved, behind the restore program. Then all that the
debugger knows of it must be equal, and all of memory as the harts see it, except for the restore
program's own.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager

from firesim.debug.machine import Machine
from firesim.debug.start import Debugged, started
from firesim.sampling.warming import follow_caches
from firesim.topology.describe import Restart
from firesim_common.address_map import DRAM_BASE, RESTORE_PROGRAM_BASE, RESTORE_PROGRAM_BYTES

from regression.support.cluster import Cluster, Config, merged
from regression.support.experiment import Experiment, ExperimentError
from regression.support.warm import WarmStart

NODE = "node0"
MEMORY_MIB = 16
QUANTUM_CYCLES = 1024
"""A snapshot in a multiple of these is one in which all harts stand."""
LOOP: Config = {
    "system": {"topology": "rack_1", "node": {"memory": {"size_mib": MEMORY_MIB}}},
    "workload": {"node": {"program": "kernels", "args": ["kernel=7", "rounds=60"]}},
}
"""A hash table, which fills the data cache."""
ATTEMPTS = 12
PIECE_BYTES = 16_384
COUNTING = frozenset("mcycle minstret cycle instret time mip sip".split())
"""What goes on by itself."""
TRAP = frozenset("mepc mstatus sstatus".split())
"""What is not kept of a hart below M mode."""


@contextmanager
def _standing(
    experiment: Experiment, config: Config, engine: str, cycle: int, warm: WarmStart
) -> Iterator[Debugged]:
    """Give a simulation that goes on from what was saved at `cycle`, and stands."""
    loaded = Cluster(experiment, merged(config, {"simulation": {"engine": engine}})).loaded
    folder = warm.folder / f"stands-{engine}-{cycle}"
    folder.mkdir(parents=True)
    restart = Restart(warm.folder / "snapshots" / f"cycle-{cycle}", cycle)
    made = started(loaded, lambda _: restart, NODE, None, None, folder, experiment.console)
    try:
        yield made
    finally:
        made.root.close()
        made.hub.close()


def _saved(experiment: Experiment, config: Config, name: str) -> tuple[WarmStart, int]:
    """Save a node where it need not run on before it goes on in RTL; return that cycle.

    Raises:
        ExperimentError: there is no such place among many.
    """
    warm = WarmStart(experiment, config, experiment.folder / name)
    end = warm.whole(0).end_cycle // QUANTUM_CYCLES
    rng = random.Random(f"{experiment.seed} {name} equal")
    cycles = sorted(QUANTUM_CYCLES * rng.randrange(end // 4, end) for _ in range(ATTEMPTS))
    follow_caches(warm.functional, Cluster(experiment, config).plan)
    warm.save(sorted(set(cycles)))
    for cycle in cycles:
        (node,) = warm.go_on(cycle, cycle + 1, 1).result["nodes"]
        facts = node["statistics"]["warm_start"]
        if facts["extra_cycles"] == 0 and facts["data_lines"] and facts["instruction_lines"]:
            return warm, cycle
    raise ExperimentError(f"{warm.folder}: found no cycle of {cycles} in which the node is fit.")


def _registers_that_differ(was: dict[str, int], found: dict[str, int]) -> list[str]:
    left = COUNTING if was["priv"] == 3 else COUNTING | TRAP
    known = sorted((was.keys() & found.keys()) - left)
    return [name for name in known if was[name] != found[name]]


def _memory_that_differs(was: Machine, found: Machine) -> int:
    """Return how many bytes differ, except for the restore program's."""
    differ = 0
    for address in range(DRAM_BASE, DRAM_BASE + (MEMORY_MIB << 20), PIECE_BYTES):
        if 0 <= address - RESTORE_PROGRAM_BASE < RESTORE_PROGRAM_BYTES:
            continue
        one, other = was.read(address, PIECE_BYTES), found.read(address, PIECE_BYTES)
        if one is None or other is None:
            raise ExperimentError(f"found no memory at 0x{address:x}, expected some.")
        if one != other:
            differ += sum(a != b for a, b in zip(one, other, strict=True))
    return differ


def differences(experiment: Experiment, blade: str) -> tuple[int, str]:
    """Return how many registers were compared on a blade, and what is wrong; empty: nothing.

    Raises:
        InputError: the blade has no functional node.
        ExperimentError: a run failed.
    """
    config = merged(LOOP, {"system": {"node": {"blade": blade}}})
    warm, cycle = _saved(experiment, config, f"{blade}-equal")
    wrong, compared = [], 0
    with (
        _standing(experiment, config, "functional", cycle, warm) as functional,
        _standing(experiment, config, "rtl", cycle, warm) as rtl,
    ):
        for hart in range(functional.harts):
            was = functional.root.registers(hart)
            now = rtl.hub.copy(rtl.root, goes_on=True)
            now.order({"breakpoints": [was["pc"]]})
            while (stop := now.wait()).why == "breakpoint" and stop.hart != hart:
                now.order({"breakpoints": [was["pc"]]})
            if stop.why != "breakpoint":
                wrong.append(f"hart {hart} does not get to 0x{was['pc']:x}")
                continue
            found = now.registers(hart)
            compared += len((was.keys() & found.keys()) - COUNTING)
            wrong += [f"hart {hart}: {name}" for name in _registers_that_differ(was, found)]
            if hart == 0 and (count := _memory_that_differs(functional.root, now)):
                wrong.append(f"{count} bytes of memory")
            now.close()
    return compared, ", ".join(wrong)
