# SPDX-License-Identifier: BSD-3-Clause
"""A whole import: from the files of the earlier FireSim to the text of a recipe and its notes."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path

from firesim_common.errors import InputError
from firesim_common.positions import KeyPath, Source

from firesim.importing.designs import BLADES
from firesim.importing.generated import FOLDER
from firesim.importing.hardware import Files, hardware
from firesim.importing.keys import Notes, text
from firesim.importing.kinds import kind_of, read
from firesim.importing.marshal_file import marshal_jobs, marshal_name
from firesim.importing.memory_settings import SIZE_MIB
from firesim.importing.places import beside, configuration, homes
from firesim.importing.recipe import Recipe
from firesim.importing.runtime import KEYS, check_names, network, observed, plusargs, poll_interval
from firesim.importing.workload_file import Job, jobs_of, name_of, put_jobs
from firesim.topology.chipyard import Collateral, CollateralError, read_collateral
from firesim.topology.chipyard_firrtl import FirrtlDesign, read_firrtl
from firesim.topology.firesim_target import slower_clocks

_CUSTOM = "../sim/custom-runtime-configs"
THEIRS = "theirs"
"""Name of the blade that is their hardware."""


@dataclass(frozen=True)
class Request:
    """What is imported; what is not given is looked for where the earlier FireSim keeps it."""

    file: Path
    """config_runtime.yaml, a workload's JSON, or a workload of FireMarshal."""
    hwdb: Path | None = None
    recipes: Path | None = None
    workload: Path | None = None
    custom_configs: Path | None = None
    blade: str | None = None
    """The blade to use, whatever design the files name."""
    chipyard: Path | None = None
    """Hardware to use, as Chipyard or FireSim have generated it."""


@dataclass(frozen=True)
class Imported:
    """A recipe, and what its user should know."""

    text: str
    notes: list[str]


def import_files(request: Request) -> Imported:
    """Make a recipe of what is asked for.

    Raises:
        InputError: a file is missing or wrong, or a thing has no counterpart that a run needs.
    """
    source = read(request.file, "runtime", "workload", "marshal")
    if request.chipyard is not None and not request.chipyard.exists():
        what = f'found "{request.chipyard}", expected a folder or a .fir that exists'
        raise InputError(f"--chipyard: {what}.")
    notes = Notes()
    recipe = Recipe([f"Made by `firesim import` from {source.name}.", *_HEAD])
    if "benchmark_name" in source.data:
        _alone(source, jobs_of(source, notes), name_of(source), request, recipe, notes)
    elif kind_of(source.data) == "marshal":
        name = re.sub(r"\W", "_", marshal_name(source))
        _alone(source, marshal_jobs(source, notes), name, request, recipe, notes)
    else:
        _from_runtime(source, request, recipe, notes)
    if notes.lines:
        recipe.head += ["", "What has no counterpart, or needs you:"]
        recipe.head += [f"- {line}" for line in notes.lines]
    return Imported(recipe.text(), notes.lines)


_HEAD = ["Check it with `firesim runcheck -c FILE`, run it with `firesim runworkload -c FILE`."]


def _from_runtime(source: Source, request: Request, recipe: Recipe, notes: Notes) -> None:
    check_names(source)
    notes.keys(source, (), KEYS)
    work = _workload(source, request)
    suffix = text(source, ("workload", "suffix_tag"), "")
    recipe.set("name", name_of(work) + (f"_{suffix}" if suffix else ""))
    found = network(source, recipe)
    entry_at: KeyPath = ("target_config", "default_hw_config")
    entry = text(source, entry_at)
    files = _files(request)
    blade = THEIRS if request.chipyard else request.blade
    machine = hardware(entry, (source, entry_at), files, blade, notes)
    design = machine.design
    target = request.chipyard or machine.target
    if found.networked and not design.nic:
        notes.add(source, entry_at, "the design has no NIC there; the blade here has one.")
    read_target = _read_target(target)
    asked = {option.name for option in read_target.facts.options} if read_target else set()
    options = plusargs(source, design.memory, notes, asked)
    if found.networked and isinstance(read_target, FirrtlDesign):
        _say_clocks(source, read_target, notes)
    recipe.set("system.clock_hz", design.clock_hz, "of the cores and of the network")
    comment = f"{entry}: {machine.said_by}"
    if target is not None:
        recipe.set(f"system.blades.{THEIRS}.chipyard", os.path.normpath(target.absolute()), comment)
    for name, value in options.items():
        recipe.set(f"system.blades.{THEIRS}.plusargs.{name}", value, "plusarg_passthrough")
    recipe.set("system.node.blade", THEIRS if target else blade or design.blade, comment)
    memory = design.memory.value()
    if target is not None:
        memory.pop("size_mib", None)  # The hardware says it.
    size_gib = design.memory.size_mib // 1024
    about = f"theirs has {size_gib} GiB, this blade {SIZE_MIB} MiB" if size_gib > 2 else ""
    poll_interval(source, recipe, notes, has_tsi=target is not None)
    for key, value in memory.items():
        recipe.set(f"system.node.memory.{key}", value, about if key == "size_mib" else "")
    put_jobs(work, jobs_of(work, notes), found.nodes, recipe, notes, by_node=target is not None)
    observed(source, recipe, found.networked)


def _read_target(target: Path | None) -> FirrtlDesign | Collateral | None:
    """Return what the text of their hardware says; None if it cannot be read."""
    if target is None:
        return None
    try:
        return read_firrtl(target) if target.is_file() else read_collateral(target)
    except CollateralError:
        return None  # `runcheck` says why.


def _say_clocks(source: Source, target: FirrtlDesign, notes: Notes) -> None:
    """Say what the numbers of a network mean where the NIC may be on a slower clock."""
    for share in slower_clocks(target.bridges):
        notes.add(
            source,
            ("target_config", "link_latency"),
            f": in cycles of the NIC's clock there, of the fastest one here. If the NIC has "
            f"{share} of its edges, multiply the latency by {1 / share} and the bandwidth by "
            f"{share}.",
        )


def _alone(
    source: Source,
    jobs: list[Job] | Job,
    name: str,
    request: Request,
    recipe: Recipe,
    notes: Notes,
) -> None:
    """Put a workload, which says what nodes run and no more, into the recipe."""
    count = 1 if isinstance(jobs, Job) else len(jobs)
    recipe.set("name", name)
    recipe.set("system.topology", f"rack_{count}", "a workload says nothing of the network")
    target = request.chipyard
    if target is not None:
        recipe.set(f"system.blades.{THEIRS}.chipyard", os.path.normpath(target.absolute()))
    blade = THEIRS if target else request.blade or BLADES[1]
    recipe.set("system.node.blade", blade, "nor of the design")
    if target is None:
        recipe.set("system.node.memory.size_mib", SIZE_MIB)
    put_jobs(source, jobs, count, recipe, notes, by_node=target is not None)


def _files(request: Request) -> Files:
    given = {"hwdb": request.hwdb, "build-recipes": request.recipes}
    for option, path in given.items():
        if path is not None and not path.is_file():
            raise InputError(f'--{option}: found "{path}", expected a file that exists.')
    if request.custom_configs is not None and not request.custom_configs.is_dir():
        found = f'found "{request.custom_configs}", expected a folder that exists.'
        raise InputError(f"--custom-configs: {found}")
    deploys = homes(request.file)
    custom = tuple(folder / _CUSTOM for folder in deploys if (folder / _CUSTOM).is_dir())
    return Files(
        request.hwdb or configuration(request.file, "hwdb"),
        request.recipes or configuration(request.file, "build_recipes"),
        (request.custom_configs,) if request.custom_configs else custom,
        tuple(folder / FOLDER for folder in deploys),
    )


def _workload(source: Source, request: Request) -> Source:
    path: KeyPath = ("workload", "workload_name")
    name = text(source, path)
    expected = Path("workloads") / source.file(path, name)
    there = beside(request.file, str(expected))
    file = request.workload or there or request.file.parent / expected
    if not file.is_file():
        if request.workload:
            raise InputError(f'--workload: found "{file}", expected a file that exists.')
        raise source.error(path, f'found "{file}", expected a file; --workload names another one.')
    return read(file, "workload")
