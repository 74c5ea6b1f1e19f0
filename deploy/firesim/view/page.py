# SPDX-License-Identifier: BSD-3-Clause
"""The live page in one file: style sheet and script are in it, and it loads nothing else."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from firesim_common.printable import printable
from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template
from markupsafe import Markup

from firesim.report.drawing import topology_svg
from firesim.report.page import STYLE
from firesim.view.viewed import ViewedRun

_HERE = Path(__file__).resolve().parent
STYLES = (STYLE, _HERE / "view.css")


@cache
def _template() -> Template:
    environment = Environment(
        loader=FileSystemLoader(_HERE),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template("page.html.j2")


def page(run: ViewedRun, nonce: str) -> str:
    """Return the page of a run; its scripts and styles are those with this nonce."""
    return _template().render(
        title=printable(run.folder.name),
        folder=printable(str(run.folder)),
        topology=topology_svg(run.network, run.clock_hz),
        about={"models": run.models, "switches": list(run.network.switching_cycles)},
        consoles=run.nodes_with("uart"),
        counters=run.nodes_with("autocounter"),
        style=Markup("".join(file.read_text(encoding="utf-8") for file in STYLES)),
        script=Markup((_HERE / "view.js").read_text(encoding="utf-8")),
        nonce=nonce,
    )
