# SPDX-License-Identifier: BSD-3-Clause
"""Ethernet of a board in Verilog, as LiteEth's generator makes it of the board's configuration.

LiteEth, LiteX and Migen are PyPI packages of setup.py's extra `open-ethernet`, taken from this
Python when it has them and else installed into the cache. What they make is kept there, too.
"""

from __future__ import annotations

import os
import re
import subprocess
from importlib.metadata import version
from pathlib import Path

from firesim_common.cache import cached
from firesim_common.tools import ToolError, python_command

from firesim.build.packages import packages_folder

EXTRA, MODULES = "open-ethernet", ["liteeth", "litex", "liteiclink", "migen"]
CORE = "liteeth_core"
SIMULATED_PHY = "LiteEthPHYGMII"
"""In place of the board's: its pins have a byte each cycle, and not half of one at each edge."""
_PHY = re.compile(r"^phy: \w+$", re.MULTILINE)
_BOTH_WAYS = re.compile(r"^( *)input( +wire +\w+_mdio\b)", re.MULTILINE)
_DATE = re.compile(r"^// .*(?:Date|Auto-Generated).*\n", re.MULTILINE)


def liteeth_core(config: Path, simulated: bool = False) -> Path:
    """Return the Verilog of the module CORE for a configuration, with SIMULATED_PHY if wanted.

    Raises:
        ToolError: LiteEth cannot be installed, or refuses the configuration.
    """
    text = config.read_text()
    if simulated:
        text = _PHY.sub(f"phy: {SIMULATED_PHY}", text)
    installed = packages_folder(EXTRA, MODULES, "liteeth")
    versions = repr([version(name) for name in MODULES]) if installed is None else installed.name

    def build(folder: Path) -> None:
        (folder / "config.yml").write_text(text)
        environment = dict(os.environ)
        if installed is not None:
            environment["PYTHONPATH"] = str(installed)
        words = ["-m", "liteeth.gen", "config.yml", "--no-compile", "--output-dir", "made"]
        done = subprocess.run(
            python_command(*words),
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        made = folder / f"made/gateware/{CORE}.v"
        if done.returncode != 0 or not made.is_file():
            lines = (done.stdout + done.stderr).strip().splitlines()
            raise ToolError(f"{config}: LiteEth refuses it: {(lines or ['no word'])[-1]}")
        (folder / f"{CORE}.v").write_text(_mended(made.read_text()))

    return cached("liteeth-core", [text, versions, Path(__file__)], build) / f"{CORE}.v"


def _mended(text: str) -> str:
    """Return it without the time at which it was made, and with the pin of two ways as one."""
    return _BOTH_WAYS.sub(r"\1inout\2", _DATE.sub("", text))
