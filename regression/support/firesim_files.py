# SPDX-License-Identifier: BSD-3-Clause
"""Configuration files of the earlier FireSim, written from the lists of their keys."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from firesim.importing.keys import TAKEN
from firesim.importing.workload_file import KEYS as WORKLOAD_KEYS

_RUNTIME = """\
run_farm:
  base_recipe: farms/own.yaml
  recipe_arg_overrides: {{hosts: 2}}
metasimulation:
  metasimulation_enabled: true
  metasimulation_host_simulator: verilator
  metasimulation_only_plusargs: "+fesvr-step-size=128 +max-cycles={max_cycles}"
  metasimulation_only_vcs_plusargs: "+x"
target_config:
  topology: {topology}
  no_net_num_nodes: {alone}
  link_latency: {link_latency}
  switching_latency: {switching_latency}
  net_bandwidth: {net_bandwidth}
  profile_interval: -1
  default_hw_config: {entry}
  plusarg_passthrough: "+mm_backendLatency={backend_latency} +odd"
tracing: {{enable: yes, output_format: 1, selector: 3, start: ffffffff00008013, end: "ff00010013"}}
autocounter: {{read_rate: {read_rate}}}
workload: {{workload_name: work.json, terminate_on_completion: no, suffix_tag: two}}
host_debug: {{zero_out_dram: no, disable_synth_asserts: yes}}
synth_print: {{start: {print_start}, end: {print_end}, cycle_prefix: yes}}
"""
TARGET = (
    "f2-firesim-FireSim-WithNIC_WithFireSimHighPerfConfigTweaks_{}Config-"
    "FRFCFS16GBQuadRankLLC4MB"
)
TOPOLOGIES = [
    *(f"example_{2**n}config" for n in range(9)),
    *(f"supernode_example_{2**n}config" for n in range(2, 11)),
    *("supernode_example_6config", "supernode_example_deep64config", "example_cross_links"),
    *("small_hierarchy_8sims", "small_hierarchy_2sims"),
    *("clos_2_8_2", "clos_8_8_16", "fat_tree_4ary", "no_net_config"),
]
CORES = ("Quad", "Octa", "Dual", "")


@dataclass(frozen=True)
class Runtime:
    """The numbers of a runtime configuration."""

    topology: str = "example_8config"
    entry: str = "hw_Quad"
    alone: int = 3
    link_latency: int = 6405
    switching_latency: int = 12
    net_bandwidth: int = 100
    backend_latency: int = 7
    max_cycles: int = 5000
    read_rate: int = 20000
    print_start: int = 10
    print_end: int = 20

    def write(self, folder: Path) -> Path:
        """Write `config_runtime.yaml`; return it."""
        file = folder / "config_runtime.yaml"
        file.write_text(_RUNTIME.format(**vars(self)))
        return file


def write_deploy(folder: Path, program: bytes = b"") -> None:
    """Make a folder as their `deploy/` is, with all that a run needs but `config_runtime.yaml`."""
    (folder / "workloads/work").mkdir(parents=True)
    work = {
        **{key: None for key, why in WORKLOAD_KEYS.items() if why != TAKEN},
        "benchmark_name": "work",
        "common_bootbinary": "a.elf",
        "common_rootfs": None,
    }
    (folder / "workloads/work.json").write_text(json.dumps(work, indent=1))
    (folder / "workloads/work/a.elf").write_bytes(program)
    write_entries(folder, {f"hw_{cores}": TARGET.format(f"{cores}Rocket") for cores in CORES})


def write_entries(folder: Path, quintuplets: Mapping[str, str]) -> None:
    """Write `config_hwdb.yaml` of these entries."""
    entries = {
        name: {"agfi": "agfi-0", "deploy_quintuplet_override": text}
        for name, text in quintuplets.items()
    }
    (folder / "config_hwdb.yaml").write_text(json.dumps(entries, indent=1))
