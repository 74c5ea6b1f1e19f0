# SPDX-License-Identifier: BSD-3-Clause
"""Helpers of the tests: write a design to a file, run the passes, drive models."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import goldengate
from goldengate import Event, GoldenGateError, Request

PORTS = "input logic clock, input logic reset, input logic [7:0] x, output logic [7:0] y"


def top(body: str, ports: str = PORTS) -> str:
    """Return a module `Top` with the usual ports on line 1 and the body from line 2 on."""
    return f"module Top({ports});\n{body}\nendmodule\n"


def seed() -> int:
    """Return the seed of a random test: FIRESIM_TEST_SEED, or a fixed one; print it."""
    value = int(os.environ.get("FIRESIM_TEST_SEED", "1"))
    print(f"replay with FIRESIM_TEST_SEED={value}")
    return value


def write(folder: Path, text: str, name: str = "top.sv") -> Path:
    """Write a source file and return its path."""
    path = folder / name
    path.write_text(text)
    return path


def lower(folder: Path, text: str, *, target: str = "cpu", **options: Any) -> dict[str, Any]:
    """Run all passes on one file and return the manifest; results are in folder/out."""
    source = write(folder, text)
    request = Request([str(source)], "Top", str(folder / "out"), target=target, **options)
    return goldengate.lower(request).to_json()


def refusal(folder: Path, text: str, **options: Any) -> str:
    """Return the message with which a design is refused, the folder's name taken out."""
    try:
        lower(folder, text, **options)
    except GoldenGateError as error:
        return str(error).replace(f"{folder}/", "")
    raise AssertionError("the design was accepted")


def verilog(folder: Path, name: str = "target.v") -> str:
    """Return a file the back end wrote."""
    return (folder / "out" / name).read_text()


def names(entries: list[dict[str, Any]], key: str = "name") -> list[Any]:
    """Return one field of every entry."""
    return [entry[key] for entry in entries]


__all__ = ["Event", "lower", "names", "refusal", "seed", "top", "verilog", "write"]
