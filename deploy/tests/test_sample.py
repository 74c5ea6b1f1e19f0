# SPDX-License-Identifier: BSD-3-Clause
"""Samples: quantiles against tables, which intervals, one result for any threads, going on."""

from __future__ import annotations

import json
import math
import random
import re
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import firesim
import pytest
from firesim.api.samples import Sample
from firesim.pipeline.load import find_config, load_file
from firesim.pipeline.resolve import resolve
from firesim.sampling.estimates import rate_of
from firesim.sampling.figures import figures_of
from firesim.sampling.folder import SAMPLE, make, opened
from firesim.sampling.go import go
from firesim.sampling.settings import (
    ENDS,
    FUNCTIONAL,
    NO_WARMING,
    Settings,
    Whole,
    asked,
    check_population,
    level_for,
    share,
    units_of,
)
from firesim.sampling.statistics import (
    estimate,
    joined,
    least_for_skewness,
    needed,
    serial_correlation,
    t_quantile,
)
from firesim.sampling.warm_up import matters
from firesim.sampling.warming import with_cold_caches
from firesim.sampling.weights import weighted, weights_of
from firesim.sampling.written import CSV
from firesim_common.errors import InputError
from rich.console import Console

QUIET = Console(quiet=True)
SHORT = """\
name: short
system: {topology: rack_1, node: {memory: {size_mib: 16}}}
workload: {node: {program: counters, args: [rounds=2000]}}
"""
SETTINGS = Settings(interval=1000, warm_up=2000, warming=NO_WARMING, first=4, most=8)
FIGURES = replace(SETTINGS, interval=2, warm_up=2, figure="cycles=([0-9]+)", most=4)
LOOPS = ("arithmetic", "division", "branches", "misses")
CLUSTER_HASH = "1bf0782686387efb"
SAMPLE_HASH = "15bf1eeb7424320e"
WARM = replace(SETTINGS, interval=1024, warm_up=0, warming=FUNCTIONAL)
"""Intervals of whole quanta of the functional node, so that they begin with what was saved."""
WARM_HASH = "f78d74327640c538"
CHOSEN_WARM_UP, CHOSEN_HASH = 16_000, "3271786e20fce75e"
WARM_CLUSTER_HASH = "9ddb72ae53e1dcd5"


@pytest.mark.parametrize(
    ("confidence", "degrees", "quantile"),
    [(0.95, 1, 12.706), (0.95, 2, 4.303), (0.99, 7, 3.499), (0.95, 29, 2.045), (0.99, 1000, 2.581)],
)
def test_quantiles_are_those_of_tables(confidence: float, degrees: int, quantile: float) -> None:
    assert t_quantile(confidence, degrees) == pytest.approx(quantile, abs=5e-4)


def test_the_interval_holds_the_mean_as_often_as_it_says() -> None:
    rng = random.Random(33)
    inside = 0
    for _ in range(1000):
        values = [rng.gauss(3, 1) for _ in range(200)]
        found = estimate(rng.sample(values, 20), 200, 0.9)
        inside += abs(found.mean - sum(values) / 200) <= found.half_width
    assert 870 <= inside <= 930, "seed 33"


def test_the_interval_of_a_skewed_mean_holds_it_too() -> None:
    rng = random.Random(36)
    values = [7.71] * 33 + [8.2] * 180  # as those of `bodies`: a sixth is unlike the rest
    true = sum(values) / len(values)
    inside = narrow = 0
    for _ in range(1000):
        found = estimate(rng.sample(values, 30), len(values), 0.95)
        half = t_quantile(0.95, 29) * found.deviation * math.sqrt((1 - 30 / 213) / 30)
        inside += abs(found.mean - true) <= found.half_width
        narrow += abs(found.mean - true) <= half
    assert narrow < 930 < 940 <= inside, f"{narrow} and {inside}, seed 36"


def test_what_an_error_takes() -> None:
    found = estimate([1.0, 3.0] * 15, 10**9, 0.95)
    assert needed(found, found.error, 10**9, 0.95) == pytest.approx(30, abs=1)
    assert estimate([1.0, 3.0] * 15, 30, 0.95).half_width == 0  # all of them
    assert least_for_skewness([1.0, 3.0] * 15) == 0
    assert least_for_skewness([1.0] * 29 + [100.0]) > 500
    assert (
        serial_correlation([1.0, 3.0] * 15) < -5 < 2 < serial_correlation([1.0] * 15 + [3.0] * 15)
    )


def test_each_level_has_the_intervals_of_the_one_before() -> None:
    for seed in range(20):
        settings = replace(SETTINGS, seed=seed)
        levels = [units_of(level, 1002, settings) for level in range(8)]
        for level, (less, more) in enumerate(pairwise(levels)):
            assert set(less) < set(more) and len(less) == ENDS + (4 << level)
            assert more[0] == 0 and more[-1] == 1001
            drawn = [unit - 1 for unit in more[1:-1]]
            parts = [unit * len(drawn) // 1000 for unit in drawn]
            assert max(abs(part - at) for at, part in enumerate(parts)) <= 1
    assert units_of(9, 1002, SETTINGS) == list(range(1002))
    assert level_for(5, SETTINGS, 1000) == 1
    assert level_for(900, SETTINGS, 1000) == 1  # 8 is the most


def test_known_values_are_a_stratum_of_their_own() -> None:
    found = estimate([1.0, 3.0] * 15, 98, 0.95)
    both = joined(found, 98, [(10.0, 1.0), (4.0, 1.5)])
    assert both.mean == pytest.approx((98 * 2 + 10 + 6) / 100.5)
    assert both.half_width == pytest.approx(found.half_width * 98 / 100.5)
    assert joined(found, 0, [(10.0, 1.0)]).half_width == 0


@pytest.mark.parametrize(("units", "length"), [(40, 5), (8, 2)])
def test_figures_lie_in_their_intervals_as_often_as_these_say(units: int, length: int) -> None:
    rng = random.Random(34)
    inside = {"mean": 0, "p50": 0, "p95": 0}
    for _ in range(200):
        every = [[rng.expovariate(1 + unit % 3) for _ in range(length)] for unit in range(400)]
        flat = sorted(value for of in every for value in of)
        found = figures_of(rng.sample(every, units), 400, 0.9)
        assert found is not None and found.count == units * length
        inside["mean"] += abs(found.mean.mean - sum(flat) / len(flat)) <= found.mean.half_width
        for name, part in (("p50", 0.5), ("p95", 0.95)):
            one = found.percentiles[name]
            inside[name] += one.low <= flat[int(part * len(flat)) - 1] <= one.high
    assert all(count >= 160 for count in inside.values()), f"{inside}, seed 34"
    assert figures_of([[], []], 400, 0.9) is None


def test_few_figures_do_not_say_where_a_high_percentile_ends() -> None:
    found = figures_of([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], 400, 0.95)
    assert found is not None
    assert found.percentiles["p99"].value == 6.0 and found.percentiles["p99"].high == math.inf


def test_a_bias_matters_when_it_is_no_chance_and_not_small() -> None:
    def is_said(changes: list[float]) -> bool:
        return matters(estimate(changes, 10**9, 0.95), 2.0, replace(SETTINGS, error=0.04))

    assert is_said([-0.0081, -0.0082, -0.0083, -0.0084])  # 0.4 % of the CPI is allowed
    assert not is_said([-0.0079, -0.0078, -0.0077, -0.0076])
    assert not is_said([-0.5, 0.4, 0.3, -0.4])


def test_shares() -> None:
    assert share("3%", "--error") == 0.03 and share("0.1", "--error") == 0.1
    with pytest.raises(InputError, match="expected a percentage, such as 3%"):
        share("few", "--error")


@pytest.fixture
def recipe(elsewhere: Path) -> Path:
    """Return a recipe outside the checkout, in the current folder."""
    (elsewhere / "short.yaml").write_text(SHORT)
    return elsewhere / "short.yaml"


def test_one_result_for_any_threads_and_after_going_on(recipe: Path) -> None:
    loaded = load_file(recipe)
    result = go(make(loaded, SETTINGS, Path("one")), 2, QUIET)
    assert result.sample_hash == SAMPLE_HASH
    assert len(result.measured) == ENDS + 8 and not result.is_met
    *others, last = result.measured
    assert all(one.instructions == 1000 for one in others)
    assert 1000 <= last.instructions <= 2000
    go(make(loaded, replace(SETTINGS, most=4), Path("two")), 1, QUIET)
    kept = {path: path.stat().st_mtime_ns for path in Path("two").glob("interval-*.json")}
    assert len(kept) == ENDS + 4
    again = go(opened(Path("two"), {"most": 8}), 1, QUIET)
    assert again.sample_hash == result.sample_hash
    assert {path: path.stat().st_mtime_ns for path in kept} == kept
    assert Path("one", CSV).read_bytes() == Path("two", CSV).read_bytes()
    sample = firesim.sample(recipe, "one", **vars(SETTINGS))
    assert list(sample.frame["token_hash"]) == [one.token_hash for one in result.intervals]
    assert sample.estimate["cpi"]["mean"] == result.wanted.mean


def test_caches_are_filled_as_the_functional_node_follows_them(recipe: Path) -> None:
    kernel = "workload={node: {program: kernels, args: [kernel=22, rounds=20]}}"  # interpreter
    loaded = load_file(recipe, [kernel])
    warm = go(make(loaded, WARM, Path("warm")), 2, QUIET)
    cold = go(make(loaded, replace(WARM, warming=NO_WARMING), Path("cold")), 2, QUIET)
    assert warm.sample_hash == WARM_HASH
    # The end of the restore program lies within the tokens: 5 lines that any interval fetches.
    for event, factor in (("hart0_dcache_miss", 3), ("hart0_icache_miss", 1)):
        middle = [
            sum(one.events.get(event, 0) for one in result.measured[1:-1])
            for result in (warm, cold)
        ]
        assert factor * middle[0] < middle[1], f"{event}: {middle}"
    again = go(make(loaded, WARM, Path("again")), 1, QUIET)
    assert again.sample_hash == WARM_HASH


def test_a_warm_up_is_doubled_until_that_changes_nothing(recipe: Path) -> None:
    kernel = "workload={node: {program: kernels, args: [kernel=17, rounds=10]}}"  # tree
    loaded = load_file(recipe, [kernel])
    wanted = replace(SETTINGS, warm_up=1000, chooses_warm_up=True, first=16, most=16, error=0.01)
    result = go(make(loaded, wanted, Path("chosen")), 2, QUIET)
    assert (result.warm_up, result.sample_hash) == (CHOSEN_WARM_UP, CHOSEN_HASH)
    assert result.bias is not None and result.bias.shorter == CHOSEN_WARM_UP // 2
    assert result.bias.left == abs(result.bias.change.mean)
    plain = rate_of(result.intervals, result.whole, wanted)
    assert plain is not None
    assert result.wanted.half_width == plain.half_width + result.bias.left
    said = replace(wanted, warm_up=CHOSEN_WARM_UP, chooses_warm_up=False, checks_warm_up=True)
    checked = go(make(loaded, said, Path("checked")), 1, QUIET)
    assert checked.sample_hash == CHOSEN_HASH, "the same intervals behind the same warm-up"
    assert checked.bias is not None and checked.bias.shorter == checked.warm_up
    assert checked.bias.left == 2 * abs(checked.bias.change.mean)


def test_a_warm_up_is_chosen_unless_it_is_said() -> None:
    assert asked({}).chooses_warm_up and asked({"interval": 2000}).chooses_warm_up
    assert not asked({"warm_up": 4000}).chooses_warm_up
    assert not asked({"warming": NO_WARMING}).chooses_warm_up
    assert asked({"warm_up": 4000, "chooses_warm_up": True}).chooses_warm_up


def test_samples_of_before_had_no_warming(recipe: Path) -> None:
    folder = make(load_file(recipe), SETTINGS, Path("old"))
    said = json.loads((folder.path / SAMPLE).read_text())
    assert said.pop("warming") == NO_WARMING
    (folder.path / SAMPLE).write_text(json.dumps(said))
    assert opened(folder.path).settings == SETTINGS


def test_caches_that_are_not_filled_are_named(recipe: Path) -> None:
    plain = resolve(load_file(recipe))
    assert with_cold_caches(plain) == []
    for change in ("system.node.blade=rocket-1-l2", "system.node.memory.llc={}"):
        assert with_cold_caches(resolve(load_file(recipe, [change]))) == ["node0"]


def test_nodes_of_a_cluster_are_sampled_at_the_same_cycle(elsewhere: Path) -> None:
    count = """workload.node.args=["peer=${node0.mac}", "count=30"]"""
    loaded = load_file(find_config("service"), [count, "system.link.latency_cycles=800"])
    result = go(make(loaded, FIGURES, Path("cluster")), 2, QUIET)
    assert result.printed is not None and result.whole.length == 30
    assert result.printed.count == 2 * 4 and len(result.measured) == ENDS + 4
    figures = [figure for one in result.measured for figure in one.figures]
    assert 4 * 800 < min(figures) <= max(figures) < 40 * 800, "four latencies and the server"
    assert result.sample_hash == CLUSTER_HASH
    again = go(make(loaded, FIGURES, Path("again")), 1, QUIET)
    assert again.sample_hash == CLUSTER_HASH
    warm = go(make(loaded, replace(FIGURES, warming=FUNCTIONAL), Path("warm")), 2, QUIET)
    assert warm.sample_hash == WARM_CLUSTER_HASH


def folded(file: Path) -> dict[str, int]:
    """Return the counts of folded stacks in a file."""
    lines = [line.rpartition(" ") for line in file.read_text().splitlines()]
    return {stack: int(count) for stack, _, count in lines}


def test_parts_of_a_whole_sum_to_it_exactly() -> None:
    rng = random.Random(35)
    for _ in range(200):
        units = range(rng.randrange(1, 9))
        counts = {unit: {name: rng.randrange(50) for name in "abcdef"} for unit in units}
        weights = {unit: Fraction(rng.randrange(1, 99), rng.randrange(1, 9)) for unit in units}
        total = rng.randrange(1, 10**6)
        found = weighted(counts, weights, total)
        every = sum(weights[unit] * sum(counts[unit].values()) for unit in units)
        assert sum(found.values()) == (total if every else 0), "seed 35"
        for name in "abcdef" if every else "":
            exact = sum(weights[unit] * counts[unit][name] for unit in units) * total / every
            assert abs(found.get(name, 0) - exact) < 1, "seed 35"


def test_stacks_and_toggles_of_intervals_are_weighted_to_the_whole(recipe: Path) -> None:
    looked = replace(SETTINGS, most=4, stacks=True, activity=True)
    result = go(make(load_file(recipe), looked, Path("looked")), 2, QUIET)
    for one in result.measured:
        mine = folded(Path("looked", f"interval-{one.unit}-warm-up-2000.folded"))
        assert sum(mine.values()) == one.cycles
    known = folded(Path("looked", "stacks.folded"))
    assert sum(known.values()) == result.cycles
    loops = [stack for stack in known if stack.endswith(LOOPS)]
    assert loops == [f"hart0;_start;firesim_start;main;{name}" for name in sorted(LOOPS)]
    sample = Sample("looked")
    assert sample.stacks["cycles"].sum() == result.cycles == sample.estimate["cycles"]
    profile = json.loads(Path("looked", "stacks.speedscope.json").read_text())["profiles"][0]
    assert sum(profile["weights"]) == profile["endValue"] == result.cycles
    assert all(f"<title>{name}: " in Path("looked", "stacks.svg").read_text() for name in LOOPS)
    toggles = sum(folded(Path("looked", "toggles.folded")).values())
    weights = weights_of(result.measured, result.whole, looked)
    counted = sum(weights[one.unit] * one.events["toggles node0"] for one in result.measured)
    assert toggles == round(counted) > result.cycles
    saif = Path("looked", "node0.saif").read_text()
    every = sum(int(count) for count in re.findall(r"\(TC (\d+)\)", saif))
    assert every >= toggles, "wires with several names are there more than once"
    plain = go(make(load_file(recipe), replace(SETTINGS, most=4), Path("plain")), 2, QUIET)
    assert [one.token_hash for one in plain.intervals] == [
        one.token_hash for one in result.intervals
    ]
    assert [one.cycles for one in plain.intervals] == [one.cycles for one in result.intervals]


def test_stacks_of_a_cluster_sum_to_its_cycles(recipe: Path) -> None:
    loaded = load_file(recipe, ["system.topology=two_nodes", "workload.node.args=[rounds=300]"])
    result = go(make(loaded, replace(SETTINGS, most=4, stacks=True), Path("two")), 2, QUIET)
    known = folded(Path("two", "stacks.folded"))
    assert sum(known.values()) == 2 * result.whole.length and result.cycles is None
    assert {stack.split(";")[0] for stack in known} == {"node0", "node1"}


def test_a_figure_of_a_single_hart_is_refused(recipe: Path) -> None:
    folder = make(load_file(recipe), FIGURES, Path("refused"))
    with pytest.raises(InputError, match="--figure: found a node with a single hart"):
        go(folder, 1, QUIET)


def test_settings_are_checked(recipe: Path) -> None:
    for wrong, message in (
        (replace(SETTINGS, first=1), "--first: found 1, expected 4 to 100,000."),
        (replace(SETTINGS, figure="(a)(b)"), "--figure: found 2 groups in"),
        (replace(SETTINGS, figure="("), "--figure: found .*, expected an expression"),
        (replace(FIGURES, stacks=True), "--stacks cannot be used with --figure"),
        (replace(FIGURES, activity=True), "--activity cannot be used with --figure"),
        (replace(SETTINGS, error=0.0), "--error: found 0.0000%, expected more than 0%"),
    ):
        with pytest.raises(InputError, match=message):
            make(load_file(recipe), wrong, Path("wrong"))
    make(load_file(recipe), SETTINGS, Path("mine"))
    with pytest.raises(InputError, match="found another sample in mine"):
        make(load_file(recipe), replace(SETTINGS, seed=2), Path("mine"))


def test_a_short_or_idle_workload_is_refused() -> None:
    whole = Whole(16, 2016, 2000, 1, 1024, "", 0, True)
    with pytest.raises(InputError, match="has 2 intervals of 1,000, expected 6 at least"):
        check_population(whole, SETTINGS)
    idle = Whole(16, 1_000_016, 500_000, 1, 1024, "", 0, True)
    with pytest.raises(InputError, match="waits for interrupts in 50% of the functional run"):
        check_population(idle, SETTINGS)
