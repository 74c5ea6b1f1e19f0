# SPDX-License-Identifier: BSD-3-Clause
"""The command `firesim`: every command is a file beside this one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import typer

from firesim.cli.attach import attach
from firesim.cli.boot import boot
from firesim.cli.build import build
from firesim.cli.buildbitstream import buildbitstream
from firesim.cli.builddriver import builddriver
from firesim.cli.console import console
from firesim.cli.cp import cp
from firesim.cli.enumeratefpgas import enumeratefpgas
from firesim.cli.experiment import experiment
from firesim.cli.gdb import gdb
from firesim.cli.import_files import import_files
from firesim.cli.infrasetup import infrasetup
from firesim.cli.kill import kill
from firesim.cli.launchrunfarm import launchrunfarm
from firesim.cli.ls import ls
from firesim.cli.peek import peek
from firesim.cli.poke import poke
from firesim.cli.quickstart import quickstart
from firesim.cli.report import report
from firesim.cli.runcheck import runcheck
from firesim.cli.runfarm import runfarm
from firesim.cli.runs import runs
from firesim.cli.runworkload import runworkload
from firesim.cli.sample import sample
from firesim.cli.schema import schema
from firesim.cli.shareagfi import shareagfi
from firesim.cli.simulateboard import simulateboard
from firesim.cli.snapshot import snapshot
from firesim.cli.ssh import ssh
from firesim.cli.sweep import sweep
from firesim.cli.tar2afi import tar2afi
from firesim.cli.terminaterunfarm import terminaterunfarm
from firesim.cli.test import test
from firesim.cli.timeline import timeline
from firesim.cli.version import version
from firesim.cli.view import view
from firesim.cli.waves import waves
from firesim.cli.why import why
from firesim.cli.workload import workload

app = typer.Typer(
    name="firesim",
    help="FireSim simulates whole datacenter clusters, exact to the cycle. Start with: "
    "./firesim quickstart",
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_show_locals=False,
)
PANELS: dict[str, tuple[Callable[..., None] | typer.Typer, ...]] = {
    "Simulate": (quickstart, runworkload, sweep, sample, runcheck, boot, attach, ls, kill),
    "Look into a run": (view, console, ssh, cp, snapshot, waves, peek, poke, gdb, why),
    "Results": (report, timeline, runs),
    "Build": (build, workload),
    "Many hosts": (launchrunfarm, infrasetup, runfarm, terminaterunfarm),
    "FPGAs": (
        buildbitstream,
        builddriver,
        simulateboard,
        enumeratefpgas,
        tar2afi,
        shareagfi,
    ),
    "More": (import_files, test, experiment, schema, version),
}
"""The commands, as `firesim --help` groups them."""
GROUPS = {build: "build", runs: "runs", snapshot: "snapshot", workload: "workload"}
"""Those that have commands of their own."""
NAMES = {import_files: "import"}
"""Those whose names are words of Python."""
CONTEXTS: dict[object, dict[str, Any]] = {
    test: {"ignore_unknown_options": False},
    experiment: {
        "allow_extra_args": True,
        "ignore_unknown_options": True,
        "help_option_names": [],  # NAME --help is the experiment's.
    },
    ssh: {"allow_interspersed_args": False},
}
for panel, commands in PANELS.items():
    for one in commands:
        if isinstance(one, typer.Typer):
            app.add_typer(one, name=GROUPS[one], rich_help_panel=panel)
        else:
            settings = CONTEXTS.get(one)
            app.command(NAMES.get(one), context_settings=settings, rich_help_panel=panel)(one)

if __name__ == "__main__":
    app(prog_name="firesim")
