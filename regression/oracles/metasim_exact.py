# SPDX-License-Identifier: BSD-3-Clause
"""Metasimulated nodes against RTL ones: one token hash, equal traces, counters and captures.

Quickstart's cluster runs once in RTL. Then both nodes are metasimulated: the FAME-1 form that an
FPGA holds, with the host's side around it, driven through registers and streams, as it is and with
channels and streams that stall at random, differently for each seed, and with the memories' timing
in RTL beside it, before a DRAM of random latency; then one node of each engine.
Every run must have the published token hash, and leave the same files. An RTL run and stalled
metasimulated ones are saved at random cycles, and each snapshot goes on in the other engine and in
itself: to the same hash and end cycle, with consoles and captures that are the end of the whole
ones. Registers and wires that are peeked are the same, and so are waves, to the byte. Without
--quick part of a Linux boot runs in both, compared by the trace of every instruction. With --quick
no memory is in RTL, which is another build of Rocket: test_metasim_memory.py has a smaller blade.
"""

from __future__ import annotations

from typing import Any

import yaml
from firesim_common.paths import ROOT

from regression.oracles import metasim_snapshots
from regression.support.cluster import merged, run_cluster
from regression.support.experiment import Experiment, Verdict, experiment_named
from regression.support.one_blade import one_blade
from regression.support.simulate import Run

QUICKSTART_HASH = "dddd1ba6da304c7e"
END_CYCLE = 930_741
FILES = (
    "node0/uart.log", "node0/counters.csv", "node0/trace/hart0.folded", "node0/memory.json",
    "node1/uart.log", "node1/counters.csv", "node1/trace/hart0.folded", "node1/memory.json",
    "tor0/capture.pcapng", "tor0/ports.json", "tor0/throughput.csv",
)  # fmt: skip
LINUX_FILES = ("node0/uart.log", "node0/counters.csv", "node0/trace/hart0.trace")
STALL_RATES = (8, 64, 160)
QUICK_STALL_RATE = 32
LINUX_CYCLES = 3_000_000


def _variants(experiment: Experiment) -> dict[str, dict[str, Any]]:
    """Return the settings under `simulation` of each run that is compared with RTL's."""
    stalled = {
        f"stalled, seed {seed}": {
            "engine": "metasim",
            "metasim": {"stall_seed": seed, "stall_rate": rate},
        }
        for seed, rate in enumerate(
            (QUICK_STALL_RATE,) if experiment.quick else STALL_RATES, experiment.seed
        )
    }
    if experiment.quick:
        return stalled
    in_rtl = {"memory": "rtl", "stall_seed": experiment.seed, "stall_rate": QUICK_STALL_RATE}
    stalled["memory in RTL, stalled"] = {"engine": "metasim", "metasim": in_rtl}
    mixed = {"engine": "metasim", "engines": {"node1": "rtl"}}
    return {"never stalled": {"engine": "metasim"}, **stalled, "beside an RTL node": mixed}


def _differences(first: Run, second: Run, files: tuple[str, ...]) -> list[str]:
    """Return the names of what is not equal in two runs."""
    contents = ((name, first.folder / name, second.folder / name) for name in files)
    found = [name for name, one, other in contents if one.read_bytes() != other.read_bytes()]
    if (first.token_hash, first.end_cycle) != (second.token_hash, second.end_cycle):
        found.insert(0, "the token hash")
    return found


def _row(name: str, run: Run, differing: list[str]) -> list[str]:
    rates = []
    for node in run.result["nodes"]:
        cycles, host = node["cycles"], node["statistics"].get("host_cycles")
        rates.append(f"{host / cycles:.1f}" if host else "-")
    cpu_s = sum(float(node["cpu_s"]) for node in run.result["nodes"])
    cycles = sum(int(node["cycles"]) for node in run.result["nodes"])
    differs = ", ".join(differing) or "nothing"
    return [name, run.token_hash, ", ".join(rates), f"{cycles / cpu_s / 1e3:,.0f}", differs]


def _linux(experiment: Experiment) -> tuple[list[list[str]], list[str]]:
    """Run part of a Linux boot in both; return rows and what differs."""
    watched = {
        "max_cycles": LINUX_CYCLES,
        "autocounter": {"enabled": True},
        "tracing": {"enabled": True, "outputs": ["binary"]},
    }
    config = one_blade("rocket-1", {"node": {"linux": "linux-hello"}}, watched)
    rtl = run_cluster(experiment, "linux-rtl", config)
    metasim = run_cluster(
        experiment, "linux-metasim", merged(config, {"simulation": {"engine": "metasim"}})
    )
    differing = _differences(rtl, metasim, LINUX_FILES)
    return [_row("Linux boot", metasim, differing)], differing


@experiment_named("metasim-exact")
def run(experiment: Experiment) -> Verdict:
    """Hold when every run equals RTL's, with the published hash."""
    config = yaml.safe_load((ROOT / "deploy/recipes/quickstart.yaml").read_text())
    saving = metasim_snapshots.saving(metasim_snapshots.random_cycles(experiment, END_CYCLE))
    rtl = run_cluster(experiment, "rtl", merged(config, saving))
    rows, wrong, hashes = [], [], {rtl.token_hash}
    saved = {"rtl": rtl}
    for number, (name, settings) in enumerate(_variants(experiment).items()):
        wanted = merged(config, {"simulation": settings})
        if name.startswith("stalled") and "metasim" not in saved:
            wanted = merged(wanted, saving)
        metasim = run_cluster(experiment, f"metasim-{number}", wanted)
        if "snapshots" in wanted["simulation"]:
            saved["metasim"] = metasim
        differing = _differences(rtl, metasim, FILES)
        rows.append(_row(name, metasim, differing))
        wrong += [f"{name}: {what}" for what in differing]
        hashes.add(metasim.token_hash)
    went_on, differing = metasim_snapshots.go_on(experiment, config, rtl, saved)
    wrong += differing
    if not experiment.quick:
        more, differing = _linux(experiment)
        rows += more
        wrong += [f"Linux boot: {what}" for what in differing]
    columns = ["metasimulated", "token hash", "host cycles a target cycle, by node",
               "target kHz of a CPU second", "differs from RTL"]  # fmt: skip
    experiment.table("Metasimulated nodes beside RTL ones", columns, rows)
    experiment.keep(hashes=sorted(hashes), wrong=wrong, rows=rows, went_on=went_on)
    holds = not wrong and hashes == {QUICKSTART_HASH}
    figure = (
        f"{len(rows)} metasimulated runs, {went_on} that went on from snapshots, "
        f"{len(wrong)} differences, {', '.join(sorted(hashes))}"
    )
    return Verdict(holds, figure, f"none, with the hash {QUICKSTART_HASH}")
