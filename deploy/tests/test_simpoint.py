# SPDX-License-Identifier: BSD-3-Clause
"""SimPoint: phases are found, representatives stand for all, the estimate is near the truth."""

from __future__ import annotations

import gzip
import random
from dataclasses import replace
from pathlib import Path

import firesim
import numpy
import pytest
from firesim.pipeline.load import load_file, load_text
from firesim.sampling.estimates import mean_of, represented_by
from firesim.sampling.folder import make
from firesim.sampling.go import go
from firesim.sampling.points import LABELS, PACKED, SIMPOINTS, WEIGHTS
from firesim.sampling.settings import (
    NO_WARMING,
    SIMPOINT,
    Settings,
    Whole,
    check_population,
)
from firesim.sampling.simpoint import SCALE_BITS, phases, read_vectors
from firesim.sampling.weights import weights_of
from firesim_common.errors import InputError
from rich.console import Console

QUIET = Console(quiet=True)
PROGRAM = """\
name: phases
system: {topology: rack_1, node: {memory: {size_mib: 16}}}
workload: {node: {program: counters, args: [rounds=4000]}}
"""
SETTINGS = Settings(interval=1000, warm_up=4000, warming=NO_WARMING, points=SIMPOINT, clusters=12)
SAMPLE_HASH = "a5737055a4390d97"
TRUE_CPI = 492_553 / 123_532
"""Cycles behind reset, and instructions, of the whole program in RTL."""


def lines(rng: random.Random, phase: int, count: int) -> list[str]:
    """Return lines of intervals that run 5 blocks of their own, and one of all phases."""
    found = []
    for _ in range(count):
        blocks = {1: 50} | {2 + 5 * phase + at: 180 + rng.randrange(20) for at in range(5)}
        found.append("T" + " ".join(f":{block}:{times}" for block, times in blocks.items()))
    return found


def test_phases_are_told_apart() -> None:
    for seed in range(10):
        rng = random.Random(seed)
        text = [*lines(rng, 0, 40), *lines(rng, 1, 25), *lines(rng, 2, 30), *lines(rng, 0, 5)]
        found = phases(read_vectors(iter(text), len(text), seed), 10, seed)
        kinds = [0] * 40 + [1] * 25 + [2] * 30 + [0] * 5
        assert len(set(found.labels)) == 3 == len(set(zip(found.labels, kinds, strict=True)))
        assert sorted(found.sizes) == [25, 30, 45]
        for cluster, unit in enumerate(found.representatives):
            assert found.labels[unit] == cluster
        again = phases(read_vectors(iter(text), len(text), seed), 10, seed)
        assert again == found


def test_what_does_not_differ_is_one_phase() -> None:
    vectors = numpy.tile(numpy.arange(15.0), (50, 1))
    found = phases(vectors, 10, 1)
    assert found.labels == [0] * 50 and found.representatives == [0] and len(found.scores) == 1


def test_vectors_are_shares_of_their_interval() -> None:
    found = read_vectors(iter(["T:1:10 :2:30", "T:1:100 :2:300", "T", "T:2:7", "T:2:9"]), 4, 1)
    assert (found[0] == found[1]).all() and not (found[0] == found[3]).all()
    assert not found[2].any(), "no instructions"
    assert (found == numpy.rint(found)).all() and abs(found).max() <= 1 << SCALE_BITS
    alone = read_vectors(iter(["T:1:10 :2:30", "T", "T", "T:2:1"]), 5, 1)
    assert (alone[3] == found[3]).all(), "what is beyond the last interval belongs to it"
    assert not alone[4].any()


def test_representatives_count_as_their_phases() -> None:
    whole = Whole(16, 10_016, 10_000, 1, 1024, "", 0, True, points=[[1, 7], [4, 3]])

    class One:
        def __init__(self, unit: int) -> None:
            self.unit, self.state = unit, "measured"

    found = [One(1), One(4)]
    assert represented_by(found, whole) == {1: 7, 4: 3}  # type: ignore[arg-type]
    assert weights_of(found, whole, SETTINGS) == {1: 7, 4: 3}  # type: ignore[arg-type]
    mean = mean_of(found, whole, SETTINGS, lambda one: one.unit)  # type: ignore[arg-type]
    assert mean is not None and mean.mean == pytest.approx((7 * 1 + 3 * 4) / 10)
    assert numpy.isnan(mean.half_width)


def test_the_estimate_is_near_the_truth_and_says_nothing_of_its_error(elsewhere: Path) -> None:
    Path("phases.yaml").write_text(PROGRAM)
    sample = firesim.sample("phases.yaml", "one", jobs=2, **vars(SETTINGS))
    estimate = sample.estimate
    assert estimate["cpi"]["mean"] == pytest.approx(TRUE_CPI, rel=0.03)
    assert estimate["cpi"]["half_width"] is None is estimate["is_met"]
    assert "no confidence interval" in estimate["warnings"][0]
    assert estimate["sample_hash"] == SAMPLE_HASH
    population = estimate["population"]
    assert sample.frame["stands_for"].sum() == population
    assert len(sample.frame) <= SETTINGS.clusters < population
    with gzip.open(Path("one", PACKED), "rt") as file:
        vectors = file.readlines()
    assert population <= len(vectors) <= population + 1
    counted = [sum(int(one.split(":")[2]) for one in line[1:].split()) for line in vectors]
    assert counted[:-1] == [1000] * (len(vectors) - 1)
    labels = Path("one", LABELS).read_text().split()
    pairs = [line.split() for line in Path("one", SIMPOINTS).read_text().splitlines()]
    assert all(labels[int(unit)] == cluster for unit, cluster in pairs)
    assert sorted(int(unit) for unit, _ in pairs) == list(sample.frame["interval"])
    shares = [float(line.split()[0]) for line in Path("one", WEIGHTS).read_text().splitlines()]
    assert sum(shares) == pytest.approx(1, abs=1e-5)
    again = go(make(load_file(Path("phases.yaml")), SETTINGS, Path("two")), 1, QUIET)
    assert again.sample_hash == SAMPLE_HASH and again.is_met


def test_what_simpoint_cannot_do_is_refused() -> None:
    loaded = load_text(PROGRAM, name="phases")
    for change, message in (
        ({"points": "simpiont"}, '--points: found "simpiont", expected one of "simpoint" or'),
        ({"clusters": 0}, "--clusters: found 0, expected 1 to 100."),
        ({"figure": "([0-9])"}, "--figure cannot be used with --points simpoint"),
        ({"error": 0.1}, "--error cannot be used with --points simpoint"),
        ({"most": 40}, "--most cannot be used with --points simpoint"),
        ({"points": "systematic"}, "--clusters cannot be used without --points simpoint"),
    ):
        with pytest.raises(InputError, match=message.replace("(", r"\(")):
            make(loaded, replace(SETTINGS, **change), Path("wrong"))
    whole = Whole(16, 9016, 9000, 1, 1024, "", 0, True)
    with pytest.raises(InputError, match="expected 13 at least: make --interval shorter, or --clu"):
        check_population(whole, SETTINGS)


def test_nodes_with_several_harts_have_no_vectors(elsewhere: Path) -> None:
    Path("phases.yaml").write_text(PROGRAM)
    loaded = load_file(Path("phases.yaml"), ["system.topology=two_nodes"])
    with pytest.raises(InputError, match="--points simpoint: found several nodes or harts"):
        go(make(loaded, SETTINGS, Path("two")), 1, QUIET)
