# SPDX-License-Identifier: BSD-3-Clause
"""Reports as people see them: rendered by a headless browser, wide and on a phone, light and dark.

Three runs are simulated: quickstart's two Rocket nodes, twelve traced Rocket nodes, and sixty-four
functional ones under a Clos network; without --quick quickstart's Linux part, too. Each report is
rendered in four ways. No page may be wider than its window; navigation leads in the page's order;
text stands out from what is behind it; no script fails; charts and flame graphs show values under
the pointer, and a flame graph zooms. So is the
page of `firesim view` of each run. The pictures stay in the results, for eyes.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml
from firesim.config.loaded import Loaded
from firesim.pipeline.load import find_config, load_file, load_text
from firesim.pipeline.run import run as run_config
from firesim.report.page import write_report
from firesim.view.server import ViewServer
from firesim.view.viewed import ViewedRun

from regression.support.browser import DESKTOP_PX, PHONE_PX, Browser, Page
from regression.support.experiment import Experiment, ExperimentError, Verdict, experiment_named

PAIRS = 32
TOLD_S = 20.0
TRACED: dict[str, Any] = {
    "name": "traced",
    "system": {"topology": "rack_12", "node": {"memory": {"size_mib": 16}}},
    "workload": {"node": {"program": "counters"}},
    "simulation": {
        "tracing": {"enabled": True},
        "autocounter": {"enabled": True, "interval_cycles": 1000},
    },
}
CLOS: dict[str, Any] = {
    "name": "clos",
    "system": {"topology": "clos_4_8_8", "node": {"memory": {"size_mib": 16}}},
    "workload": {
        "node": {"program": "quickstart", "args": ["role=server"]},
        "nodes": {
            f"node{i}": {"args": ["role=client", f"peer=${{node{i + PAIRS}.mac}}"]}
            for i in range(PAIRS)
        },
    },
    "simulation": {"engine": "functional"},
}


PLANTED = """<!DOCTYPE html><html><head><meta name="viewport" content="width=device-width">
</head><body style="background: #fff"><nav><a href="#b">b</a><a href="#a">a</a><a href="#c">c</a>
</nav><h2 id="a">a</h2><h2 id="b">b</h2><p style="color: #ccc">pale</p>
<div style="width: 2000px">wide</div><script>console.error("said"); missing();</script></body>
</html>"""
PLANTED_FAULTS = (
    "the page is 2008 px wide",
    "nav: a stands after b",
    "nav: #c leads nowhere",
    "contrast of <p",
    "the background has luminance 1.00, asked for was dark",
    "console: said",
    "script: ReferenceError",
)
"""What must be found on a page made to have these faults, or nothing can be said of any page."""


@dataclass(frozen=True)
class Case:
    """A run whose report is looked at."""

    name: str
    config: Loaded
    token_hash: str
    charts: int
    """How many a page has at least."""
    flames: int
    """How many flame graphs it has."""


@dataclass
class Looked:
    """What was found on the pages of one report."""

    faults: list[str] = field(default_factory=list)
    checks: int = 0


def _cases(quick: bool) -> Iterator[Case]:
    recipe = load_file(find_config("quickstart"), [])
    yield Case("quickstart", recipe, "dddd1ba6da304c7e", 20, 2)
    yield Case("traced", load_text(yaml.safe_dump(TRACED)), "5d256171d52a2590", 19, 13)
    yield Case("clos", load_text(yaml.safe_dump(CLOS)), "c363543aa3a28c08", 37, 0)
    if not quick:
        linux = load_file(find_config("linux_quickstart"), [])
        yield Case("linux", linux, "c6c96eadcfb627ed", 20, 2)


def _report(experiment: Experiment, case: Case) -> Path:
    """Simulate a case and return its report.

    Raises:
        ExperimentError: a node failed, or the token hash is another one.
    """
    folder = experiment.folder / case.name
    outcome = run_config(case.config, results=folder, console=experiment.console)
    found = outcome.result.get("token_hash")
    if outcome.exit_status != 0 or found != case.token_hash:
        raise ExperimentError(
            f"{case.name}: exit status {outcome.exit_status}, token hash {found}, "
            f"expected 0 and {case.token_hash}"
        )
    return write_report(folder)


def _pointed(page: Page, case: Case) -> Iterator[str]:
    """Yield what does not show its values when it is pointed at, or does not zoom."""
    charts = page.value("document.querySelectorAll('svg.chart').length")
    flames = page.value("document.querySelectorAll('.flame').length")
    if charts < case.charts or flames != case.flames:
        yield (
            f"{charts} charts and {flames} flame graphs, "
            f"expected at least {case.charts}, and {case.flames}"
        )
    page.point_at("svg.chart")
    if ": " not in (page.value("document.getElementById('tip').textContent") or ""):
        yield "a chart shows no values under the pointer"
    if not case.flames:
        return
    page.point_at(".flame .frames")
    detail = str(page.value("document.querySelector('.flame .detail').textContent"))
    if "cycles" not in detail:
        yield "a flame graph does not say what is under the pointer"
    zoomed = page.value(
        "(() => { const f = [...document.querySelectorAll('.flame .frames div')];"
        "const wide = f.filter((e) => e.dataset.frame > 2 && e.textContent)"
        ".sort((a, b) => a.offsetWidth - b.offsetWidth)[0]; const i = wide.dataset.frame;"
        "const before = wide.offsetWidth; wide.click();"
        "const after = document.querySelector(`.frames [data-frame='${i}']`);"
        "return [before, after.offsetWidth, after.parentElement.offsetWidth]; })()"
    )
    if not zoomed[0] < zoomed[1] == zoomed[2]:
        yield f"a clicked frame of {zoomed[0]} px became {zoomed[1]} of {zoomed[2]} px"


def _look(experiment: Experiment, browser: Browser, case: Case, report: Path) -> Looked:
    looked = Looked()
    for width_px in (DESKTOP_PX, PHONE_PX):
        for dark in (False, True):
            name = f"{case.name}-{width_px}-{'dark' if dark else 'light'}"
            with browser.page(report, width_px, dark=dark) as page:
                page.picture(experiment.folder / f"{name}.png")
                found = [*page.faults(), *_pointed(page, case)]
                looked.faults += [f"{name}: {fault}" for fault in dict.fromkeys(found)]
                looked.checks += 1
    return looked


def _live(experiment: Experiment, browser: Browser, case: Case) -> Looked:
    """Look at the page that `firesim view` serves of a run."""
    looked = Looked()
    with ViewServer(ViewedRun(experiment.folder / case.name), 0) as server:
        for width_px in (DESKTOP_PX, PHONE_PX):
            for dark in (False, True):
                name = f"{case.name}-live-{width_px}-{'dark' if dark else 'light'}"
                with browser.page(server.url, width_px, dark=dark) as page:
                    found = [] if _is_told(page, case) else ["the token hash is not shown"]
                    page.picture(experiment.folder / f"{name}.png")
                    found += page.faults()
                looked.faults += [f"{name}: {fault}" for fault in dict.fromkeys(found)]
                looked.checks += 1
    return looked


def _is_told(page: Page, case: Case) -> bool:
    """Wait until a live page shows how its run ended; return whether it did."""
    until = time.monotonic() + TOLD_S
    while time.monotonic() < until:
        if case.token_hash in page.value("document.getElementById('detail').textContent"):
            return True
        time.sleep(0.1)
    return False


def _planted(experiment: Experiment, browser: Browser) -> list[str]:
    """Return the planted faults that are not found."""
    file = experiment.folder / "planted.html"
    file.write_text(PLANTED)
    with browser.page(file, DESKTOP_PX, dark=True) as page:
        found = "\n".join(page.faults())
    return [f"planted, not found: {fault}" for fault in PLANTED_FAULTS if fault not in found]


@experiment_named("report-pages", needs_program="chromium-headless-shell")
def run(experiment: Experiment) -> Verdict:
    """Hold when no page of any report has a fault."""
    rows: list[tuple[str, str, int, int]] = []
    with Browser() as browser:
        faults = _planted(experiment, browser)
        for case in _cases(experiment.quick):
            report = _report(experiment, case)
            looked = _look(experiment, browser, case, report)
            faults += looked.faults
            size_kb = report.stat().st_size // 1000
            rows.append((case.name, f"{size_kb:,}", looked.checks, len(looked.faults)))
            live = _live(experiment, browser, case)
            faults += live.faults
            rows.append((f"{case.name}, live page", "", live.checks, len(live.faults)))
    experiment.table("reports", ["report", "size (kB)", "pages rendered", "faults"], rows)
    for fault in faults:
        experiment.say(fault)
    experiment.keep(faults=faults, pages=sum(row[2] for row in rows))
    pages = sum(row[2] for row in rows)
    figure = f"{pages} pages of {len(rows)} reports, {len(faults)} faults"
    return Verdict(not faults, figure, "no fault")
