# SPDX-License-Identifier: BSD-3-Clause
"""Which kind of file one is, by its keys."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal, get_args

from firesim_common.errors import InputError
from firesim_common.positions import Source, read_yaml

Kind = Literal[
    "runtime",
    "hwdb",
    "recipes",
    "build",
    "workload",
    "marshal",
    "farm",
    "builder",
    "ours",
    "other",
]
_CALLED: dict[Kind, str] = {
    "runtime": "a runtime configuration (config_runtime.yaml)",
    "hwdb": "a hardware database (config_hwdb.yaml)",
    "recipes": "build recipes (config_build_recipes.yaml)",
    "build": "the list of builds (config_build.yaml), which has nothing for a run",
    "workload": "a workload (JSON with benchmark_name)",
    "marshal": "a workload of FireMarshal",
    "farm": "a run farm, for which there is --farm (docs/how-to/run-on-ssh-hosts.md)",
    "builder": "what builds bitstreams (docs/how-to/build-bitstreams.md)",
    "ours": "a recipe, which needs no import",
    "other": "something else",
}
_GIVE: dict[Kind, str] = {"hwdb": "--hwdb", "recipes": "--build-recipes", "workload": "--workload"}
_MARKS: dict[Kind, set[str]] = {
    "runtime": {"target_config", "run_farm", "metasimulation", "host_debug"},
    "build": {"builds_to_run", "build_farm", "agfis_to_share"},
    "workload": {"benchmark_name", "common_bootbinary", "workloads"},
    "farm": {"run_farm_type"},
    "builder": {"build_farm_type", "bit_builder_type"},
    "ours": {"system", "simulation"},
    "marshal": {"base", "bin", "img", "jobs", "guest-init", "host-init", "rootfs-size", "distro"},
}
_ENTRY_MARKS: dict[Kind, set[str]] = {
    "hwdb": {"agfi", "bitstream_tar", "deploy_quintuplet_override", "deploy_triplet_override"},
    "recipes": {"DESIGN", "TARGET_CONFIG", "PLATFORM_CONFIG"},
}
assert {*_CALLED} == {*get_args(Kind)}


def kind_of(data: Any) -> Kind:
    """Return which kind of file has these values."""
    if not isinstance(data, dict):
        return "other"
    for kind, marks in _MARKS.items():
        if marks & data.keys():
            return kind
    entries = [entry for entry in data.values() if isinstance(entry, dict)]
    for kind, marks in _ENTRY_MARKS.items():
        if any(marks & entry.keys() for entry in entries):
            return kind
    return "other"


def read(path: Path, *wanted: Kind) -> Source:
    """Read a file of one of the wanted kinds.

    Raises:
        InputError: it is not there, not YAML or JSON, or of another kind.
    """
    if path.suffix == ".ini":
        what = "a configuration of FireSim before 1.14, which is not YAML"
        raise InputError(f"{path}: found {what}, expected it written again as config_runtime.yaml.")
    source = read_yaml(path)
    found = kind_of(source.data)
    if found in wanted:
        return source
    expected = " or ".join(_CALLED[kind] for kind in wanted)
    hint = f"; give this one with {_GIVE[found]}" if found in _GIVE else ""
    raise InputError(f"{source.name}:1: found {_CALLED[found]}, expected {expected}{hint}.")
