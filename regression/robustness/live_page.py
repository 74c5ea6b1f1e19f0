# SPDX-License-Identifier: BSD-3-Clause
"""The live page as people use it: in a headless browser, of runs that go on.

A guest that echoes is typed to, key by key and as a line, and what it says comes back; a snapshot
is taken by its button; a signal's name is found, pressed, and its value is what `firesim peek`
says. Without --quick, 1,024 nodes send to each other: the page must be told of most lines of their
status, and may take a small share of a core. A page of another origin that knows the token acts on
nothing. No page may have a fault that needs no eyes; the pictures stay in the results, for eyes.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import yaml
from firesim.pipeline.beside import Beside
from firesim.pipeline.load import load_text
from firesim.pipeline.run import run as run_config
from firesim.run.signals import peek
from firesim.view.viewed import ViewedRun
from firesim_software.builder import own_program
from rich.console import Console

from regression.support.browser import DESKTOP_PX, PHONE_PX, Browser, Page
from regression.support.experiment import Experiment, ExperimentError, Verdict, experiment_named
from regression.support.live_page import ECHO, serving

LIMIT_S = 900.0
LARGE_LIMIT_S = 600.0
WATCHED_S = 20.0
MOST_SHARE = 0.3
"""Of a core, that the thread of the page takes to take updates and to draw what moves."""
LEAST_NEWS = 0.5
"""Of the lines of the status in that time, of which a page is told the newest."""
TYPED, LINE = "hi", "line"
SIGNAL = "tile.core reg_mepc"
CYCLES = [5000, 5001]
SENDERS = 128
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


def _echo(folder: Path, engine: str, uart_pty: bool) -> str:
    source = folder / "echo.c"
    source.write_text(ECHO)
    elf = own_program([source], folder / "echo.elf")
    return yaml.safe_dump(
        {
            "name": "echo",
            "system": {"topology": "two_nodes", "node": {"memory": {"size_mib": 16}}},
            "workload": {"node": {"elf": str(elf)}},
            "simulation": {
                "engine": engine,
                "uart_pty": uart_pty,
                "status_interval_s": 0.1,
                "max_cycles": 10**12,
            },
        }
    )


def _senders() -> str:
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
            "simulation": {"engine": "functional", "max_cycles": 10**12},
        }
    )


@contextmanager
def _going(folder: Path, config: str, limit_s: float = LIMIT_S) -> Iterator[None]:
    """Run a configuration beside the block, to its end."""
    beside = Beside()
    thread = threading.Thread(
        target=lambda: run_config(
            load_text(config), results=folder, console=Console(quiet=True), beside=beside
        )
    )
    thread.start()
    try:
        _until((folder / "status.jsonl").exists, f"{folder.name}: the first status", limit_s)
        yield
    finally:
        beside.stopped.set()
        thread.join()


def _until(condition: Callable[[], Any], what: str, limit_s: float = LIMIT_S) -> None:
    limit = time.monotonic() + limit_s
    while not condition():
        if time.monotonic() > limit:
            raise ExperimentError(f"{what} did not come within {limit_s:.0f} s")
        time.sleep(0.1)


def _key(page: Page, key: str, text: str = "", modifiers: int = 0) -> None:
    page.call("Input.dispatchKeyEvent", type="keyDown", key=key, text=text, modifiers=modifiers)
    page.call("Input.dispatchKeyEvent", type="keyUp", key=key, modifiers=modifiers)


def _text(page: Page, name: str) -> str:
    return str(page.value(f"document.getElementById('{name}').textContent"))


def _press(page: Page, selector: str) -> None:
    page.value(f"document.querySelector('{selector}').click()")


def _types(page: Page) -> None:
    """Type into a console and find what the guest says to it; Ctrl-] leaves it."""
    page.value("document.getElementById('console').focus()")
    for letter in TYPED:
        _key(page, letter, letter)
    _key(page, "Enter", "\r")
    _key(page, "]", modifiers=2)
    if page.value("document.activeElement.name") != "line":
        raise ExperimentError("Ctrl-] does not leave the console")
    page.call("Input.insertText", text=LINE)
    _press(page, "#type-line button")
    wanted = "".join(f"<{ord(letter):x}>\n" for letter in f"{TYPED}\r{LINE}\r")
    _until(lambda: wanted in _text(page, "console"), "what was typed")


def _attack(experiment: Experiment, browser: Browser, url: str, folder: Path) -> list[str]:
    """Act from a page of another origin that knows the token, as no page should; return faults."""
    place = experiment.folder / "evil.html"
    place.write_text("<!DOCTYPE html><title>evil</title>")
    bodies = {"snapshot": '{"name": "evil"}', "type": '{"node": "node0", "text": "EVIL"}'}
    with browser.page(place, DESKTOP_PX, dark=False) as page:
        for name, body in bodies.items():
            for kind in ("text/plain", "application/json"):
                page.value(
                    f"void fetch('{url}{name}', {{method: 'POST', mode: 'no-cors', body: "
                    f"new Blob(['{body}'], {{type: '{kind}'}})}}).catch(() => 0)"
                )
        read = "then((answer) => answer.text()).then((text) => { window.got = text; })"
        page.value(f"void fetch('{url}acts').{read}.catch(() => 0)")
        time.sleep(2)
        was_read = page.value("typeof got !== 'undefined'")
    said = (folder / "node0/uart.log").read_text()
    faults = ["another origin took a snapshot"] if (folder / "snapshots/evil").exists() else []
    faults += ["another origin typed"] if f"<{ord('E'):x}>" in said else []
    return faults + (["another origin read the page"] if was_read else [])


def _saves(page: Page) -> None:
    """Take a snapshot by its button."""
    _press(page, "#take-snapshot button")
    _until(lambda: "saved saved-1 at cycle" in _text(page, "snapshot-said"), "the snapshot")
    _until(lambda: "saved-1" in _text(page, "snapshot-table"), "its row")


def _peeks(page: Page, folder: Path, scratch: Path) -> None:
    """Find a signal's name, press it, and look at it in two cycles."""
    page.value(f"document.querySelector('#signals [name=signals]').value = '{SIGNAL}'")
    _press(page, "#signals [value=names]")
    _until(lambda: page.value("!!document.querySelector('#name-table button')"), "a name")
    _press(page, "#name-table button")
    name = str(page.value("document.querySelector('#signals [name=signals]').value"))
    cycles = " ".join(map(str, CYCLES))
    page.value(f"document.querySelector('#signals [name=cycles]').value = '{cycles}'")
    _press(page, "#signals [value=peek]")
    _until(lambda: page.value("!document.getElementById('value-table').hidden"), "a value")
    shown = page.value(
        "[...document.querySelectorAll('#value-table tbody tr')].map((r) => r.cells[2].textContent)"
    )
    found = peek(folder, "node0", [name], CYCLES, [], scratch, Console(quiet=True))
    if shown != [hex(one.value) for one in found]:
        raise ExperimentError(f"{name}: the page says {shown}, expected {found}")


def _pictures(experiment: Experiment, browser: Browser, url: str, name: str) -> list[str]:
    """Take a picture in each look; return what is wrong with the pages."""
    faults = []
    for width_px in (DESKTOP_PX, PHONE_PX):
        for dark in (False, True):
            look = f"{name}-{width_px}-{'dark' if dark else 'light'}"
            with browser.page(url, width_px, dark=dark) as page:
                _until(lambda: _text(page, "cycle"), f"{look}: the first figures")
                page.picture(experiment.folder / f"{look}.png")
                faults += [f"{look}: {fault}" for fault in dict.fromkeys(page.faults())]
    return faults


def _echoes(experiment: Experiment, browser: Browser, engine: str) -> list[str]:
    """Use the page of an echoing guest: functional, to type; in RTL, to peek."""
    folder = experiment.folder / engine
    can_type = engine == "functional"
    with _going(folder, _echo(experiment.folder, engine, can_type)), serving(folder) as server:
        with browser.page(server.url, DESKTOP_PX, dark=False) as page:
            _until(lambda: "type" in _text(page, "console"), "the guest's first line")
            if can_type:
                _types(page)
            _saves(page)
            if not can_type:
                reached = ViewedRun(folder).state
                _until(lambda: reached().run["cycle"] > max(CYCLES), "the cycles to look at")
                _peeks(page, folder, experiment.folder / "peek")
        faults = _attack(experiment, browser, server.url, folder)
        return faults + _pictures(experiment, browser, server.url, engine)


def _many(experiment: Experiment, browser: Browser) -> tuple[list[str], dict[str, float]]:
    """Watch 1,024 nodes; return faults, and how smooth the page is."""
    folder = experiment.folder / "tree"
    with _going(folder, _senders(), LARGE_LIMIT_S), serving(folder) as server:
        with browser.page(server.url, DESKTOP_PX, dark=False) as page:
            _until(lambda: _text(page, "cycle"), "the first figures")
            page.value(PROBE)
            page.call("Performance.enable", timeDomain="threadTicks")
            before, lines = _thread_s(page), _lines(folder)
            time.sleep(WATCHED_S)
            thread_s, lines = _thread_s(page) - before, _lines(folder) - lines
            probe = page.value("({...probe, s: (performance.now() - probe.began) / 1000})")
        cost_s = _state_s(folder)
        faults = _pictures(experiment, browser, server.url, "tree")
    smooth = {
        "frames_per_s": probe["frames"] / probe["s"],
        "updates_per_s": probe["news"] / probe["s"],
        "longest_between_updates_s": probe["gap"] / 1000,
        "longest_update_ms": probe["longest"],
        "page_share_of_core": thread_s / probe["s"],
        "server_ms_an_update": 1000 * cost_s,
    }
    if smooth["page_share_of_core"] > MOST_SHARE:
        faults.append(f"the page takes {100 * smooth['page_share_of_core']:.0f} % of a core")
    if probe["news"] < LEAST_NEWS * lines:
        faults.append(f"{probe['news']} updates of {lines} lines")
    return faults, smooth


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
    _until(lambda: _lines(folder) > lines, "a line of the status")
    time.sleep(1)
    begun_s = time.thread_time()
    viewed.state()
    return time.thread_time() - begun_s


@experiment_named("live-page", needs_program="chromium-headless-shell")
def run(experiment: Experiment) -> Verdict:
    """Hold when all that is pressed does what it says, and no page has a fault."""
    smooth: dict[str, float] = {}
    with Browser() as browser:
        faults = _echoes(experiment, browser, "functional") + _echoes(experiment, browser, "rtl")
        if not experiment.quick:
            more, smooth = _many(experiment, browser)
            faults += more
    for fault in faults:
        experiment.say(fault)
    experiment.keep(faults=faults, **smooth)
    words = ", ".join(f"{key} {value:.3g}" for key, value in smooth.items())
    figure = f"typed, saved, peeked; {len(faults)} faults" + (f"; {words}" if words else "")
    return Verdict(not faults, figure, "no fault")
