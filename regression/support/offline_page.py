# SPDX-License-Identifier: BSD-3-Clause
"""The live page and its viewers where there is no network: what a browser shows of one run.

`unshare -Urn python -m regression.support.offline_page RESULTS PICTURES` prints it as JSON. The
name space of networks has a loopback and nothing else; status 77 says that it cannot be had.
"""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import urllib.request
from functools import partial
from pathlib import Path
from typing import Any

import matplotlib.image
from firesim.view.server import ViewServer
from firesim.view.viewed import ViewedRun

from regression.support.browser import DESKTOP_PX, PHONE_PX, Browser, Page
from regression.support.watched_run import shown, until

NOT_HERE = 77
ELSEWHERE = ("192.0.2.1", 80)
"""An address for documentation: of nobody, and of no loopback."""
LIMIT_S = 240.0
EVENT = "hart0_instructions"
LINE_PIXELS = """(() => {
  const canvas = document.querySelector("#series canvas");
  if (!canvas.width) return 0;
  const data = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
  return data.filter((blue, at) => at % 4 === 2 && blue - data[at - 2] > 80).length;
})()"""
"""Of the chart's line, which alone is blue."""
LEAST_BLUE = 20
SCOPES = (slice(80, 470), slice(0, 290))
"""Where Surfer lists what a file holds, in a window for a desktop."""
LEAST_BRIGHT, MOST_BRIGHT = 20, 2000
"""Pixels of a name: before Surfer begins all are white."""

soon = partial(until, limit_s=LIMIT_S)


def main(folder: Path, pictures: Path) -> int:
    """Look at a run's page and at its files in their viewers; return an exit status."""
    if subprocess.run(["ip", "link", "set", "lo", "up"], check=False).returncode != 0:
        return NOT_HERE
    found: dict[str, Any] = {"reaches": _reaches(), "faults": [], "viewers": []}
    with ViewServer(ViewedRun(folder), 0) as server, Browser() as browser:
        for width_px, dark in ((DESKTOP_PX, False), (PHONE_PX, True)):
            with browser.page(server.url, width_px, dark=dark) as page:
                _watch(page)
                page.picture(pictures / f"page-{width_px}.png")
                found["faults"] += page.faults()
        with urllib.request.urlopen(f"{server.url}files", timeout=20) as answer:
            files = json.load(answer)["files"]
        for name, _, viewer, address in files:
            with browser.page(server.origin + address, DESKTOP_PX, dark=False) as page:
                picture = pictures / f"{viewer}.png"
                is_shown = _timeline if name.endswith("trace") else partial(_waves, to=picture)
                soon(partial(is_shown, page), f"{name} in {viewer}")
                page.picture(picture)
            found["viewers"].append(viewer)
    print(json.dumps(found))
    return 0


def _reaches() -> bool:
    """Return whether there is a way to another computer."""
    try:
        socket.create_connection(ELSEWHERE, timeout=1).close()
    except OSError as error:
        return isinstance(error, TimeoutError)  # On its way, and not answered.
    return True


def _watch(page: Page) -> None:
    """Wait until the page shows the end, a terminal, and how fast an event came."""
    soon(lambda: "token hash" in shown(page, "detail"), "the token hash")
    soon(lambda: page.value("terminal !== null"), "a terminal")
    buttons = "[...document.querySelectorAll('#counter-table button')]"
    button = f"{buttons}.find((one) => one.textContent === '{EVENT}')"
    soon(lambda: page.value(f"!!{button}"), "the counters")
    page.value(f"{button}.click()")
    soon(lambda: page.value(LINE_PIXELS) > LEAST_BLUE, "the line of a chart")


def _timeline(page: Page) -> bool:
    text = page.value("[document.title, document.body.innerText]")
    return str(text[0]).startswith("timeline.perfetto-trace") and "hart0" in str(text[1])


def _waves(page: Page, to: Path) -> bool:
    """Return whether the scopes of a file are listed, which Surfer draws into a canvas."""
    pixels = matplotlib.image.imread(page.picture(to))[SCOPES]
    return LEAST_BRIGHT < int((pixels.max(axis=2) > 0.5).sum()) < MOST_BRIGHT


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2])))
