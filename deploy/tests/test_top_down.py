# SPDX-License-Identifier: BSD-3-Clause
"""Top-down shares of a Rocket core: four loops of known kinds, and a probe that changes nothing."""

from __future__ import annotations

import firesim
import pandas as pd
import pytest
from firesim.cli.main import app
from typer.testing import CliRunner

RECIPE = """\
name: shares
system: {{topology: rack_1, node: {{blade: {blade}, memory: {{size_mib: 16}}}}}}
workload: {{node: {{program: counters}}}}
simulation:
  max_cycles: 300000
  autocounter: {{enabled: true, interval_cycles: 20000}}
"""
MISPREDICT_CYCLES = 3
"""From fetch to the stage where Rocket takes another way."""


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, firesim.Results]:
    found = {}
    for blade in ("rocket-1", "rocket-1-topdown"):
        folder = tmp_path_factory.mktemp(blade)
        (folder / "shares.yaml").write_text(RECIPE.format(blade=blade))
        results = folder / "results"
        words = ["runworkload", "-c", str(folder / "shares.yaml"), "--results", str(results)]
        done = CliRunner().invoke(app, words)
        assert done.exit_code == 0, done.output
        found[blade] = firesim.Results(results)
    return found


def shares(results: firesim.Results, first_cycle: int) -> dict[str, float]:
    """Return the shares of the interval that begins there."""
    rows = results.metrics
    rows = rows[(rows["from_cycle"] == first_cycle) & rows["metric"].str.startswith("topdown")]
    rows = rows[~rows["whole_run"]]
    return dict(zip(rows["metric"].str.removeprefix("topdown_"), rows["value"], strict=True))


def counts(results: firesim.Results) -> pd.Series[int]:
    """Return the events of the whole run."""
    return results.counters.iloc[-1]


def test_the_probe_changes_nothing(runs: dict[str, firesim.Results]) -> None:
    plain, probed = runs["rocket-1"], runs["rocket-1-topdown"]
    assert plain.token_hash == probed.token_hash == "a12e1278f09f2350"
    for name in ("hart0_instructions", "hart0_branch_mispredict", "hart0_dcache_miss"):
        assert counts(plain)[name] == counts(probed)[name]


def test_each_loop_loses_its_cycles_where_it_should(runs: dict[str, firesim.Results]) -> None:
    results = runs["rocket-1-topdown"]
    division, misses = shares(results, 20_000), shares(results, 100_000)
    assert division["retiring"] == 0.1473 and division["core"] == 0.8527
    assert division["memory"] == division["front_end"] == division["bad_speculation"] == 0
    assert misses["memory"] > 0.8 and misses["bad_speculation"] == 0
    for found in (division, misses):
        assert sum(found.values()) == pytest.approx(1, abs=1e-12)


def test_a_wrong_prediction_costs_what_the_pipeline_says(runs: dict[str, firesim.Results]) -> None:
    found = counts(runs["rocket-1-topdown"])
    lost = found["hart0_topdown_bad_speculation"]
    wrong = MISPREDICT_CYCLES * found["hart0_branch_mispredict"]
    assert wrong <= lost <= wrong + 100, (lost, wrong)
    assert found["hart0_topdown_idle"] == 0
