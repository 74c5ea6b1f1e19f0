# SPDX-License-Identifier: BSD-3-Clause
"""Runs a generator in Scala: sbt compiles it once for all blades, Java runs it for each.

A start of sbt takes three times as long as an elaboration, and keeps others from the project.
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

from firesim_common.cache import KeyPart, cached
from firesim_common.tools import run

from firesim.build.sbt import JAVA_OPTIONS, SBT_LAUNCHER, build_environment, class_path

LISTED = "classpath.txt"
"""In a folder of the cache: the entries in order, a line each, those within it relative."""


def run_scala(
    project: Path,
    main: str,
    arguments: Sequence[str | Path],
    sources: Sequence[KeyPart],
    properties: Mapping[str, str] = MappingProxyType({}),
) -> None:
    """Run the class `main` of an sbt project with `arguments`.

    `sources` are what sbt reads to compile it, `properties` those of Java that the build asks for.

    Raises:
        ToolError: it does not compile, or it failed; the message ends with the last lines.
    """

    def build(folder: Path) -> None:
        entries = []
        for place, entry in enumerate(class_path(project, properties)):
            if entry.is_dir():
                shutil.copytree(entry, folder / f"classes-{place}")
                entries.append(f"classes-{place}")
            elif entry.is_relative_to(project.resolve()):
                shutil.copy(entry, folder)
                entries.append(entry.name)
            else:
                entries.append(str(entry))
        (folder / LISTED).write_text("\n".join(entries))

    key: list[KeyPart] = [SBT_LAUNCHER, *sources, Path(__file__)]
    compiled = cached("classes", key, build)
    entries = [compiled / entry for entry in (compiled / LISTED).read_text().splitlines()]
    if not all(entry.exists() for entry in entries):  # the store of published jars was emptied
        class_path(project, properties)
    places = ":".join(map(str, entries))
    command: list[str | Path] = ["java", *JAVA_OPTIONS, "-cp", places, main, *arguments]
    run(command, cwd=project, env=build_environment(project))
