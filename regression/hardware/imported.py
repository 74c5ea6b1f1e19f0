# SPDX-License-Identifier: BSD-3-Clause
"""Files of the earlier FireSim: each value comes back from the recipe that import makes of them.

Their files of each kind, with every key and random numbers, become recipes: a runtime configuration
for each topology that they name, hardware by its entry and by its build recipe with settings of its
memory, a workload alone, and a workload of FireMarshal. `runcheck` has to take each recipe. Each
value with a counterpart is compared with what the recipe means, and the keys that are named as
having none with the list of those that have none.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from firesim.config.run_config import RunConfig
from firesim.importing.hardware import RECIPE
from firesim.importing.imported import Request, import_files
from firesim.importing.keys import TAKEN
from firesim.importing.marshal_file import BUILT
from firesim.importing.marshal_file import KEYS as MARSHAL_KEYS
from firesim.importing.runtime import KEYS
from firesim.importing.workload_file import KEYS as WORKLOAD_KEYS
from firesim.pipeline.check import check
from firesim.pipeline.load import load_source, load_text
from firesim.topology.plan import Plan
from firesim_common.errors import InputError
from firesim_common.positions import parse_yaml

from regression.support import tethered
from regression.support.experiment import Experiment, Verdict, experiment_named
from regression.support.firesim_files import CORES, TOPOLOGIES, Runtime, write_deploy

BLADES = {"": "rocket-1-l2", "Dual": "rocket-2", "Quad": "rocket-4-l2", "Octa": "rocket-8"}
MODELS = {"DDR3FCFS": "fcfs", "FCFS16GBQuadRank": "fcfs", "FRFCFS16GBQuadRankLLC4MB": "fr_fcfs"}
"""Memory models by their names, and ours."""
LARGE, SMALL_JOBS = re.compile(r"\d{3,}|clos_8"), 4
"""Topologies of 100 nodes and more, which `--quick` leaves out."""


@dataclass
class _Count:
    """What was compared."""

    values: int = 0
    recipes: int = 0
    named: int = 0
    wrong: list[str] = field(default_factory=list)

    def same(self, what: str, theirs: Any, ours: Any) -> None:
        """Note a value that has to come back."""
        self.values += 1
        if theirs != ours:
            self.wrong.append(f"{what}: {theirs!r} came back as {ours!r}")

    def names(self, what: str, notes: list[str], expected: list[str]) -> None:
        """Note the keys that are said to have no counterpart."""
        found = sorted(
            one[1] for note in notes if (one := re.search(r":\d+: ([\w.-]+): no counterpart", note))
        )
        self.named += len(found)
        if found != sorted(expected):
            self.wrong.append(f"{what}: keys without counterpart {found}, expected {expected}")


def _without(table: dict[str, str], *before: str) -> list[str]:
    """Return the keys of a table that have no counterpart."""
    return [".".join((*before, key)) for key, why in table.items() if why != TAKEN]


def _read(what: str, request: Request, count: _Count) -> tuple[RunConfig, Plan, list[str]] | None:
    """Import; return what the recipe means, and the notes; None where `runcheck` refuses it."""
    made = import_files(request)
    folder = request.file.parent
    try:
        bound = check(load_source(parse_yaml(made.text, "recipe.yaml"), folder, "recipe"))
    except InputError as error:
        count.wrong.append(f"{what}: runcheck says {error}")
        return None
    count.recipes += 1
    return load_text(made.text).config, bound.plan, made.notes


def _random(rng: random.Random, topology: str, entry: str = "hw_Quad") -> Runtime:
    start = rng.randrange(1, 10**6)
    return Runtime(
        topology,
        entry,
        alone=rng.randrange(1, 9),
        link_latency=rng.randrange(1, 20_000),
        switching_latency=rng.randrange(1, 100),
        net_bandwidth=rng.randrange(1, 201),
        backend_latency=rng.randrange(1, 100),
        max_cycles=rng.randrange(1, 10**9),
        read_rate=rng.randrange(1_000, 10**6),
        print_start=start,
        print_end=start + rng.randrange(10**6),
    )


def _runtime(given: Runtime, folder: Path, count: _Count) -> None:
    """Compare all values of a runtime configuration."""
    found = _read(f"{given.topology}, {given.entry}", Request(given.write(folder)), count)
    if found is None:
        return
    config, plan, notes = found
    run, node = config.simulation, config.system.node
    assert node.memory is not None
    if is_networked := given.topology != "no_net_config":
        link = config.system.link
        count.same("link_latency", given.link_latency, link.latency_cycles)
        count.same("net_bandwidth", given.net_bandwidth, link.bandwidth_gbps)
        switching = config.system.switch.switching_latency_cycles
        count.same("switching_latency", given.switching_latency, switching)
    else:
        count.same("no_net_num_nodes", given.alone, len(plan.nodes))
    count.same("topology", "first" if is_networked else "all", run.end_when)
    count.same("default_hw_config", BLADES[given.entry.removeprefix("hw_")], node.blade)
    timing = node.memory.timing.model_dump()
    count.same("+mm_backendLatency", given.backend_latency, timing["backend_latency_cycles"])
    count.same("+max-cycles", given.max_cycles, run.max_cycles)
    count.same("autocounter.read_rate", given.read_rate, run.autocounter.interval_cycles)
    window = {"kind": "cycle", "start": given.print_start, "end": given.print_end + 1}
    count.same("synth_print", window, run.prints.model_dump())
    count.same("tracing.output_format", ["binary"], run.tracing.outputs)
    edges = {"start": {"mask": 2**32 - 1, "value": 0x8013}, "end": {"mask": 0xFF, "value": 0x13}}
    trigger = {"kind": "instruction", **edges}
    count.same("tracing.selector, start, end", trigger, run.tracing.trigger.model_dump())
    count.same("disable_synth_asserts", "none", run.asserts.kind)
    count.same("workload_name, suffix_tag", "work_two", config.name)
    elves = {node.elf and node.elf.name for node in plan.servers}
    count.same("common_bootbinary", {"a.elf"}, elves)
    expected = [*_without(KEYS), *_without(WORKLOAD_KEYS), f"{given.entry}.agfi"]
    count.names(given.topology, notes, expected)


def _hardware(rng: random.Random, folder: Path, count: _Count) -> None:
    """Compare hardware by build recipes, and the settings of its memory."""
    for model, timing in MODELS.items():
        cores, latency = rng.choice(CORES), rng.randrange(2, 30)
        entry = {key: "x" for key, why in RECIPE.items() if why != TAKEN}
        entry |= {"DESIGN": "FireSim", "TARGET_CONFIG": f"{cores}RocketConfig"}
        entry |= {"PLATFORM_CONFIG": model, "metasim_customruntimeconfig": "own.conf"}
        (folder / "config_build_recipes.yaml").write_text(json.dumps({"mine": entry}, indent=1))
        (folder / "own.conf").write_text(f"+mm_dramTimings_tCAS={latency}  # theirs\n")
        request = Request(_random(rng, "example_2config", "mine").write(folder))
        if (found := _read(model, request, count)) is None:
            continue
        node = found[0].system.node
        assert node.memory is not None
        count.same("TARGET_CONFIG", BLADES[cores], node.blade)
        ours = node.memory.timing.model_dump()
        count.same("PLATFORM_CONFIG", timing, ours["model"])
        count.same("+mm_dramTimings_tCAS", latency, ours["timings"]["tCAS"])
        expected = [*_without(KEYS), *_without(WORKLOAD_KEYS), *_without(RECIPE, "mine")]
        count.names(model, found[2], expected)


def _workload(rng: random.Random, folder: Path, program: bytes, count: _Count) -> None:
    """Compare the jobs of a workload alone."""
    jobs = [{"name": f"j{n}", "bootbinary": f"{rng.randrange(10**6)}.elf"} for n in range(4)]
    work: dict[str, Any] = dict.fromkeys(_without(WORKLOAD_KEYS))
    work |= {"benchmark_name": "alone", "common_rootfs": None, "workloads": jobs}
    (folder / "alone").mkdir()
    for job in jobs:
        (folder / "alone" / job["bootbinary"]).write_bytes(program)
    file = folder / "alone.json"
    file.write_text(json.dumps(work, indent=1))
    if (found := _read("workload", Request(file), count)) is not None:
        for node, job in zip(found[1].servers, jobs, strict=True):
            count.same("bootbinary", job["bootbinary"], node.elf and node.elf.name)
        count.names("workload", found[2], _without(WORKLOAD_KEYS))


def _marshal(rng: random.Random, folder: Path, program: bytes, count: _Count) -> None:
    """Compare the jobs and outputs of a workload of FireMarshal."""
    names = [f"j{n}" for n in range(rng.randrange(1, SMALL_JOBS))]
    outputs = {name: [f"/root/{rng.randrange(10**6)}.csv"] for name in names}
    work = {
        **{key: "x" for key in _without(MARSHAL_KEYS)},
        "name": "bench",
        "jobs": [{"name": name, "outputs": outputs[name]} for name in names],
    }
    for name in names:
        images = folder / f"images/firechip/bench-{name}"
        images.mkdir(parents=True)
        (images / f"bench-{name}-bin").write_bytes(program)
        (images / f"bench-{name}.img").write_bytes(bytes(1 << 20))
    file = folder / "example/bench.json"
    file.parent.mkdir()
    file.write_text(json.dumps(work, indent=1))
    if (found := _read("FireMarshal", Request(file), count)) is not None:
        for node, name in zip(found[1].servers, names, strict=True):
            count.same("bin", f"bench-{name}-bin", node.elf and node.elf.name)
            count.same("img", f"bench-{name}.img", node.disk_image and node.disk_image.name)
            count.same("outputs", tuple(outputs[name]), node.disk_outputs)
        named = [key for key in _without(MARSHAL_KEYS) if MARSHAL_KEYS[key] != BUILT]
        count.names("FireMarshal", found[2], named)


def _runtimes(experiment: Experiment, rng: random.Random, folder: Path, count: _Count) -> None:
    """Compare a configuration of each topology, and of each design that is ours."""
    for topology in TOPOLOGIES:
        if not (experiment.quick and LARGE.search(topology)):
            _runtime(_random(rng, topology), folder, count)
    for cores in CORES:
        _runtime(_random(rng, "example_4config", f"hw_{cores}"), folder, count)


@experiment_named("import")
def main(experiment: Experiment) -> Verdict:
    """Import files of each kind, and count what came back."""
    rng, folder = random.Random(experiment.seed), experiment.folder / "deploy"
    program = tethered.built(experiment.folder, tethered.HELLO).read_bytes()
    write_deploy(folder, program)
    rows: list[list[object]] = []
    kinds: dict[str, Callable[[_Count], None]] = {
        "runtime configurations": lambda count: _runtimes(experiment, rng, folder, count),
        "build recipes with settings of memory": lambda count: _hardware(rng, folder, count),
        "workload": lambda count: _workload(rng, folder, program, count),
        "workload of FireMarshal": lambda count: _marshal(rng, experiment.folder, program, count),
    }
    wrong: list[str] = []
    total = [0, 0, 0]
    for kind, body in kinds.items():
        count = _Count()
        body(count)
        wrong += count.wrong
        found = [count.recipes, count.values, count.named]
        total = [one + other for one, other in zip(total, found, strict=True)]
        rows.append([kind, *found, len(count.wrong)])
    columns = ["files", "recipes that runcheck takes (count)", "values compared (count)"]
    columns += ["keys named without counterpart (count)", "wrong (count)"]
    experiment.table("import", columns, rows)
    for line in wrong[:20]:
        experiment.say(line)
    experiment.keep(recipes=total[0], values=total[1], named=total[2], wrong=wrong)
    figure = f"{total[1]} values of {total[0]} recipes came back, {total[2]} keys were named,"
    return Verdict(not wrong, f"{figure} {len(wrong)} wrong,", "none wrong")
