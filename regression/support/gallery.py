# SPDX-License-Identifier: BSD-3-Clause
"""Makes the pictures of docs/gallery.md from today's code.

`python -P -m regression.support.gallery RESULTS` takes the results of `firesim quickstart`, runs a
rack of Linux nodes for the live table, and writes into docs/images. It needs the Debian packages
chromium-headless-shell, gtkwave and xvfb.
"""

from __future__ import annotations

import io
import os
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from firesim.pipeline.load import find_config, load_file
from firesim.pipeline.resolve import resolve
from firesim.pipeline.run import run as run_config
from firesim.report.page import write_report
from firesim.report.plan_svg import write_svg
from firesim.view.libraries import fetch_libraries
from firesim.view.server import ViewServer
from firesim.view.viewed import ViewedRun
from firesim.watch.consoles import Consoles
from firesim.watch.display import Display
from firesim.watch.status import StatusReaders
from firesim_common.paths import ROOT
from firesim_common.tools import python_command
from rich.console import Console

from regression.support import speed_chart
from regression.support.browser import DESKTOP_PX, PHONE_PX, Browser

IMAGES = ROOT / "docs/images"
COLUMNS = 80
REPORT_PX, PHONE_TALL_PX, MOST_FLAME_PX = 1330, 1690, 760
FIRST_CYCLE, CYCLES = 405_000, 24
CORE = "soc.system.tile.core"
SCOPES = (CORE, "nic")
SIGNALS = (
    "node0.cycle",
    "node0.clock",
    f"node0.{CORE}.io_imem_req_valid",
    f"node0.{CORE}.wb_reg_pc",
    f"node0.{CORE}.wb_reg_inst",
    "node0.nic._flits_io_deq_valid",
    "node0.nic._flits_io_deq_bits_data",
    "node0.nic._flits_io_deq_bits_last",
)
_GTKWAVE = """\
set found [list]
foreach wanted {%s} {
  for {set i 0} {$i < [gtkwave::getNumFacs]} {incr i} {
    set name [gtkwave::getFacName $i]
    if {[lindex [split $name {[}] 0] eq $wanted} { lappend found $name }
  }
}
gtkwave::addSignalsFromList $found
gtkwave::/Edit/Set_Trace_Max_Hier 0
gtkwave::/View/Show_Wave_Highlight
gtkwave::/Time/Zoom/Zoom_Full
gtkwave::/Time/Zoom/Zoom_Full
gtkwave::/File/Grab_To_File %s
exit
"""


def _html(folder: Path, body: str, style: str = "") -> Path:
    """Return a page around a picture in the text form that the browser draws."""
    page = folder / "picture.html"
    page.write_text(f"<!DOCTYPE html><style>body {{ margin: 0 }} {style}</style>{body}")
    return page


def reports(browser: Browser, results: Path) -> None:
    """Picture the report of quickstart, that of Linux on a phone, and its flame graph."""
    for name in ("bare-metal", "linux"):
        write_report(results / name)
    with browser.page(results / "bare-metal/report.html", DESKTOP_PX, dark=False) as page:
        page.picture(IMAGES / "report.png", REPORT_PX)
    linux = results / "linux/report.html"
    with browser.page(linux, PHONE_PX, dark=True) as page:
        page.picture(IMAGES / "report-phone.png", PHONE_TALL_PX)
    with browser.page(linux, DESKTOP_PX, dark=False) as page:
        page.element(".flame", IMAGES / "linux-flame-graph.png", MOST_FLAME_PX)


def topology(browser: Browser, folder: Path) -> None:
    """Picture what `firesim runcheck -c rack_8 -x system.topology=fat_tree_4ary --svg` draws."""
    plan = resolve(load_file(find_config("rack_8"), ["system.topology=fat_tree_4ary"]))
    file = folder / "topology.svg"
    write_svg(plan, file)
    with browser.page(_html(folder, file.read_text()), DESKTOP_PX, dark=False) as page:
        page.element("svg", IMAGES / "topology.png")


def live_table(browser: Browser, folder: Path) -> None:
    """Picture the live table of eight Linux nodes in the middle of their run."""
    loaded = load_file(find_config("rack_linux_8"), ["simulation.status_interval_s=0.1"])
    plan = resolve(loaded)
    results = folder / "rack"
    runner = threading.Thread(
        target=run_config, args=(loaded,), kwargs={"results": results}, daemon=True
    )
    runner.start()
    reader = StatusReaders({"": results / "status.jsonl"}, plan.models(), 0)
    consoles = Consoles({node.name: results / node.name / "uart.log" for node in plan.nodes})
    switches = {switch.name for switch in plan.switches}
    frames: list[str] = []
    while runner.is_alive():
        time.sleep(0.05)
        if (status := reader.update()) is not None:
            screen = Console(width=COLUMNS, height=40, record=True, file=io.StringIO())
            shown = Display(screen, loaded.name, plan.clock_hz, switches, consoles)
            screen.print(shown.screen(status))
            frames.append(screen.export_svg(title="firesim runworkload -c rack_linux_8"))
    # The browser fetches nothing: the font is one that is here.
    svg = frames[3 * len(frames) // 4].replace("Fira Code", "DejaVu Sans Mono")
    body = f'<div style="width: 900px">{svg}</div>'
    with browser.page(_html(folder, body), DESKTOP_PX, dark=False) as page:
        page.element("svg", IMAGES / "live-table.png")


def live_page(browser: Browser, folder: Path) -> None:
    """Picture the page of eight Linux nodes that `firesim view` serves while they run."""
    results = folder / "viewed"
    fetch_libraries(print)
    runner = threading.Thread(
        target=run_config,
        args=(load_file(find_config("rack_linux_8"), ["simulation.status_interval_s=0.1"]),),
        kwargs={"results": results},
        daemon=True,
    )
    runner.start()
    while not (results / "run.json").exists():
        time.sleep(0.05)
    with (
        ViewServer(ViewedRun(results), 0) as server,
        browser.page(server.url, DESKTOP_PX, dark=False) as page,
    ):
        while "Gb/s" not in page.value("document.getElementById('link-table').textContent"):
            time.sleep(0.1)
        page.picture(IMAGES / "live-page.png", REPORT_PX)
    runner.join()


def waves(results: Path, folder: Path) -> None:
    """Picture signals of a core and its NIC in GTKWave, while quickstart's node0 streams."""
    shown = [word for scope in SCOPES for word in ("--scope", scope)]
    words = ["waves", "node0", "--run", str(results / "bare-metal"), *shown]
    words += ["--from", str(FIRST_CYCLE), "--cycles", str(CYCLES)]
    command = python_command("-m", "firesim.cli.main", *words)
    subprocess.run(command, env={**os.environ, "FIRESIM_RESULTS": str(folder)}, check=True)
    file = next(folder.glob("*/node0/waves.fst"))
    script = folder / "shown.tcl"
    script.write_text(_GTKWAVE % (" ".join(SIGNALS), IMAGES / "waves.png"))
    window = ["--rcvar", "initial_window_x 1200", "--rcvar", "initial_window_y 340"]
    viewer = ["gtkwave", *window, "--rcvar", "hide_sst 1", "-S", str(script), str(file)]
    screen = ["xvfb-run", "-a", "-s", "-screen 0 1280x600x24"]
    subprocess.run([*screen, *viewer], check=True, stdout=subprocess.DEVNULL, timeout=120)


def main() -> None:
    """Make every picture.

    Raises:
        NotHereError: no browser is installed.
    """
    results = Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as name, Browser() as browser:
        folder = Path(name)
        speed_chart.write(IMAGES / "speed.svg")
        reports(browser, results)
        topology(browser, folder)
        live_table(browser, folder)
        live_page(browser, folder)
        waves(results, folder)


if __name__ == "__main__":
    main()
