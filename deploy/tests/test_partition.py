# SPDX-License-Identifier: BSD-3-Clause
"""Placement: balanced, few links cut, by hand where given, refused where it cannot be."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from firesim.pipeline.load import find_config, load_file
from firesim.pipeline.resolve import resolve
from firesim.topology.costs import measured_costs, stated_costs
from firesim.topology.partition import Capacity, partition
from firesim.topology.plan import Plan
from firesim_common.errors import InputError

GIB = 1 << 30


def plan_of(recipe: str, *overrides: str) -> Plan:
    return resolve(load_file(find_config(recipe), list(overrides)))


def hosts(*cores: int, memory_bytes: int = 64 * GIB) -> list[Capacity]:
    return [Capacity(f"lab{i}", count, memory_bytes) for i, count in enumerate(cores)]


def placed(plan: Plan, where: list[Capacity]) -> dict[str, str]:
    return partition(plan, where, stated_costs(plan))


def test_racks_stay_together_on_two_hosts() -> None:
    plan = plan_of("clos_2_8_2")
    found = placed(plan, hosts(1, 1))
    assert sorted(Counter(found.values()).values()) == [10, 10]
    cut = [link.name for link in plan.links if found[link.a] != found[link.b]]
    assert len(cut) == 2, cut
    assert placed(plan, hosts(1, 1)) == found


def test_a_host_with_more_cores_gets_more() -> None:
    count = Counter(placed(plan_of("clos_2_8_2"), hosts(3, 1)).values())
    assert count["lab0"] > 2 * count["lab1"]


def test_what_is_placed_by_hand_is_where_it_was_put() -> None:
    by_hand = "placement.parts={node0: lab1, node7: lab0, tor0: lab1}"
    plan = plan_of("rack_8", by_hand, "placement.run_farm=two_processes")
    found = placed(plan, hosts(1, 1))
    assert (found["node0"], found["node7"], found["tor0"]) == ("lab1", "lab0", "lab1")
    assert len(set(found.values())) == 2


def test_more_hosts_than_parts_are_left_empty() -> None:
    found = placed(plan_of("quickstart"), hosts(1, 1, 1, 1, 1))
    assert sorted(found.values()) == ["lab0", "lab1", "lab2"]


def test_the_ends_of_a_link_too_short_to_be_cut_stay_together() -> None:
    plan = plan_of("rack_8", "system.link.latency_cycles=2")
    assert len(set(placed(plan, hosts(1, 1)).values())) == 1
    parts = "placement.parts={node0: lab0, tor0: lab1}"
    plan = plan_of(
        "rack_8", "system.link.latency_cycles=2", parts, "placement.run_farm=two_processes"
    )
    with pytest.raises(InputError, match="node0 and tor0 on different hosts"):
        placed(plan, hosts(1, 1))


@pytest.mark.parametrize(
    ("recipe", "parts", "text"),
    [
        (
            "rack_8",
            "{node0: lab0, node1: lab1}",
            "node0 and node1 on different hosts, expected them together: each link between them, "
            "through tor0, is shorter than 3 cycles.",
        ),
        (
            "rack_8",
            "{node0: lab0, node1: lab0, node7: lab1}",
            "node0 and node7 on different hosts",
        ),
        (
            "clos_2_8_2",
            "{node0: lab0, node15: lab1}",
            "node0 and node15 on different hosts, expected them together: each link between them, "
            "through tor0, root0, tor1, is shorter than 3 cycles.",
        ),
    ],
)
def test_parts_placed_apart_that_short_links_join_through_others_are_refused(
    recipe: str, parts: str, text: str
) -> None:
    short = "system.link.latency_cycles=2"
    plan = plan_of(recipe, short, f"placement.parts={parts}", "placement.run_farm=two_processes")
    with pytest.raises(InputError) as caught:
        placed(plan, hosts(1, 1))
    assert text in str(caught.value)


def test_parts_placed_together_take_along_what_short_links_join() -> None:
    short = "system.link.latency_cycles=2"
    parts = "placement.parts={node0: lab1, node7: lab1}"
    plan = plan_of("rack_8", short, parts, "placement.run_farm=two_processes")
    assert set(placed(plan, hosts(1, 1)).values()) == {"lab1"}


def test_an_unknown_host_is_refused_with_the_nearest_name() -> None:
    plan = plan_of("rack_8", "placement.parts={node0: lab11}", "placement.run_farm=two_processes")
    with pytest.raises(InputError, match=r'placement.parts.node0: found "lab11".*"lab1"\?'):
        placed(plan, hosts(1, 1))


def test_a_host_with_too_little_memory_is_named() -> None:
    with pytest.raises(InputError, match="GiB of memory for the .* nodes on lab0"):
        placed(plan_of("rack_8"), hosts(1, memory_bytes=1 << 20))


def test_clones_are_placed_where_they_would_not_fit_alone() -> None:
    plan, small = plan_of("rack_8"), hosts(1, 1, memory_bytes=1 << 20)
    found = partition(plan, small, stated_costs(plan), clones=True)
    assert set(found.values()) == {"lab0", "lab1"}


def test_an_earlier_run_says_what_parts_cost(tmp_path: Path) -> None:
    plan = plan_of("quickstart")
    result = '{"nodes": [{"name": "node0", "cpu_s": 2.0, "cycles": 1000000}], "switches": []}'
    (tmp_path / "result.json").write_text(result)
    costs = measured_costs(tmp_path, plan)
    assert costs["node0"] == pytest.approx(2000.0)
    assert costs["node1"] == stated_costs(plan)["node1"]
    (tmp_path / "result.json").write_text("{}")
    with pytest.raises(InputError, match="no whole result"):
        measured_costs(tmp_path, plan)


@pytest.mark.parametrize(
    ("override", "text"),
    [
        ("placement.parts={node9: lab0}", 'found "node9", expected one of the nodes'),
        ("placement.parts={node0: lab0}", 'expected also the key "run_farm"'),
        ("placement.run_farm=two_proceses", 'did you mean "two_processes"?'),
        ("placement.costs=nowhere", "expected the results of a run"),
    ],
)
def test_a_placement_that_cannot_be_is_refused(override: str, text: str) -> None:
    with pytest.raises(InputError) as caught:
        plan_of("rack_8", override)
    assert text in str(caught.value)
