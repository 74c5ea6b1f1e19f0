# SPDX-License-Identifier: BSD-3-Clause
"""A Linux node whose programs know their stacks: in RTL from a warm start, and functional.

One set of programs has every kind of task. The other opens libraries while it runs, the second in
the place of the first, both by position-independent code of Debian's C library. A third has the
kernel load modules that know their stacks, the second in the place of the first.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from regression.oracles.stacks_exact.truth import Part, plain, told, traced, traced_modules
from regression.support.cluster import Cluster, Config, merged
from regression.support.experiment import Experiment, ExperimentError
from regression.support.simulate import Run, simulate
from regression.support.warm import WarmStart, region_cycle

BOOT_LIMIT_CYCLES = 64_000_000
REGION_CYCLES = 24_000_000
"""For which the node goes on in RTL at most; it powers off before."""


@dataclass(frozen=True)
class Programs:
    """What runs on a node, and tells of its stacks."""

    name: str
    """In the name of a part."""
    workload: str
    program: str
    """The name that its tasks begin with."""
    memory_mib: int
    tasks: frozenset[str]
    said: tuple[str, ...]
    """Patterns of what the console must have in the end."""
    in_kernel: bool = False
    """Whether modules of the kernel tell of their stacks, and not the program."""

    @property
    def node(self) -> Config:
        """The configuration of a node with them."""
        timing = {"model": "fixed", "latency_cycles": 10}
        memory = {"size_mib": self.memory_mib, "timing": timing}
        return {
            "system": {"topology": "rack_1", "node": {"blade": "rocket-1", "memory": memory}},
            "workload": {"node": {"linux": self.workload}},
        }


DONE = "stacks are done"
TASKS = Programs(
    name="Linux",
    workload="linux-stacks",
    program="stacks",
    memory_mib=32,
    tasks=frozenset({"child", "process", "thread"}),
    said=(DONE,),
)
LIBRARIES = Programs(
    name="opened libraries",
    workload="linux-opener",
    program="opener",
    memory_mib=64,
    tasks=frozenset({"process", "thread"}),
    said=(DONE, "the libraries lay at one place"),
)
WAYS = ("loads", "writes", "queued", "unloads")
"""The functions of a module that the kernel calls."""
MODULES = Programs(
    name="modules of the kernel",
    workload="linux-modules",
    program="modular",
    memory_mib=32,
    tasks=frozenset(f"{module}_{way}" for module in ("called", "recalled") for way in WAYS),
    said=("modules are done", r"called lay at (\w+)\s[^$]*recalled lay at \1\s"),
    in_kernel=True,
)
TRACED: Config = {
    "simulation": {"tracing": {"enabled": True, "outputs": ["folded"], "processes": True}}
}
FINER: Config = {"simulation": {"tracing": {"inlined": True, "lines": True}}}
FUNCTIONAL: Config = {"simulation": {"engine": "functional"}}


def _folded(run: Run) -> str:
    """Return the stacks of all harts."""
    files = sorted((run.folder / "node0" / "trace").glob("hart*.folded"))
    return "".join(file.read_text() for file in files)


def _is_same(run: Run, plain: Run) -> bool:
    """Return whether a run is that of another one, to the hash, the cycle and the console."""
    return (run.token_hash, run.end_cycle) == (plain.token_hash, plain.end_cycle) and run.console(
        "node0"
    ) == plain.console("node0")


def _part(
    programs: Programs, where: str, run: Run, alone: Run, *, same: bool, inlined: bool = False
) -> Part:
    """Return what a traced run showed; `alone` is one without a trace."""
    console = alone.console("node0")
    missing = [line for line in programs.said if not re.search(line, console)]
    if missing:
        raise ExperimentError(f'{alone.folder}: the console has no "{missing[0]}".')
    truth = told(console, inlined=inlined)
    folded = _folded(run)
    in_kernel = programs.in_kernel
    found = traced_modules(folded, truth) if in_kernel else traced(folded, programs.program)
    name = f"{programs.name} {where}"
    return Part(name, truth, found, same, alone.token_hash, programs.tasks)


def in_rtl(experiment: Experiment, programs: Programs, blade: str = "rocket-1") -> Part:
    """Boot on the functional blade, and go on in RTL, with and without a trace."""
    folder = experiment.folder / f"{programs.program}-rtl-{blade}"
    node = merged(programs.node, {"system": {"node": {"blade": blade}}})
    warm = WarmStart(experiment, node, folder)
    at = region_cycle(warm.whole(BOOT_LIMIT_CYCLES))
    warm.save([at])
    alone = warm.go_on(at, at + REGION_CYCLES, 1)
    traced_node = merged(node, TRACED)
    warm.rtl = Cluster(experiment, traced_node).description(folder / "traced")
    run = warm.go_on(at, at + REGION_CYCLES, 2)
    where = "in RTL" if blade == "rocket-1" else f"in RTL on {blade}"
    return _part(programs, where, run, alone, same=_is_same(run, alone))


def _where(cores: int) -> str:
    return f"functional on {cores} hart{'s' if cores > 1 else ''}"


def _on_blade(programs: Programs, cores: int) -> Config:
    blade = {"system": {"node": {"blade": f"rocket-{cores}"}}}
    return merged(merged(programs.node, FUNCTIONAL), blade)


def _saved(description: dict[str, Any], folder: Path, at: int) -> dict[str, Any]:
    """Save a node at a cycle; return how others go on there."""
    saving = {"directory": str(folder / "snapshots"), "at_cycles": [at]}
    _run(description, folder / "saved", snapshots=saving, max_cycles=at + 1, expect=(0, 1))
    return {"snapshot": str(folder / "snapshots" / f"cycle-{at}")}


def functional(experiment: Experiment, programs: Programs, cores: int) -> Part:
    """Run from reset to power-off on a functional blade, in ways that must not matter.

    Without a trace; with 1 thread; with 2 and random batches; with each instruction looked at, as a
    log of them needs it; and in two pieces, through a snapshot where the region of interest begins.
    """
    folder = experiment.folder / f"{programs.program}-functional-{cores}"
    config = _on_blade(programs, cores)
    each = {"simulation": {"tracing": {"outputs": ["folded", "binary"]}}}
    untraced = _described(experiment, config, folder / "plain")
    stacks = _described(experiment, merged(config, TRACED), folder / "traced")
    log = _described(experiment, merged(merged(config, TRACED), each), folder / "each")
    seed = experiment.seed | 1
    alone = _run(untraced, folder / "plain", threads=1)
    runs = [
        _run(stacks, folder / "one-thread", threads=1),
        _run(stacks, folder / "random", threads=2, random_batch_seed=seed),
        _run(log, folder / "each", threads=1),
    ]
    restore = _saved(stacks, folder, region_cycle(runs[0]))
    second = _run(stacks, folder / "second", restore=restore)
    for file in (folder / "each/node0/trace").glob("hart*.trace"):
        file.unlink()  # It is large, and told what it had to by the stacks beside it.
    same = all(_is_same(run, alone) for run in runs)
    same &= (second.token_hash, second.end_cycle) == (alone.token_hash, alone.end_cycle)
    same &= len({_folded(run) for run in [*runs, second]}) == 1
    return _part(programs, _where(cores), runs[0], alone, same=same)


def in_detail(experiment: Experiment, programs: Programs, cores: int) -> Part:
    """Run on a functional blade with inlined functions and lines.

    Without them stacks must be the plain ones, from reset and through a snapshot. Who goes on there
    without detail has the plain ones, too.
    """
    folder = experiment.folder / f"{programs.program}-detail-{cores}"
    config = _on_blade(programs, cores)
    untraced = _described(experiment, config, folder / "plain")
    stacks = _described(experiment, merged(config, TRACED), folder / "traced")
    finer = _described(experiment, merged(merged(config, TRACED), FINER), folder / "finer")
    alone = _run(untraced, folder / "plain")
    run = _run(stacks, folder / "stacks")
    detail = _run(finer, folder / "detail", random_batch_seed=experiment.seed | 1)
    restore = _saved(finer, folder, region_cycle(run))
    second = _run(finer, folder / "second", restore=restore)
    without = _run(stacks, folder / "without", restore=restore)
    whole = (alone.token_hash, alone.end_cycle)
    same = _is_same(run, alone) and _is_same(detail, alone)
    same &= all((each.token_hash, each.end_cycle) == whole for each in (second, without))
    same &= _folded(second) == _folded(detail) and _folded(without) == _folded(run)
    same &= plain(_folded(detail)) == plain(_folded(run))
    where = f"{_where(cores)}, inlined"
    return _part(programs, where, detail, alone, same=same, inlined=True)


def _described(experiment: Experiment, config: Config, folder: Path) -> dict[str, Any]:
    limited = merged(config, {"simulation": {"max_cycles": BOOT_LIMIT_CYCLES + REGION_CYCLES}})
    return Cluster(experiment, limited).description(folder)


def _run(
    description: dict[str, Any], folder: Path, expect: tuple[int, ...] = (0,), **changed: Any
) -> Run:
    return simulate({**description, **changed}, folder, expect=expect)
