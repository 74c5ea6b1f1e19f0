# SPDX-License-Identifier: BSD-3-Clause
"""Runs sbt, the Scala build tool, without its being installed: its launcher is a Maven jar.

`python -m firesim.build.sbt FOLDER COMMAND...` does so from a shell.
"""

from __future__ import annotations

import fcntl
import json
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType

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


def sbt_word(text: object) -> str:
    """Return `text`, a path maybe, as one word of an sbt command: blanks and quotes stay in it."""
    return json.dumps(str(text), ensure_ascii=False)


def run_sbt(
    project_dir: Path, *commands: str, properties: Mapping[str, str] = MappingProxyType({})
) -> None:
    """Run sbt commands, in order, in one sbt start, in the project in `project_dir`.

    A command with arguments is one string, in which each path is an `sbt_word`:
    `run_sbt(project, f"runMain firesim.Elaborate {sbt_word(out)}")`.
    `properties` are Java's, which the build may ask for. Two callers that use the same project take
    turns, because sbt does not lock its `target`.

    Raises:
        ToolError: sbt failed; the message ends with its last lines.
    """
    with _prepared(project_dir, commands, properties) as (command, environment):
        run(command, cwd=project_dir, env=environment)


def sbt_output(project_dir: Path, *commands: str) -> str:
    """Do the same; return what sbt said.

    Raises:
        ToolError: sbt failed; the message ends with its last lines.
    """
    with _prepared(project_dir, commands, {}) as (command, environment):
        return run(command, cwd=project_dir, env=environment)


def show_sbt(project_dir: Path, *commands: str) -> int:
    """Do the same with all that sbt says going where ours goes; return its exit status."""
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
    with (target / ".firesim-sbt.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        given = [f"-D{key}={value}" for key, value in properties.items()]
        java: list[str | Path] = ["java", *JAVA_OPTIONS, *given]
        launcher = maven_jar(SBT_LAUNCHER)
        yield [*java, "-jar", launcher, *commands], build_environment(project_dir)


if __name__ == "__main__":
    import sys

    sys.exit(show_sbt(Path(sys.argv[1]), *sys.argv[2:]))
