# SPDX-License-Identifier: BSD-3-Clause
"""What is shown of a run that goes on: read from status files, judged, and fit for 80 columns."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest
from firesim.pipeline.load import load_file
from firesim.units import count, duration
from firesim.watch.consoles import Consoles
from firesim.watch.display import Display
from firesim.watch.progress import progress, progress_line, slowest, slowest_line
from firesim.watch.status import HostStatus, ModelStatus, Status, StatusReaders, TrafficCount
from firesim_common.errors import InputError
from rich.console import Console

GIB = 1 << 30
CLOCK_HZ = 3_200_000_000


def model(name: str, waiting: float = 0.0, busy: float = 0.0, **more: Any) -> ModelStatus:
    """Return a model that goes on."""
    about = {"cycle": 1000, "state": "running", "waiting_for": None, **more}
    return ModelStatus(name, packets_in=0, packets_out=0, waiting=waiting, busy=busy, **about)


def host(name: str) -> HostStatus:
    """Return a large host with large figures."""
    memory = (503 * GIB, 100 * GIB, 31 * GIB + 355 * (1 << 20))
    return HostStatus(name, 4.0, 128, 101.5, *memory, 1e6, 0, 0, 1023 * 1024.0, 1023.4 * 2**20)


def shown(status: Status, height: int = 40, goal_cycle: int = 0) -> list[str]:
    """Return the lines of a terminal of 80 columns."""
    output = io.StringIO()
    console = Console(file=output, force_terminal=True, width=80, height=height, color_system=None)
    display = Display(console, "quickstart", CLOCK_HZ, {"tor0"}, Consoles({}), goal_cycle)
    console.print(display.screen(status))
    return output.getvalue().splitlines()


def large(models: int, hosts: int) -> Status:
    """Return a run whose figures are all as wide as they become."""
    names = [f"lab{index}" for index in range(hosts)]
    found = [
        ModelStatus(
            f"node{index}",
            123_456_789_012 + index,
            "waiting",
            "tor_switch_12",
            123_456,
            12_345_678,
            host=names[index % hosts],
            cycles_per_s=1_234_567.8,
            busy=0.0,
            waiting=1.0,
        )
        for index in range(models)
    ]
    return Status(3723.0, found, [host(n) for n in names], {}, dict.fromkeys(names, 128))


@pytest.mark.parametrize(
    ("models", "hosts", "height"), [(3, 1, 24), (64, 2, 100), (65, 1, 50), (4096, 64, 40)]
)
def test_a_table_fits_the_terminal_and_cuts_nothing(models: int, hosts: int, height: int) -> None:
    lines = shown(large(models, hosts), height, 200_000_000_000)
    assert max(map(len, lines)) <= 80, "\n".join(lines)
    assert len(lines) <= height, "\n".join(lines)
    text = "\n".join(lines)
    assert "…" not in text
    for whole in ("tor_switch_12", "1.235 MHz", "1,023 KiB/s", "403.0/503.0 GiB", "31.35 GiB"):
        assert whole in text, text
    if hosts == 1:
        assert lines[4].split() == "host threads load memory simulator sent received".split()


def test_long_names_go_on_in_the_next_line() -> None:
    status = large(2, 1)
    status.models[0].name = name = "n" * 30 + "_as_long_as_a_name_may_be_" + "e" * 8
    assert len(name) == 64
    lines = shown(status)
    assert max(map(len, lines)) <= 80
    first_words = [line.split()[0] for line in lines if line.strip()]
    begin, end = first_words.index("model") + 2, first_words.index("node1")
    assert "".join(first_words[begin:end]) == name


def test_of_many_models_those_that_failed_come_first_then_the_slowest() -> None:
    status = large(200, 2)
    status.models[150].state, status.models[150].exit_code = "ended", 7
    status.models[151].state, status.models[151].exit_code = "ended", 0
    status.models[120].waiting = 0.01
    rows = [line.split() for line in shown(status, 60) if line.startswith(" node")]
    assert [row[0] for row in rows[:3]] == ["node150", "node120", "node0"]
    assert rows[0][-2:] == ["failed", "(7)"]
    assert len(rows) == 16
    assert "and 184 more models; of all 200, 2 have ended" in "\n".join(shown(status, 60))


def test_few_models_stand_in_the_order_of_the_plan() -> None:
    status = large(4, 1)
    status.models[2].waiting = 0.0
    rows = [line.split()[0] for line in shown(status) if line.startswith(" node")]
    assert rows == ["node0", "node1", "node2", "node3"]


def test_the_slowest_is_the_model_that_waits_least() -> None:
    models = [model("node0", 0.8, 0.2), model("node1", 0.02, 0.95), model("tor0", 0.7, 0.12)]
    models[1].host = "lab2"
    found = slowest(Status(4.0, models))
    assert found is not None and found.model.name == "node1"
    assert slowest_line(found, True) == (
        "slowest: node1 on lab2 (others wait for it 84 % of the time)"
    )
    assert slowest_line(found, False).startswith("slowest: node1 (others")


def test_of_models_that_wait_alike_the_one_that_computes_most_is_the_slowest() -> None:
    models = [model("a", 0.0, 0.2), model("b", 0.04, 0.9), model("c", 0.5, 1.0)]
    found = slowest(Status(4.0, models))
    assert found is not None and found.model.name == "b"


def test_a_model_that_has_the_only_thread_is_what_the_others_wait_for() -> None:
    """They could go on, but nobody computes them: so they lack no tokens."""
    models = [model("node0", 0.0, 0.97), model("node1", 0.0, 0.02), model("tor0", 0.0, 0.01)]
    found = slowest(Status(4.0, models, threads={"": 1}))
    assert found is not None
    assert slowest_line(found, False) == "slowest: node0 (others wait for it 98 % of the time)"


@pytest.mark.parametrize(
    ("threads", "text"),
    [
        (1, "slowest: the worker thread on lab2 (node1 takes 31 % of one)"),
        (2, "slowest: all 2 worker threads on lab2 (node1 takes 62 % of one)"),
    ],
)
def test_threads_that_are_all_busy_are_what_is_slow(threads: int, text: str) -> None:
    shares = [threads * share for share in (0.24, 0.31, 0.25, 0.19)]
    models = [model(f"node{i}", 0.0, share, host="lab2") for i, share in enumerate(shares)]
    idle = model("tor0", 0.9, 0.01, host="lab1")
    found = slowest(Status(4.0, [*models, idle], threads={"lab1": 1, "lab2": threads}))
    assert found is not None and not found.is_alone
    assert slowest_line(found, True) == text


def test_where_all_wait_nobody_is_the_slowest() -> None:
    found = slowest(Status(4.0, [model("a", 0.61), model("b", 0.8), model("c", 0.7)]))
    assert found is not None
    assert slowest_line(found, True) == (
        "slowest: none alone (each model waits at least 61 % of the time)"
    )


def test_who_is_slowest_is_not_said_before_anything_is_known() -> None:
    assert slowest(Status(0.0, [model("a"), model("b")])) is None
    ended = model("b", 0.9, state="ended")
    assert slowest(Status(4.0, [model("a", 0.1, 0.9), ended])) is None


def test_the_time_left_is_that_of_the_recent_rate() -> None:
    models = [model("a", cycle=250_000, cycles_per_s=1000.0), model("b", cycle=251_000)]
    models[1].cycles_per_s = 5000.0
    found = progress(Status(4.0, models), 1_000_000)
    assert found is not None and found.left_s == 750.0
    assert progress_line(found) == "25 % of cycle 1,000,000, about 12 min 30 s left"
    assert progress(Status(4.0, models), 0) is None
    over = progress(Status(4.0, models), 250_000)
    assert over is not None and progress_line(over) == "cycle 250,000 is reached"
    still = progress(Status(4.0, [model("a")]), 4000)
    assert still is not None and progress_line(still) == "25 % of cycle 4,000"


def line(wall_s: float, name: str, cycle: int, **more: Any) -> str:
    """Return a status line of one model."""
    about = {"name": name, "cycle": cycle, "state": "waiting", "waiting_for": "b"}
    shares = {"busy_s": wall_s * 0.25, "waiting_s": wall_s * 0.5}
    return json.dumps({"wall_s": wall_s, "models": [{**about, **shares}], **more}) + "\n"


def test_the_files_of_several_hosts_are_read_as_one(tmp_path: Path) -> None:
    sample = {"cores": 2, "load": 1.5, "memory_bytes": 100, "available_bytes": 40}
    sample |= {"resident_bytes": 9, "cpu_s": 1.0, "sent_bytes": 1000, "received_bytes": 0}
    later = {**sample, "sent_bytes": 5000}
    one, two = tmp_path / "one", tmp_path / "two"
    half = {"name": "a--b", "a_to_b": {"flits": 8, "packets": 2}, "b_to_a": None}
    rest = {"name": "a--b", "a_to_b": None, "b_to_a": {"flits": 9, "packets": 3}}
    one.write_text(
        line(1.0, "a", 500_000, host=sample, links=[half], threads=2)
        + line(3.0, "a", 502_000, host=later, threads=2)
    )
    two.write_text(line(3.0, "b", 501_000, links=[rest], threads=4))
    readers = StatusReaders({"lab1": one, "lab2": two}, ["b", "a"], start_cycle=400_000)
    found = readers.update()
    assert found is not None
    assert [(m.name, m.host) for m in found.models] == [("b", "lab2"), ("a", "lab1")]
    a = found.models[1]
    # Not from cycle 0: the run began at a snapshot.
    assert found.models[0].cycles_per_s == pytest.approx(101_000 / 3)
    assert (a.cycles_per_s, a.busy, a.waiting) == (1000.0, 0.25, 0.5)
    assert found.links == {"a--b": (TrafficCount(8, 2), TrafficCount(9, 3))}
    assert found.threads == {"lab1": 2, "lab2": 4}
    (lab1,) = found.hosts
    assert (lab1.name, lab1.sent_per_s, lab1.received_per_s) == ("lab1", 2000.0, 0.0)


def test_a_log_says_how_far_the_run_is() -> None:
    output = io.StringIO()
    console = Console(file=output, width=80)
    models = [model("a", 0.0, 1.0, cycles_per_s=1e6), model("b", 0.5, 0.5, cycles_per_s=1e6)]
    with Display(console, "x", CLOCK_HZ, set(), Consoles({}), 4_001_000) as display:
        display.show(Status(2.0, models))
    assert output.getvalue().splitlines() == [
        "2.0 s: target 312.5 ns, 1 MHz, 2 models running",
        "  0 % of cycle 4,001,000, about 4 s left",
        "  slowest: a (others wait for it 50 % of the time)",
    ]


def test_counts_and_durations_are_short() -> None:
    assert [count(n) for n in (0, 99_999, 100_000, 1_234_567, 10**12)] == [
        "0",
        "99,999",
        "100k",
        "1.23M",
        "1T",
    ]
    assert [duration(s) for s in (0, 59.4, 60, 200, 7500, 7200, 273_600)] == [
        "0 s",
        "59 s",
        "1 min",
        "3 min 20 s",
        "2 h 5 min",
        "2 h",
        "3 d 4 h",
    ]


def test_a_goal_beyond_the_end_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "run.yaml"
    path.write_text(
        "system: {topology: two_nodes}\n"
        "simulation: {max_cycles: 1000, monitoring: {eta_cycle: 2000}}\n"
    )
    with pytest.raises(InputError, match="eta_cycle 2000, expected at most max_cycles 1000"):
        load_file(path)
