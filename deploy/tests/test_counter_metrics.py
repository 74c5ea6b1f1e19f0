# SPDX-License-Identifier: BSD-3-Clause
"""Metrics worked out of counters: expressions, FireSim's, the user's, and where they are shown."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from pathlib import Path

import firesim
import pytest
from firesim.metrics.counted import Counted, LinkUse
from firesim.metrics.expression import read_expression
from firesim.metrics.links import link_use
from firesim.metrics.stock import STOCK, Metric, with_own
from firesim.pipeline.load import load_text
from firesim.pipeline.run import run
from firesim.report.page import write_report
from firesim.results.compare import compare
from firesim_common.errors import InputError
from rich.console import Console

COUNTED = """\
system: {topology: rack_1, link: {latency_cycles: 2000}, node: {memory: {size_mib: 16}}}
workload: {node: {program: hello}}
simulation:
  max_cycles: 4500
  autocounter:
    enabled: true
    interval_cycles: 2000
    metrics: {misses: icache_miss + dcache_miss, cpi: cycles / instructions}
"""
TWO_HARTS = [
    "cycle",
    *("hart0_instructions", "hart1_instructions", "hart0_icache_miss", "hart1_icache_miss"),
    *("nic.fill[0]", "nic.fill[1]", "nic.fill[2]", "nic.fill[3]"),
]


def value(text: str, columns: Sequence[str], rows: Sequence[Sequence[float]]) -> float | None:
    """Return what an expression comes to over all rows."""
    counted = Counted(columns)
    return counted.totals([Metric("it", read_expression(text))], rows)["it"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1 + 2 * 3", 7.0),
        ("(1 + 2) * 3", 9.0),
        ("2 - 3 - 4", -5.0),
        ("8 / 4 / 2", 1.0),
        ("--2 * -3", -6.0),
        ("1e3 * a", 10_000.0),
        ("`a` / soc.b", 2.5),
        ("a / b", 2.5),
        ("min(a, b, 3) + max(1, b)", 7.0),
        ("a / cycles", 0.1),
        ("a / (b - 4)", None),
        ("1e300 * 1e300", None),
        ("harts", 1.0),
    ],
)
def test_expressions(text: str, expected: float | None) -> None:
    assert value(text, ["cycle", "a", "soc.b"], [[40, 6, 1], [100, 10, 4]]) == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", 'found its end in "", expected a number, a counter or a parenthesis.'),
        ("a +", 'found its end in "a +", expected a number, a counter or a parenthesis.'),
        ("a b", 'found "b" in "a b", expected + - * / or its end.'),
        ("(a", 'found its end in "(a", expected ")".'),
        ("a ^ b", 'found "^" in "a ^ b", expected a number, a counter, + - * / or a parenthesis.'),
        ("a * * b", 'found "*" in "a * * b", expected a number, a counter or a parenthesis.'),
        ("maxi(a, b)", 'found "maxi", expected one of the functions "largest", "max"'),
        ("max(a)", 'found max of one value in "max(a)", expected two.'),
        ("p95(a + b)", 'found p95 of something else in "p95(a + b)", expected p95(NAME)'),
        ("max(a, b", 'found its end in "max(a, b", expected "," or ")".'),
        ("(" * 50 + "a" + ")" * 50, "found more than 40 parentheses deep, expected fewer."),
        ("-" * 50 + "a", "found more than 40 signs deep, expected fewer."),
        ("a" * 1001, "found 1001 characters, expected at most 1000."),
    ],
)
def test_what_is_no_expression(text: str, message: str) -> None:
    with pytest.raises(ValueError) as refused:
        read_expression(text)
    assert str(refused.value).startswith(message)


def test_names_of_harts_are_sums_and_each_hart_has_its_own() -> None:
    counted = Counted(TWO_HARTS)
    assert counted.harts == [0, 1]
    rows = [[500.0, 100, 300, 1, 3, 0, 0, 0, 0], [1000.0, 200, 600, 4, 12, 0, 0, 0, 0]]
    found = counted.totals(STOCK, rows)
    assert found == {
        "ipc": 0.4,
        "hart0_ipc": 0.2,
        "hart1_ipc": 0.6,
        "icache_mpki": 20.0,
        "hart0_icache_mpki": 20.0,
        "hart1_icache_mpki": 20.0,
        "link_out_use": None,
        "link_in_use": None,
    }
    ipc = next(metric for metric in STOCK if metric.name == "ipc")
    intervals = [counted.value(ipc, *pair) for pair in counted.stretches(rows)]
    assert intervals == [0.4, 0.4]
    # What was counted before a snapshot is not known before the first row.
    later = Counted(TWO_HARTS, start_cycle=100)
    assert [pair[0][0] for pair in later.stretches(rows)] == [500.0]
    assert later.totals(STOCK, rows)["ipc"] == 0.4


def test_histograms_in_expressions() -> None:
    rows = [[100.0, 0, 0, 0, 0, 90, 4, 5, 1]]
    for text, expected in (
        ("p50(nic.fill)", 0.0),
        ("p95(fill)", 2.0),
        ("p99(fill)", 2.0),
        ("largest(fill)", 3.0),
        ("mean(fill)", 0.17),
    ):
        assert value(text, TWO_HARTS, rows) == pytest.approx(expected), text


def test_a_window_counts_its_own_cycles() -> None:
    columns = ["cycle", "active_cycles", "hart0_instructions"]
    counted = Counted(columns, start_cycle=5000)
    assert counted.totals(STOCK, [[6000, 100, 25], [9000, 200, 100]])["ipc"] == 0.5


def test_top_down_shares_add_up() -> None:
    names = ["instructions", "topdown_idle", "topdown_bad_speculation"]
    names += ["topdown_front_end", "topdown_memory"]
    found = Counted(["cycle", *(f"hart0_{name}" for name in names)]).totals(
        STOCK, [[1000, 400, 200, 80, 160, 120]]
    )
    shares = {name: share for name, share in found.items() if name.startswith("topdown_")}
    assert shares == {
        "topdown_retiring": 0.5,
        "topdown_bad_speculation": 0.1,
        "topdown_front_end": 0.2,
        "topdown_memory": 0.15,
        "topdown_core": pytest.approx(0.05),
    }


def test_use_of_links() -> None:
    nic = {"nic": {"rate_increment": 1, "rate_period": 2}}
    description = {
        "nodes": [{"name": "node0", "bridges": nic}, {"name": "node1"}],
        "links": [{"name": "l", "a": {"model": "node0"}, "b": {"model": "node1"}}],
    }
    result = {
        "nodes": [{"name": "node0", "cycles": 1000}, {"name": "node1", "cycles": 1000}],
        "links": [{"name": "l", "a_to_b": {"flits": 250}, "b_to_a": {"flits": 100}}],
    }
    uses = link_use(description, result)
    assert uses == {"node0": LinkUse(250, 100, 500), "node1": LinkUse(100, 250, 1000)}
    totals = Counted(["cycle"]).totals(STOCK, [[1000]], uses["node0"])
    assert totals == {"link_out_use": 0.5, "link_in_use": 0.2}


def test_a_metric_of_the_users_takes_the_place_of_ours() -> None:
    every = with_own({"ipc": read_expression("2 * instructions / cycles")})
    assert [metric.name for metric in every].count("ipc") == 1
    assert Counted(TWO_HARTS).totals(every, [[100.0, 10, 10, *[0] * 6]])["ipc"] == 0.4


def test_they_are_in_results_and_change_nothing(results_root: Path) -> None:
    quiet = Console(quiet=True)
    outcome = run(load_text(COUNTED), console=quiet)
    plain = run(load_text(COUNTED.replace("    metrics", "    # metrics")), console=quiet)
    assert outcome.result["token_hash"] == plain.result["token_hash"]
    assert not (plain.folder / "metrics.json").exists()
    lines = (outcome.folder / "node0/counters.csv").read_text().splitlines()
    names, *rows = (line.split(",") for line in lines)
    last = dict(zip(names, map(int, rows[-1]), strict=True))
    misses = last["hart0_icache_miss"] + last["hart0_dcache_miss"]
    found = firesim.Results(outcome.folder).metrics
    whole = found[found["whole_run"]].set_index("metric")["value"]
    assert whole["misses"] == misses and whole["cpi"] == last["cycle"] / last["hart0_instructions"]
    assert whole["ipc"] == pytest.approx(1 / whole["cpi"])
    assert whole["link_in_use"] == 0
    parts = found[~found["whole_run"] & (found["metric"] == "misses")]
    assert list(parts["cycle"]) == [2000, 4000, 4500] and parts["value"].sum() == misses
    assert list(parts["from_cycle"]) == [0, 2000, 4000]
    page = write_report(outcome.folder).read_text(encoding="utf-8")
    assert f'<td class="text">misses</td><td>{misses}</td>' in page.replace("\n", "")
    added = [one for one in compare(outcome.folder, plain.folder) if one.section == "metrics"]
    assert {one.key: (one.left, one.right) for one in added} == {
        "node0.misses": (misses, None),
        "node0.cpi": (whole["cpi"], None),
    }
    assert not [one for one in compare(outcome.folder, plain.folder) if one.section == "counters"]


def test_files_that_nobody_has_written_are_no_metrics(results_root: Path) -> None:
    outcome = run(load_text(COUNTED), console=Console(quiet=True))
    for text in ("[1]", '{"misses": "icache_miss +"}', "{", json.dumps({"a": 3, "b": None})):
        (outcome.folder / "metrics.json").write_text(text)
        found = firesim.Results(outcome.folder).metrics
        assert "misses" not in set(found["metric"]) and "ipc" in set(found["metric"])
        write_report(outcome.folder)


def test_a_value_that_there_is_not(results_root: Path) -> None:
    text = COUNTED.replace("icache_miss + dcache_miss", "1 / (cycles - cycles)")
    found = firesim.Results(run(load_text(text), console=Console(quiet=True)).folder).metrics
    assert all(math.isnan(one) for one in found[found["metric"] == "misses"]["value"])


def test_a_counter_that_no_node_has_is_refused(results_root: Path) -> None:
    with pytest.raises(InputError) as refused:
        run(
            load_text(COUNTED.replace("icache_miss +", "icache_mis +")), console=Console(quiet=True)
        )
    assert str(refused.value).startswith(
        "run.yaml:8: simulation.autocounter.metrics.misses: "
        'found "icache_mis", expected one of the counters "cycles", "harts"'
    )
    assert str(refused.value).endswith('did you mean "icache_miss"?')
