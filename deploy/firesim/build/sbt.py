# SPDX-License-Identifier: BSD-3-Clause
"""Runs sbt, the Scala build tool, without its being installed: its launcher is a Maven jar.

`python -m firesim.build.sbt FOLDER COMMAND...` does so from a shell.
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType

from firesim_common.locks import locked
from firesim_common.tools import maven_jar, run, verilator_environment

SBT_LAUNCHER = "org.scala-sbt:sbt-launch:1.12.0"
"""The newest line whose launcher resolves by itself; sbt 1.13 does not."""

JAVA_OPTIONS = (
    "-Xss16m",  # Chisel and FIRRTL recurse deeply
    "-Xmx6g",
    # A build takes a minute and runs most code a few times only. The optimising compiler and
    # parallel collection cost more processor time than they save, while other steps need it.
    "-XX:+UseSerialGC",
    "-XX:TieredStopAtLevel=1",
    "-Dsbt.server.autostart=false",  # no daemon, no socket: a build leaves nothing behind
    "-Dsbt.supershell=false",
    "-Dsbt.color=false",
    "-Dsbt.banner=false",
)


def class_path(
    project_dir: Path, properties: Mapping[str, str] = MappingProxyType({}), tests: bool = False
) -> list[Path]:
    """Compile a project, with its `tests` if asked, and return the class path that runs it.

    `properties` are Java's, which the build may ask for. Two callers that use the same project take
    turns, because sbt does not lock its `target`.

    Raises:
        ToolError: it does not compile; the message ends with sbt's last lines.
    """
    which = "Test" if tests else "Runtime"
    export = f"export {which} / fullClasspath"  # of what it compiles for that
    with _prepared(project_dir, [export], properties) as (command, environment):
        said = run(command, cwd=project_dir, env=environment)
    return [Path(entry) for entry in said.rstrip().splitlines()[-1].split(":")]


def show_sbt(project_dir: Path, *commands: str) -> int:
    """Run sbt commands, what they say going where ours goes; return sbt's exit status."""
    with _prepared(project_dir, commands, {}) as (command, environment):
        return subprocess.run(command, cwd=project_dir, env=environment, check=False).returncode


def build_environment(project_dir: Path) -> dict[str, str]:
    """Return the environment of what builds hardware of a project, and of its tests."""
    # Each test of hardware compiles Verilator's runtime in a folder of its own; once is enough.
    return verilator_environment() | {"CCACHE_BASEDIR": str(project_dir.resolve())}


@contextmanager
def _prepared(
    project_dir: Path, commands: Sequence[str], properties: Mapping[str, str]
) -> Iterator[tuple[list[str | Path], dict[str, str]]]:
    """Yield the command and its environment, while nobody else uses the project."""
    target = project_dir / "target"
    target.mkdir(exist_ok=True)
    with locked(target / ".firesim-sbt.lock"):
        given = [f"-D{key}={value}" for key, value in properties.items()]
        java: list[str | Path] = ["java", *JAVA_OPTIONS, *given]
        launcher = maven_jar(SBT_LAUNCHER)
        yield [*java, "-jar", launcher, *commands], build_environment(project_dir)


if __name__ == "__main__":
    import sys

    sys.exit(show_sbt(Path(sys.argv[1]), *sys.argv[2:]))
