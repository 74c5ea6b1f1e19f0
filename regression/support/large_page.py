# SPDX-License-Identifier: BSD-3-Clause
"""The live page of 1,024 nodes: how smooth it is, and what it costs the simulation."""

from __future__ import annotations

import statistics
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import yaml
from firesim.pipeline.beside import Beside
from firesim.pipeline.load import load_text
from firesim.pipeline.resolve import resolve
from firesim.pipeline.run import make_ready
from firesim.pipeline.start import Ready, start
from firesim.view.viewed import ViewedRun
from firesim.work.folder import RESULT, saved_result
from rich.console import Console

from regression.support.browser import DESKTOP_PX, Browser, Page
from regression.support.experiment import Experiment
from regression.support.live_page import serving
from regression.support.watched_run import going, pictures, shown, until

LIMIT_S = 600.0
WATCHED_S = 20.0
MOST_SHARE = 0.3
"""Of a core, that the thread of the page takes to take updates and to draw what moves."""
LEAST_UPDATES_PER_S = 1.0
SENDERS = 128
ENDLESS_CYCLES = 10**12
COST_CYCLES = 800_000
COST_ROUNDS = 5
MOST_COST = 0.02
"""Of the processor time of the simulator, that a page may add."""
PROBE = """(() => {
  const began = performance.now();
  window.probe = {frames: 0, longest: 0, news: 0, gap: 0, began, told: began};
  const tick = () => { probe.frames += 1; requestAnimationFrame(tick); };
  requestAnimationFrame(tick);
  const take = events.onmessage;
  events.onmessage = (event) => {
    const now = performance.now();
    probe.gap = Math.max(probe.gap, now - probe.told);
    probe.told = now;
    probe.news += 1;
    take(event);
    probe.longest = Math.max(probe.longest, performance.now() - now);
  };
})()"""


def _senders(max_cycles: int) -> str:
    """Return 1,024 nodes of which some send to others without an end."""
    forever: dict[str, Any] = {}
    for index in range(SENDERS):
        sender, receiver = 4 * index, 4 * index + 512
        words = [f"peer=${{node{receiver}.mac}}", "start=20000", "end=1000000000", "size=1504"]
        forever[f"node{sender}"] = {"args": ["role=sender", *words]}
        forever.setdefault(f"node{receiver}", {"args": ["role=receiver", "end=1000000000"]})
    return yaml.safe_dump(
        {
            "name": "tree",
            "system": {"topology": "tree_4_8_32", "node": {"memory": {"size_mib": 16}}},
            "workload": {"node": {"program": "saturate"}, "nodes": forever},
            "simulation": {"engine": "functional", "max_cycles": max_cycles},
        }
    )


def smoothness(experiment: Experiment, browser: Browser) -> tuple[list[str], dict[str, float]]:
    """Watch 1,024 nodes; return faults, and how smooth the page is."""
    folder = experiment.folder / "tree"
    with going(folder, _senders(ENDLESS_CYCLES), LIMIT_S), serving(folder) as server:
        with browser.page(server.url, DESKTOP_PX, dark=False) as page:
            until(lambda: shown(page, "cycle"), "the first figures")
            page.value(PROBE)
            page.call("Performance.enable", timeDomain="threadTicks")
            before, lines = _thread_s(page), _lines(folder)
            time.sleep(WATCHED_S)
            thread_s, lines = _thread_s(page) - before, _lines(folder) - lines
            probe = page.value("({...probe, s: (performance.now() - probe.began) / 1000})")
        cost_s = _state_s(folder)
        faults = pictures(experiment, browser, server.url, "tree")
    smooth = {
        "frames_per_s": probe["frames"] / probe["s"],
        "updates_per_s": probe["news"] / probe["s"],
        "status_lines_per_s": lines / probe["s"],
        "longest_between_updates_s": probe["gap"] / 1000,
        "longest_update_ms": probe["longest"],
        "page_share_of_core": thread_s / probe["s"],
        "server_ms_an_update": 1000 * cost_s,
    }
    if smooth["page_share_of_core"] > MOST_SHARE:
        faults.append(f"the page takes {100 * smooth['page_share_of_core']:.0f} % of a core")
    if smooth["updates_per_s"] < LEAST_UPDATES_PER_S:
        faults.append(f"{smooth['updates_per_s']:.2f} updates a second of {lines} status lines")
    return faults, smooth


def cost(experiment: Experiment, browser: Browser) -> tuple[list[str], dict[str, float]]:
    """Simulate the same cycles with an open page and without, alternately; return what it adds.

    The processor time is that of the simulator, which is made ready once. The token hashes have to
    be equal. What the server of the page takes of a core meanwhile is said, too: this process has
    the server and, little, what waits for the browser.
    """
    folder = experiment.folder / "cost"
    plan = resolve(load_text(_senders(COST_CYCLES)))
    ready = make_ready(plan, folder, Console(quiet=True), beside=Beside())
    results: dict[bool, list[dict[str, Any]]] = {False: [], True: []}
    for turn in range(COST_ROUNDS):
        for watched in (turn % 2 == 0, turn % 2 != 0):
            results[watched].append(_simulated(ready, browser if watched else None))
    spent_s = {
        watched: [float(one["cpu_s"]) for one in found] for watched, found in results.items()
    }
    hashes = {one["token_hash"] for found in results.values() for one in found}
    added = [on / off - 1 for on, off in zip(spent_s[True], spent_s[False], strict=True)]
    served = [float(one["server_share_of_core"]) for one in results[True]]
    experiment.keep(simulator_s={"alone": spent_s[False], "watched": spent_s[True]})
    figures = {
        "simulator_alone_s": statistics.median(spent_s[False]),
        "simulator_watched_s": statistics.median(spent_s[True]),
        "page_adds": statistics.median(added),
        "server_share_of_core": statistics.median(served),
    }
    faults = [] if len(hashes) == 1 else [f"token hashes differ: {sorted(hashes)}"]
    if figures["page_adds"] > MOST_COST:
        faults.append(f"a page adds {100 * figures['page_adds']:.1f} % to the simulator's time")
    return faults, figures


def _simulated(ready: Ready, browser: Browser | None) -> dict[str, Any]:
    """Simulate to the end, in a browser with an open page all the time.

    Return result.json, and as `server_share_of_core` what this process took with an open page.
    """
    for left in ("status.jsonl", RESULT):
        (ready.folder / left).unlink(missing_ok=True)
    simulator = start(ready)
    share = 0.0
    try:
        until((ready.folder / "status.jsonl").exists, "the first status", LIMIT_S)
        with ExitStack() as stack:
            if browser is not None:
                server = stack.enter_context(serving(ready.folder))
                begun_s, began_s = time.process_time(), time.monotonic()
                page = stack.enter_context(browser.page(server.url, DESKTOP_PX, dark=False))
                until(lambda: page.value("isOver"), "the end on the page", LIMIT_S)
                share = (time.process_time() - begun_s) / (time.monotonic() - began_s)
            until(lambda: simulator.poll() is not None, "the end", LIMIT_S)
    finally:
        simulator.stop()
    return {**(saved_result(ready.folder) or {}), "server_share_of_core": share}


def _thread_s(page: Page) -> float:
    """Return the processor time of the page's thread so far."""
    metrics = page.call("Performance.getMetrics")["metrics"]
    return float(next(one["value"] for one in metrics if one["name"] == "TaskDuration"))


def _lines(folder: Path) -> int:
    return (folder / "status.jsonl").read_bytes().count(b"\n")


def _state_s(folder: Path) -> float:
    """Return the processor time of this thread in which a whole state is read."""
    viewed = ViewedRun(folder)
    viewed.state()
    lines = _lines(folder)
    until(lambda: _lines(folder) > lines, "a line of the status")
    time.sleep(1)
    begun_s = time.thread_time()
    viewed.state()
    return time.thread_time() - begun_s
