# SPDX-License-Identifier: BSD-3-Clause
"""The live page as people use it: in a headless browser, of runs that go on.

A guest that echoes is typed to, key by key and as a line, and what it says comes back, in colours;
its markup and its links are text, and what it asks of a terminal is not answered. A snapshot
is taken by its button; a signal's name is found, pressed, and its value is what `firesim peek`
says. A page of another origin that knows the token acts on nothing. No page may have a fault that
needs no eyes; the pictures stay in the results, for eyes.

Without --quick, the page of a run, Perfetto and Surfer are looked at where there is no network.
1,024 nodes send to each other: the page must be told something new at least once a second, and may
take a small share of a core. Then the same cycles are simulated with a page and without,
alternately, five times: a page may add 2 % to the processor time of the simulator, and changes no
token hash.
"""

from __future__ import annotations

import time
from pathlib import Path

import yaml
from firesim.run.signals import peek
from firesim.view.libraries import LIBRARIES, fetched
from firesim.view.viewed import ViewedRun
from firesim_software.builder import own_program
from rich.console import Console

from regression.support.browser import DESKTOP_PX, Browser, Page
from regression.support.experiment import Experiment, ExperimentError, Verdict, experiment_named
from regression.support.large_page import cost, smoothness
from regression.support.live_page import ECHO, serving
from regression.support.offline_run import looked_at_offline, shown_run
from regression.support.watched_run import console, going, pictures, shown, until

TYPED, LINE = "hi", "line"
SIGNAL = "tile.core reg_mepc"
CYCLES = [5000, 5001]
RED = "rgb(204, 0, 0)"


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


def _key(page: Page, key: str, text: str = "", modifiers: int = 0, code: int = 0) -> None:
    said = {"key": key, "modifiers": modifiers, "windowsVirtualKeyCode": code}
    page.call("Input.dispatchKeyEvent", type="keyDown", text=text, **said)
    page.call("Input.dispatchKeyEvent", type="keyUp", **said)


def _press(page: Page, selector: str) -> None:
    page.value(f"document.querySelector('{selector}').click()")


def _types(page: Page) -> None:
    """Type into a console and find what the guest says to it; Ctrl-] leaves it.

    Nothing else may reach the guest: what it asks of a terminal has no answer.
    """
    page.value("terminal.focus()")
    for letter in TYPED:
        _key(page, letter, letter)
    _key(page, "ArrowUp", code=38)
    _key(page, "Enter", "\r", code=13)
    _key(page, "]", modifiers=2, code=221)
    if page.value("document.activeElement.name") != "line":
        raise ExperimentError("Ctrl-] does not leave the console")
    page.call("Input.insertText", text=LINE)
    _press(page, "#type-line button")
    typed = f"{TYPED}\x1b[A\r{LINE}\r"
    wanted = "type\n" + "".join(f"<{ord(letter):x}>\n" for letter in typed)
    until(lambda: wanted in console(page), "what was typed")


def _is_a_terminal(page: Page) -> list[str]:
    """Return what the console does not show as a terminal does."""
    page.value("document.getElementById('terminal').scrollIntoView()")
    spans = "[...document.querySelectorAll('#terminal span')]"
    until(lambda: page.value(f"{spans}.some((one) => one.textContent === 'red')"), "a colour")
    red = f"{spans}.find((one) => one.textContent === 'red')"
    faults = []
    if page.value(f"getComputedStyle({red}).color") != RED:
        faults.append("the terminal shows no colour")
    if "<img src=x> link" not in console(page):
        faults.append("the terminal does not show markup as text")
    if page.value("document.querySelectorAll('#terminal :is(img, a)').length"):
        faults.append("what a guest prints is markup of the page")
    page.value(
        "at('terminal-size').value = '132x43'; "
        "at('terminal-size').dispatchEvent(new Event('change'))"
    )
    if page.value("[terminal.cols, terminal.rows]") != [132, 43]:
        faults.append("the terminal keeps its size")
    return faults


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
    until(lambda: "saved saved-1 at cycle" in shown(page, "snapshot-said"), "the snapshot")
    until(lambda: "saved-1" in shown(page, "snapshot-table"), "its row")


def _peeks(page: Page, folder: Path, scratch: Path) -> None:
    """Find a signal's name, press it, and look at it in two cycles."""
    page.value(f"document.querySelector('#signals [name=signals]').value = '{SIGNAL}'")
    _press(page, "#signals [value=names]")
    until(lambda: page.value("!!document.querySelector('#name-table button')"), "a name")
    _press(page, "#name-table button")
    name = str(page.value("document.querySelector('#signals [name=signals]').value"))
    cycles = " ".join(map(str, CYCLES))
    page.value(f"document.querySelector('#signals [name=cycles]').value = '{cycles}'")
    _press(page, "#signals [value=peek]")
    until(lambda: page.value("!document.getElementById('value-table').hidden"), "a value")
    values = page.value(
        "[...document.querySelectorAll('#value-table tbody tr')].map((r) => r.cells[2].textContent)"
    )
    found = peek(folder, "node0", [name], CYCLES, [], scratch, Console(quiet=True))
    if values != [hex(one.value) for one in found]:
        raise ExperimentError(f"{name}: the page says {values}, expected {found}")


def _echoes(experiment: Experiment, browser: Browser, engine: str) -> list[str]:
    """Use the page of an echoing guest: functional, to type; in RTL, to peek."""
    folder = experiment.folder / engine
    can_type = engine == "functional"
    with going(folder, _echo(experiment.folder, engine, can_type)), serving(folder) as server:
        with browser.page(server.url, DESKTOP_PX, dark=False) as page:
            until(lambda: "type" in console(page), "the guest's first line")
            faults = _is_a_terminal(page)
            if can_type:
                _types(page)
            _saves(page)
            if not can_type:
                reached = ViewedRun(folder).state
                until(lambda: reached().run["cycle"] > max(CYCLES), "the cycles to look at")
                _peeks(page, folder, experiment.folder / "peek")
        faults += _attack(experiment, browser, server.url, folder)
        return faults + pictures(experiment, browser, server.url, engine)


def _offline(experiment: Experiment) -> list[str]:
    """Look at a run, at its timeline and at its waves where there is no network."""
    made = shown_run(experiment.folder / "offline")
    folder = experiment.folder / "offline-pictures"
    folder.mkdir()
    found = looked_at_offline(made, folder)
    if found is None:
        experiment.say("without a network: not tried, as this host allows no name space for it")
    return found or []


@experiment_named("live-page", needs_program="chromium-headless-shell")
def run(experiment: Experiment) -> Verdict:
    """Hold when all that is pressed does what it says, and no page has a fault."""
    smooth: dict[str, float] = {}
    for library in LIBRARIES:
        fetched(library)
    with Browser() as browser:
        faults = _echoes(experiment, browser, "functional") + _echoes(experiment, browser, "rtl")
        if not experiment.quick:
            faults += _offline(experiment)
            for part in (smoothness, cost):
                more, found = part(experiment, browser)
                faults += more
                smooth |= found
    for fault in faults:
        experiment.say(fault)
    experiment.keep(faults=faults, **smooth)
    words = ", ".join(f"{key} {value:.3g}" for key, value in smooth.items())
    figure = f"typed, saved, peeked; {len(faults)} faults" + (f"; {words}" if words else "")
    return Verdict(not faults, figure, "no fault")
