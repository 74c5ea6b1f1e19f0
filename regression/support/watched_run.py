# SPDX-License-Identifier: BSD-3-Clause
"""A run beside a headless browser that shows its page: waiting, what is shown, pictures."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from firesim.pipeline.beside import Beside
from firesim.pipeline.load import load_text
from firesim.pipeline.run import run
from rich.console import Console

from regression.support import waiting
from regression.support.browser import DESKTOP_PX, PHONE_PX, Browser, Page
from regression.support.experiment import Experiment, ExperimentError

LIMIT_S = 900.0
POLL_S = 0.1
"""Between two looks at the page, which each take time of the simulation's processor."""


@contextmanager
def going(folder: Path, config: str, limit_s: float = LIMIT_S) -> Iterator[None]:
    """Run a configuration beside the block, to its end."""
    beside = Beside()
    quiet = Console(quiet=True)
    thread = threading.Thread(
        target=lambda: run(load_text(config), results=folder, console=quiet, beside=beside)
    )
    thread.start()
    try:
        until((folder / "status.jsonl").exists, f"{folder.name}: the first status", limit_s)
        yield
    finally:
        beside.stopped.set()
        thread.join()


def until(condition: Callable[[], Any], what: str, limit_s: float = LIMIT_S) -> None:
    """Wait until a condition holds.

    Raises:
        ExperimentError: it took longer than `limit_s`.
    """
    waiting.until(condition, what, limit_s, ExperimentError, POLL_S)


def shown(page: Page, name: str) -> str:
    """Return the text of a part of the page."""
    return str(page.value(f"document.getElementById('{name}').textContent"))


def console(page: Page) -> str:
    """Return what the console of the page shows, as a terminal or as text."""
    lines = "[...Array(terminal.buffer.active.length).keys()].map((at) => "
    lines += "terminal.buffer.active.getLine(at).translateToString(true)).join('\\n')"
    text = "document.getElementById('console').textContent"
    return str(page.value(f"terminal ? {lines} : {text}"))


def pictures(experiment: Experiment, browser: Browser, url: str, name: str) -> list[str]:
    """Take a picture in each look; return what is wrong with the pages."""
    faults = []
    for width_px in (DESKTOP_PX, PHONE_PX):
        for dark in (False, True):
            look = f"{name}-{width_px}-{'dark' if dark else 'light'}"
            with browser.page(url, width_px, dark=dark) as page:
                until(lambda: shown(page, "cycle"), f"{look}: the first figures")
                page.picture(experiment.folder / f"{look}.png")
                faults += [f"{look}: {fault}" for fault in dict.fromkeys(page.faults())]
    return faults
