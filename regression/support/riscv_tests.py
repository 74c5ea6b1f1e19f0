# SPDX-License-Identifier: BSD-3-Clause
"""The riscv-tests of a clone: which a core can run, each built with the environment `p` of its own.

The clone is of riscv-software-src/riscv-tests, with riscv-test-env in its folder `env`.
"""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from regression.support.experiment import ExperimentError

SETS = {
    "rv64ui": "I", "rv64um": "M", "rv64ua": "A", "rv64uf": "F", "rv64ud": "D", "rv64uc": "C",
    "rv64mi": "I", "rv64si": "S",
}  # fmt: skip
"""Each set, and the letter of misa that a core must have for it."""
OPTIONAL = {("rv64ui", "ma_data"): "misaligned loads and stores without a trap"}
"""Tests of what the ISA leaves open: they end with an exception on a core that lacks it."""
_EXCEPTION = 1337
"""What the environment puts into the number of a test that met an exception it does not expect."""


@dataclass(frozen=True)
class Test:
    """A test: the set it is in, its name there, and its program."""

    group: str
    name: str
    elf: Path

    @property
    def node(self) -> str:
        """Its name as that of a node."""
        return f"{self.group}_p_{self.name}"


def letters_of(misa: int) -> str:
    """Return the letters of the extensions in a misa register."""
    return "".join(chr(ord("A") + bit) for bit in range(26) if misa >> bit & 1)


def runnable(letters: str) -> dict[str, bool]:
    """Tell of each set whether a core with these extensions has what it tests."""
    return {group: letter in letters for group, letter in SETS.items()}


def tests(clone: Path, groups: Sequence[str], out: Path) -> list[Test]:
    """Build every test of some sets.

    Raises:
        ExperimentError: a folder is missing, or a test is not compiled.
    """
    environment = clone / "env/p"
    if not (environment / "link.ld").is_file():
        raise ExperimentError(f"{environment}: found no link.ld, expected riscv-test-env in env.")
    flags = "-march=rv64g -mabi=lp64d -static -mcmodel=medany -fvisibility=hidden -nostdlib"
    command: list[str | Path] = ["riscv64-unknown-elf-gcc", *flags.split(), "-nostartfiles"]
    command += ["-I", environment, "-I", clone / "isa/macros/scalar", "-T", environment / "link.ld"]
    found = []
    for group in groups:
        for source in sorted((clone / "isa" / group).glob("*.S")):
            elf = out / f"{group}-p-{source.stem}"
            done = subprocess.run(
                [*command, source, "-o", elf], capture_output=True, text=True, check=False
            )
            if done.returncode != 0:
                raise ExperimentError(f"{source}: {done.stderr[-2000:]}")
            found.append(Test(group, source.stem, elf))
    return found


def ending(node: dict[str, Any]) -> str:
    """Say how a node ended whose test did not pass; its exit code holds the number of the case."""
    code = node["exit_code"]
    if code is None:
        return str(node["message"]) or "it did not end"
    if _is_exception(code):
        return f"an exception that it does not expect (code {code})"
    return f"case {code} failed"


def excuse(test: Test, node: dict[str, Any]) -> str | None:
    """Return what the core need not have, where a test did not pass only for that."""
    lacks = OPTIONAL.get((test.group, test.name))
    return lacks if lacks and _is_exception(node["exit_code"]) else None


def _is_exception(code: int | None) -> bool:
    bits = _EXCEPTION >> 1
    return code is not None and code & bits == bits
