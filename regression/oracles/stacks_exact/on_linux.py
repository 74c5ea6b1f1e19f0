# SPDX-License-Identifier: BSD-3-Clause
"""A Linux node whose programs know their stacks: in RTL from a warm start, and functional."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from regression.oracles.stacks_exact.truth import Part, told, traced
from regression.support.cluster import Cluster, Config, merged
from regression.support.experiment import Experiment, ExperimentError
from regression.support.simulate import Run, simulate
from regression.support.warm import WarmStart, region_cycle

BOOT_LIMIT_CYCLES = 64_000_000
REGION_CYCLES = 24_000_000
"""For which the node goes on in RTL at most; it powers off before."""
NODE: Config = {
    "system": {
        "topology": "rack_1",
        "node": {
            "blade": "rocket-1",
            "memory": {"size_mib": 32, "timing": {"model": "fixed", "latency_cycles": 10}},
        },
    },
    "workload": {"node": {"linux": "linux-stacks"}},
}
TRACED: Config = {
    "simulation": {"tracing": {"enabled": True, "outputs": ["folded"], "processes": True}}
}
FUNCTIONAL: Config = {"simulation": {"engine": "functional"}}
DONE = "stacks are done"


def _folded(run: Run) -> str:
    """Return the stacks of all harts."""
    files = sorted((run.folder / "node0" / "trace").glob("hart*.folded"))
    return "".join(file.read_text() for file in files)


def _is_same(run: Run, plain: Run) -> bool:
    """Return whether a run is that of another one, to the hash, the cycle and the console."""
    return (run.token_hash, run.end_cycle) == (plain.token_hash, plain.end_cycle) and run.console(
        "node0"
    ) == plain.console("node0")


def _go_on(warm: WarmStart, at: int, threads: int) -> Run:
    run = warm.go_on(at, at + REGION_CYCLES, threads)
    if DONE not in run.console("node0"):
        raise ExperimentError(f"{run.folder}: the programs have not ended, see its uart.log.")
    return run


def in_rtl(experiment: Experiment) -> Part:
    """Boot on the functional blade, and go on in RTL, with and without a trace."""
    warm = WarmStart(experiment, NODE, experiment.folder)
    at = region_cycle(warm.whole(BOOT_LIMIT_CYCLES))
    warm.save([at])
    plain = _go_on(warm, at, 1)
    warm.rtl = Cluster(experiment, merged(NODE, TRACED)).description(experiment.folder / "traced")
    run = _go_on(warm, at, 2)
    truth, found = told(run.console("node0")), traced(_folded(run))
    return Part("Linux in RTL", truth, found, _is_same(run, plain), run.token_hash)


def functional(experiment: Experiment, cores: int) -> Part:
    """Run from reset to power-off on a functional blade, in ways that must not matter.

    Without a trace; with 1 thread; with 2 and random batches; with each instruction looked at, as a
    log of them needs it; and in two pieces, through a snapshot where the region of interest begins.
    """
    folder = experiment.folder / f"functional-{cores}"
    blade = {"system": {"node": {"blade": f"rocket-{cores}"}}}
    plain_config = merged(merged(NODE, FUNCTIONAL), blade)
    each = {"simulation": {"tracing": {"outputs": ["folded", "binary"]}}}
    plain = _described(experiment, plain_config, folder / "plain")
    stacks = _described(experiment, merged(plain_config, TRACED), folder / "traced")
    log = _described(experiment, merged(merged(plain_config, TRACED), each), folder / "each")
    seed = experiment.seed | 1
    alone = _run(plain, folder / "plain", threads=1)
    runs = [
        _run(stacks, folder / "one-thread", threads=1),
        _run(stacks, folder / "random", threads=2, random_batch_seed=seed),
        _run(log, folder / "each", threads=1),
    ]
    at = region_cycle(runs[0])
    saving = {"directory": str(folder / "snapshots"), "at_cycles": [at]}
    _run(stacks, folder / "saved", snapshots=saving, max_cycles=at + 1, expect=(0, 1))
    restore = {"snapshot": str(folder / "snapshots" / f"cycle-{at}")}
    second = _run(stacks, folder / "second", restore=restore)
    for file in (folder / "each/node0/trace").glob("hart*.trace"):
        file.unlink()  # It is large, and told what it had to by the stacks beside it.
    same = all(_is_same(run, alone) for run in runs)
    same &= (second.token_hash, second.end_cycle) == (alone.token_hash, alone.end_cycle)
    same &= len({_folded(run) for run in [*runs, second]}) == 1
    truth = told(alone.console("node0"))
    name = f"Linux functional on {cores} hart{'s' if cores > 1 else ''}"
    return Part(name, truth, traced(_folded(runs[0])), same, alone.token_hash)


def _described(experiment: Experiment, config: Config, folder: Path) -> dict[str, Any]:
    limited = merged(config, {"simulation": {"max_cycles": BOOT_LIMIT_CYCLES + REGION_CYCLES}})
    return Cluster(experiment, limited).description(folder)


def _run(
    description: dict[str, Any], folder: Path, expect: tuple[int, ...] = (0,), **changed: Any
) -> Run:
    return simulate({**description, **changed}, folder, expect=expect)
