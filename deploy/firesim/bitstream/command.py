# SPDX-License-Identifier: BSD-3-Clause
"""What `firesim buildbitstream` does: forms here, builds on a farm, reports, database."""

from __future__ import annotations

import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from firesim_common.errors import InputError
from firesim_common.tools import ToolError
from rich.console import Console
from rich.live import Live

from firesim.bitstream.database import default_database, set_entries
from firesim.bitstream.farm import Build, BuildFarm, check_tools
from firesim.bitstream.forms import check_builds, wanted_build
from firesim.bitstream.report import progress_table, write_report
from firesim.config.bitstream import LoadedBuilds
from firesim.config.farm import farm_path
from firesim.config.hwdb import HwdbEntry
from firesim.farm.base import FarmError, RunFarm
from firesim.farm.up import farm_of, up
from firesim.hosts.channel import HostLost
from firesim.hosts.client import HostError, sha256_of
from firesim.hosts.ready import ReadyHost
from firesim.work.process_tree import ended_by_signals, ending_what_it_starts
from firesim.work.steps import Steps


def database_of(loaded: LoadedBuilds, asked: Path | None) -> Path:
    """Return the database that a recipe's builds go into."""
    if asked is not None:
        return asked.absolute()
    given = loaded.file.hwdb
    return loaded.folder / loaded.source.file(("hwdb",), given) if given else default_database()


def build_farm_of(loaded: LoadedBuilds, farm: str | None) -> RunFarm:
    """Return the farm of a recipe, or that of an option; nothing is started.

    Raises:
        InputError: there is no such file, or it is wrong.
    """
    if farm is not None:
        return farm_of(farm_path(farm, Path.cwd()))[1]
    return farm_of(farm_path(loaded.file.farm, loaded.folder))[1]


def make_builds(loaded: LoadedBuilds, only: list[str], steps: Steps) -> list[Build]:
    """Return the builds of a recipe, each with its form.

    Raises:
        InputError: one is wrong.
        ToolError, GoldenGateError: a design cannot be made.
    """
    checked = check_builds(loaded, only)
    builds = []
    with ending_what_it_starts():
        for name, (board_name, board, builder) in checked.items():
            with steps.step(f"{name}: making the form for the FPGA"):
                wanted = wanted_build(loaded, name, board_name, board, builder)
            builds.append(Build(wanted, builder))
    return builds


@contextmanager
def build_hosts(farm: RunFarm, keep: bool, steps: Steps) -> Iterator[list[ReadyHost]]:
    """Return the hosts of a farm, connected; what had to be launched is given back afterwards.

    Raises:
        InputError: hosts cannot be had.
    """
    launched = False
    try:
        if farm.missing().what:
            launched = True  # Also when it is interrupted in its middle.
            with steps.step(f"{farm.name}: launching build hosts"):
                farm.launch(steps.say)
        hosts = up(farm)
        try:
            yield hosts
        finally:
            for ready in hosts:
                ready.client.close()
    except FarmError as error:
        raise InputError(str(error)) from error
    finally:
        if launched and not keep:
            with steps.step(f"{farm.name}: giving the build hosts back"):
                farm.terminate(steps.say)


class Watcher:
    """Shows builds as they get on: a table in a terminal, lines elsewhere."""

    def __init__(self, console: Console, builds: Sequence[Build]) -> None:
        """Show nothing yet."""
        self.console, self.builds = console, builds
        self.shown: dict[str, str] = {}
        self.lock = threading.Lock()
        self.live = Live(console=console, refresh_per_second=4, transient=True)

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Show what `changed` is told while the body runs."""
        if not self.console.is_terminal:
            yield
            return
        with self.live:
            yield

    def changed(self, build: Build) -> None:
        """Show that a build has got further; from any thread."""
        with self.lock:
            if self.console.is_terminal:
                self.live.update(progress_table(self.builds))
            elif self.shown.get(build.name) != build.stage:
                self.shown[build.name] = build.stage
                where = f" on {build.host}" if build.host else ""
                self.console.print(
                    f"{build.name}: {build.stage}{where}", highlight=False, markup=False
                )


def run_builds(
    builds: Sequence[Build],
    hosts: Sequence[ReadyHost],
    results: Path,
    database: Path,
    console: Console,
) -> None:
    """Build all, as many at a time as there are hosts; an interruption leaves nothing on them.

    Raises:
        InputError: a tool is missing on a host, or a host is gone at once.
        KeyboardInterrupt: as it came.
    """
    try:
        with tempfile.TemporaryDirectory() as scratch:
            tools = check_tools([build.builder for build in builds], hosts, Path(scratch))
        watcher = Watcher(console, builds)

        def changed(build: Build) -> None:
            if build.folder is not None and not build.fault:
                finish(build, results / build.name, database)  # A manager may die any moment.
            watcher.changed(build)

        farm = BuildFarm(hosts, tools, results, changed)
        with watcher.watching():
            try:
                farm.start(builds)
                farm.join()
            except BaseException:
                farm.end()
                raise
    except (HostLost, HostError) as error:
        raise InputError(f"{error}.") from error


def build_all(
    builds: Sequence[Build],
    farm: RunFarm,
    keep_hosts: bool,
    results: Path,
    database: Path,
    console: Console,
) -> None:
    """Build all on a farm; whatever ends it, what is built is in the database.

    Raises:
        InputError: hosts cannot be had, or lack a tool.
        KeyboardInterrupt: as it came; nothing is left on the hosts.
    """
    with ended_by_signals(), build_hosts(farm, keep_hosts, Steps(console)) as hosts:
        run_builds(builds, hosts, results, database, console)


def finish(build: Build, folder: Path, database: Path) -> None:
    """Write the report of a build that is built into its folder, and its database entry."""
    assert build.outcome is not None
    write_report(folder, build.wanted, build.outcome)
    try:
        set_entries(database, {build.name: _entry(build, folder, database)})
    except (ToolError, InputError) as error:
        build.fault, build.stage = f"{build.name}: {error}", "failed"


def _entry(build: Build, folder: Path, database: Path) -> HwdbEntry:
    outcome, wanted = build.outcome, build.wanted
    assert outcome is not None and build.folder is not None
    place = build.builder.finish(wanted, build.folder, outcome)
    built = build.folder.stat()
    if "bitstream" in place:
        built = (build.folder / place["bitstream"]).stat()
        file = folder / place["bitstream"]
        place["sha256"] = sha256_of(file)
        inside = file.is_relative_to(database.parent)
        place["bitstream"] = str(file.relative_to(database.parent) if inside else file)
    return HwdbEntry(
        **place,
        fingerprint=wanted.fingerprint,
        blades=wanted.recipe.blades,
        supernode=wanted.recipe.supernode,
        capture=wanted.recipe.capture,
        memory=wanted.recipe.memory_in_rtl,
        board=wanted.board_name,
        frequency_mhz=float(wanted.frequency_mhz),
        built=time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(built.st_mtime)),
        tools=outcome.tools,
    )
