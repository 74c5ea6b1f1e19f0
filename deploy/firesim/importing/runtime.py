# SPDX-License-Identifier: BSD-3-Clause
"""`config_runtime.yaml`: network, what is observed and how a run ends."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Any

from firesim_common.errors import unknown
from firesim_common.explain import shown
from firesim_common.positions import KeyPath, Source
from firesim_common.settings import Setting
from goldengate.bridges import bridge_kinds

from firesim.importing.keys import TAKEN, Notes, from_error, text, truth, value_at, whole
from firesim.importing.memory_settings import MemoryModel, setting
from firesim.importing.recipe import Recipe
from firesim.importing.topologies import Topology, topology

_FARM = "hosts are given with --farm, see docs/how-to/run-on-ssh-hosts.md and run-on-ec2.md"
_METASIM = "RTL is simulated without an FPGA anyway; for the host's side there is engine metasim"
KEYS = {
    "run_farm.base_recipe": _FARM,
    "run_farm.recipe_arg_overrides": _FARM,
    "metasimulation.metasimulation_enabled": _METASIM,
    "metasimulation.metasimulation_host_simulator": "simulation.rtl_engine chooses the engine",
    "metasimulation.metasimulation_only_plusargs": TAKEN,
    "metasimulation.metasimulation_only_vcs_plusargs": "VCS is not used",
    "target_config.topology": TAKEN,
    "target_config.no_net_num_nodes": TAKEN,
    "target_config.link_latency": TAKEN,
    "target_config.switching_latency": TAKEN,
    "target_config.net_bandwidth": TAKEN,
    "target_config.profile_interval": "the report has rates and costs of every run",
    "target_config.default_hw_config": TAKEN,
    "target_config.plusarg_passthrough": TAKEN,
    "tracing.enable": TAKEN,
    "tracing.output_format": TAKEN,
    "tracing.selector": TAKEN,
    "tracing.start": TAKEN,
    "tracing.end": TAKEN,
    "autocounter.read_rate": TAKEN,
    "workload.workload_name": TAKEN,
    "workload.terminate_on_completion": "firesim terminaterunfarm gives hosts back",
    "workload.suffix_tag": TAKEN,
    "host_debug.zero_out_dram": "memory begins as zeros in every run",
    "host_debug.disable_synth_asserts": TAKEN,
    "synth_print.start": TAKEN,
    "synth_print.end": TAKEN,
    "synth_print.cycle_prefix": "prints.log always has the cycle",
}
LAST_CYCLE = 2**63 - 1
FULL_GBPS = 200
_OUTPUTS = ("text", "binary", "folded")
_METASIM_PLUSARGS: KeyPath = ("metasimulation", "metasimulation_only_plusargs")
_PASSED: KeyPath = ("target_config", "plusarg_passthrough")
_STEP_SIZE = "+fesvr-step-size="


def network(source: Source, recipe: Recipe) -> Topology:
    """Put topology, links and switches into the recipe; return the topology.

    Raises:
        InputError: no or another topology, or a number that is none.
    """
    path: KeyPath = ("target_config", "topology")
    name = text(source, path)
    alone: KeyPath = ("target_config", "no_net_num_nodes")
    try:
        found = topology(name, whole(source, alone, 1, least=1))
    except ValueError as error:
        raise from_error(source, path, error) from error
    comment = f"topology {name}"
    if not found.networked:
        comment += ": no links there; a node here has one, to a switch that carries nothing"
    recipe.set("system.topology", found.value, comment)
    if found.networked:
        latency = whole(source, ("target_config", "link_latency"), 6405, least=1)
        switching = whole(source, ("target_config", "switching_latency"), 10, least=1)
        speed = whole(source, ("target_config", "net_bandwidth"), FULL_GBPS, least=1)
        recipe.set("system.link.latency_cycles", latency, "link_latency; any number will do here")
        recipe.set("system.link.bandwidth_gbps", speed, "net_bandwidth")
        recipe.set("system.switch.switching_latency_cycles", switching, "switching_latency")
    return found


def observed(source: Source, recipe: Recipe, networked: bool) -> None:
    """Put traces, counters, prints, asserts and the run's end into the recipe.

    Raises:
        InputError: a value that none of them has.
    """
    end = "first" if networked else "all"
    recipe.set("simulation.end_when", end, "as there: a network ends with its first node")
    if truth(source, ("metasimulation", "metasimulation_enabled")):
        _most_cycles(source, recipe)
    if truth(source, ("tracing", "enable")):
        _tracing(source, recipe)
    rate = whole(source, ("autocounter", "read_rate"), 0)
    if rate:
        recipe.set("simulation.autocounter.enabled", True, "autocounter.read_rate")
        recipe.set("simulation.autocounter.interval_cycles", rate)
    if truth(source, ("host_debug", "disable_synth_asserts")):
        recipe.set("simulation.asserts", False, "host_debug.disable_synth_asserts")
    window = _cycles(source, "synth_print")
    if window is not None:
        recipe.set("simulation.prints", window, "synth_print: start, end")


def _most_cycles(source: Source, recipe: Recipe) -> None:
    found = re.search(r"\+max-cycles=(\d+)", text(source, _METASIM_PLUSARGS, ""))
    if found is not None:
        recipe.set("simulation.max_cycles", int(found[1]), "+max-cycles")


def _tracing(source: Source, recipe: Recipe) -> None:
    form = whole(source, ("tracing", "output_format"), 0)
    selector = whole(source, ("tracing", "selector"), 1)
    for value, most, key in ((form, 2, "output_format"), (selector, 3, "selector")):
        if value > most:
            text_ = f"found {value}, expected 0 to {most}."
            raise source.error(("tracing", key), text_)
    recipe.set("simulation.tracing.enabled", True, "tracing: output_format, selector, start, end")
    recipe.set("simulation.tracing.outputs", [_OUTPUTS[form]])
    trigger: dict[str, Any] | None = None
    if selector == 1:
        trigger = _cycles(source, "tracing")
    elif selector == 2:
        ends = (_word(source, "start"), _word(source, "end"))
        trigger = {"kind": "pc", "start": ends[0], "end": ends[1]}
    elif selector == 3:
        trigger = {"kind": "instruction"}
        for key in ("start", "end"):
            word = _word(source, key)
            trigger[key] = {"mask": word >> 32, "value": word & word >> 32}
    if trigger is not None:
        recipe.set("simulation.tracing.trigger", trigger)


def _cycles(source: Source, room: str) -> dict[str, Any] | None:
    """Return the window of cycles that `start` and `end` of a mapping are; None: all cycles."""
    start, end = (_cycle(source, (room, key), last) for key, last in (("start", 0), ("end", -1)))
    if start <= 0 and end < 0:
        return None
    if 0 <= end < start:
        raise source.error((room, "end"), f"found {end}, expected -1 or at least start {start}.")
    # Theirs includes its last cycle, ours does not.
    return {"kind": "cycle", "start": max(start, 0), "end": end + 1 if end >= 0 else LAST_CYCLE}


def _cycle(source: Source, path: KeyPath, default: int) -> int:
    value = value_at(source, path)
    value = default if value is None else value
    try:
        if isinstance(value, int | str) and not isinstance(value, bool):
            return int(value)
    except ValueError:
        pass
    raise source.error(path, f"found {shown(value)}, expected a cycle, or -1 for none.")


def _word(source: Source, key: str) -> int:
    """Return a hexadecimal number, which their YAML has without its 0x."""
    value = value_at(source, ("tracing", key))
    try:
        if isinstance(value, int | str) and not isinstance(value, bool):
            return int(str(value), 16) % 2**64
    except ValueError:
        pass
    expected = 'expected a hexadecimal number in quotes, such as "ffffffff00008013"'
    raise source.error(("tracing", key), f"found {shown(value)}, {expected}.")


def plusargs(
    source: Source, memory: MemoryModel, notes: Notes, asked: Collection[str]
) -> dict[str, int]:
    """Take the `+mm_` words of `plusarg_passthrough` into the memory; name those without use.

    Return the options that the design asks for, whose names are `asked`.

    Raises:
        InputError: a word of the memory that is no setting.
    """
    path = _PASSED
    taken: dict[str, int] = {}
    for word in text(source, path, "").split():
        name, _, value = word.removeprefix("+").partition("=")
        if word.startswith("+mm_"):
            setting(memory, word, source, path, notes)
        elif name in asked and value.isdecimal():
            taken[name] = int(value)
        elif not word.startswith(_STEP_SIZE):
            notes.add(source, path, f"{word}: no counterpart.")
    return taken


def _poll_cycles() -> Setting:
    """Return the setting of the bridge, which says what it takes."""
    (tsi,) = (kind for kind in bridge_kinds().values() if kind.key == "tsi")
    return tsi.settings["poll_cycles"]


def poll_interval(source: Source, recipe: Recipe, notes: Notes, has_tsi: bool) -> None:
    """Take `+fesvr-step-size=N` as the cycles between two looks of the host at tohost.

    A metasimulation has plusargs of its own, which go before those of every run. Our own blades,
    without TSI, look in other ways.

    Raises:
        InputError: a number that the setting does not take.
    """
    is_metasim = truth(source, ("metasimulation", "metasimulation_enabled"))
    paths = [_METASIM_PLUSARGS, _PASSED] if is_metasim else [_PASSED]
    found = ((path, word) for path in paths for word in text(source, path, "").split())
    path, word = next((one for one in found if one[1].startswith(_STEP_SIZE)), (_PASSED, None))
    if word is None:
        return
    value = word.removeprefix(_STEP_SIZE)
    if not value.isdecimal():
        raise source.error(path, f'found "{word}", expected {_STEP_SIZE}N, N in cycles.')
    if fault := _poll_cycles().fault(int(value)):
        raise source.error(path, f"{_STEP_SIZE}: {fault}")
    if has_tsi:
        recipe.set("system.node.bridges.tsi.poll_cycles", int(value), "+fesvr-step-size")
    else:
        notes.add(source, path, f"{word}: no counterpart: the blade here has no TSI.")


def check_names(source: Source) -> None:
    """Refuse a file without what a run needs.

    Raises:
        InputError: a part is missing.
    """
    for part in ("target_config", "workload"):
        if not isinstance(value_at(source, (part,)), dict):
            found = unknown(", ".join(source.data), "the mapping", [part])
            raise source.error((), found)
