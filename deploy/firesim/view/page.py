# SPDX-License-Identifier: BSD-3-Clause
"""The live page: its style sheet and script are in it, and it loads only kept libraries."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path

from firesim_common.printable import printable
from jinja2 import Template
from markupsafe import Markup

from firesim.report.drawing import topology_svg
from firesim.report.page import FLAME, STYLE
from firesim.report.templates import page_template
from firesim.view.libraries import UPLOT, XTERM, kept_libraries
from firesim.view.swept import ViewedSweep
from firesim.view.viewed import ViewedRun
from firesim.view.viewers import Viewer

_HERE = Path(__file__).resolve().parent
STYLES = (STYLE, _HERE / "view.css")
_OWN = (
    _HERE / f"{name}.js"
    for name in ("charts", "view", "drawing", "terminal", "follow", "growing", "acts", "offered")
)
SCRIPTS = (FLAME, *_OWN)


@cache
def _template(name: str) -> Template:
    return page_template(_HERE, name)


def _joined(files: Iterable[Path]) -> Markup:
    return Markup("".join(file.read_text(encoding="utf-8") for file in files))


def page(run: ViewedRun, nonce: str, viewers: Sequence[tuple[Viewer, str]]) -> str:
    """Return the page of a run; its scripts and styles are those with this nonce.

    Of viewers the page says the licences, which are at the addresses beside them.
    """
    consoles, libraries = run.nodes_with("uart"), kept_libraries()
    used = [one for one in libraries if one is not XTERM or consoles]
    return _template("page.html.j2").render(
        title=printable(run.folder.name),
        folder=printable(str(run.folder)),
        topology=topology_svg(run.network, run.clock_hz),
        about={"models": run.models, "typed": run.typed_nodes},
        consoles=consoles,
        typed=run.typed_nodes,
        peeked=run.peeked_nodes,
        counters=run.counted_nodes,
        traced=run.traced_nodes,
        terminal=XTERM in used,
        charts=UPLOT in used,
        used=[name for one in used for name in one.members],
        libraries=[*((one, one.licence_file) for one in libraries), *viewers],
        style=_joined(STYLES),
        script=_joined(SCRIPTS),
        nonce=nonce,
    )


def sweep_page(sweep: ViewedSweep, nonce: str) -> str:
    """Return the page of a sweep; its scripts and styles are those with this nonce."""
    return _template("sweep.html.j2").render(
        title=printable(sweep.folder.name),
        folder=printable(str(sweep.folder)),
        style=_joined(STYLES),
        script=_joined([_HERE / "sweep.js"]),
        nonce=nonce,
    )
