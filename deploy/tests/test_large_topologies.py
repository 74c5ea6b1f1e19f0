# SPDX-License-Identifier: BSD-3-Clause
"""What is allowed is quickly resolved, and what is not is refused before it grows; by counting."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import firesim_software
import pytest
from firesim.bind.checks import check_plan
from firesim.config.loaded import Loaded
from firesim.pipeline.load import load_file
from firesim.pipeline.resolve import resolve
from firesim.topology.passes.validate import MOST_ENTRIES, MOST_SWITCHES, MOST_WAYS
from firesim_common.errors import InputError

Load = Callable[..., Loaded]
OURS = str(Path(resolve.__code__.co_filename).parents[1])


def steps_of(work: Callable[[], object]) -> int:
    """Return how many lines of the manager's run, without what is written in C."""
    count = 0

    def trace(frame: FrameType, event: str, argument: Any) -> Any:
        nonlocal count
        if not frame.f_code.co_filename.startswith(OURS):
            return None
        count += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        work()
    finally:
        sys.settrace(before)
    return count


TRAFFIC = "system: {{topology: {}, node: {{blade: traffic, traffic: idle.traffic}}}}\n"
TALKING = """\
system: {{topology: {}}}
workload: {{node: {{program: ping, args: ["peer=${{node1.mac}}"]}}}}
simulation: {{engine: functional}}
"""


@pytest.mark.parametrize("text", [TRAFFIC, TALKING], ids=["traffic", "arguments"])
@pytest.mark.parametrize(
    "topology", ["rack_512", "tree_8_32", "clos_4_8_32", "fat_tree_12ary", "torus_12_12_1"]
)
def test_the_steps_are_in_proportion_to_what_there_is(
    topology: str, text: str, tmp_path: Path
) -> None:
    (tmp_path / "idle.traffic").write_text("# sends nothing\n")
    config = tmp_path / "large.yaml"
    config.write_text(text.format(topology))
    loaded = load_file(config)
    plans: list[Any] = []
    steps = steps_of(lambda: plans.append(resolve(loaded)))
    plan = plans[0]
    homes = {link.b for link in plan.links if link.a.startswith("node")}
    parts = len(plan.nodes) + len(plan.switches) + len(plan.links)
    ways = len(plan.switches) * len(homes)
    entries = sum(len(switch.table) for switch in plan.switches)
    assert entries == len(plan.switches) * len(plan.nodes)
    assert steps < 300 * parts + 15 * ways, (steps, parts, ways, entries)


@pytest.mark.parametrize(
    ("topology", "tables", "digest"),
    [
        ("mesh_7_9_3", 63, "e4bc5bb0d8f58a5ee7d7"),
        ("tree_3_5", 4, "a6394036c0bcf110b582"),
        ("clos_4_8_32", 32 + 1, "fecd2228f9a75b17d5a3"),  # One of all roots.
        ("fat_tree_8ary", 32 + 8 + 1, "a75bb62d171d8f829645"),  # One a pod, one of all cores.
    ],
)
def test_switches_with_the_same_ways_have_one_table(
    topology: str, tables: int, digest: str, load: Load
) -> None:
    """And what is in them, with its order, is what it was when each was made by itself."""
    plan = resolve(load(topology))
    assert len({id(switch.table) for switch in plan.switches}) == tables
    found = hashlib.sha256()
    for switch in plan.switches:
        found.update(repr((switch.name, list(switch.table.items()), switch.flood_ports)).encode())
    assert found.hexdigest()[:20] == digest


def test_switches_without_nodes_have_empty_tables(tmp_path: Path) -> None:
    config = tmp_path / "run.yaml"
    config.write_text(
        "system:\n  topology: {nodes: [a], switches: [s, t], links: [[s, t]]}\n"
        "  blades: {mine: {sources: [top.sv], top: Top}}\n  node: {blade: mine}\n"
    )
    (tmp_path / "top.sv").write_text("module Top(input clock, reset); endmodule\n")
    assert [switch.table for switch in resolve(load_file(config)).switches] == [{}, {}]


@pytest.mark.parametrize(
    ("topology", "message"),
    [
        ("tree_8000_1", 'found 8000 ports at switch "root", expected at most 1024.'),
        ("tree_400_100", f"16,040,000 switches times nodes, expected at most {MOST_ENTRIES:,}"),
        (
            "mesh_40_40_1",
            f"found 2,560,000 switches times those with nodes, expected at most " f"{MOST_WAYS:,}",
        ),
        ("ring_4000_1", f"found 4,000 switches, expected at most {MOST_SWITCHES:,}"),
    ],
)
def test_what_is_too_large_is_refused_before_it_grows(
    topology: str, message: str, load: Load
) -> None:
    loaded, said = load(topology), ""

    def work() -> None:
        nonlocal said
        with pytest.raises(InputError) as caught:
            resolve(loaded)
        said = str(caught.value)

    steps = steps_of(work)
    assert message in said
    assert steps < 3_000_000, f"{steps}: some lines for each part, and no tables"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("rack_\u0663", "expected one of two_nodes, rack_N"),
        ("fat_tree_\uff14ary", "expected one of two_nodes, rack_N"),
        ("rack_" + "9" * 5000, "expected numbers from 1 in rack_N."),
    ],
)
def test_digits_are_those_of_ascii(name: str, message: str, load: Load) -> None:
    with pytest.raises(InputError) as caught:
        resolve(load(name))
    assert message in str(caught.value)


def test_a_place_in_a_list_is_given_by_digits_of_ascii(tmp_path: Path) -> None:
    config = tmp_path / "run.yaml"
    config.write_text("system: {topology: {nodes: [a, b], switches: [s], links: [[a, s], [b, s]]}}")
    for digit in ("\u0661", "\u00b2"):
        with pytest.raises(InputError, match=f'found index "{digit}", expected 0 to 1'):
            load_file(config, [f"system.topology.nodes.{digit}=c"])


def test_each_program_is_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not once for each node: of 8,000 nodes that took 18 s."""
    read: list[str] = []
    original = firesim_software.workload

    def workload(name: str) -> firesim_software.Workload:
        read.append(name)
        return original(name)

    monkeypatch.setattr(firesim_software, "workload", workload)
    config = tmp_path / "large.yaml"
    config.write_text(TALKING.format("rack_40"))
    loaded = load_file(config)
    check_plan(resolve(loaded))
    assert read == ["ping"]
