# SPDX-License-Identifier: BSD-3-Clause
"""What drives a design's inputs when the generated engine is trained without a blade around it.

Either a file of the user's or random inputs by a seed. A process of its own runs it on the
profiling model, since a file of the user's may do anything:

    python -m goldengate.stimulus MODEL.so (random SEED | file FILE)

The reset input is active for the first 16 cycles. The same design, seed and file give the same
profile on every machine.
"""

from __future__ import annotations

import csv
import random
import runpy
import subprocess
import sys
import traceback
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from firesim_common.tools import python_command
from firesim_common.watch import begin, watched

from goldengate.errors import GoldenGateError, nearest
from goldengate.harness import RESET_CYCLES, Model
from goldengate.manifest import Manifest

RANDOM, FILE = "random", "file"
SCRIPT, TABLE = SUFFIXES = (".py", ".csv")
LEAST_CYCLES = 1_000
"""A file of the user's that drives fewer shows too little."""
INTERVAL_CYCLES = 13
"""Between two samples; prime, so that what repeats is not always seen at one point."""
PHASES, PHASE_CYCLES = 80, 256
"""Random inputs: in each phase every input has a manner of its own."""
_HOLDS = (1, 1, 4, 16)
"""Cycles for which an input keeps its value on average, by phase."""
_CHANCES = (0.02, 0.1, 0.5, 0.9, 0.98)
"""Of a one in an input of one bit."""


@dataclass(frozen=True)
class Stimulus:
    """A training for goldengate.compile_request: call it with model folder and profile folder."""

    kind: str
    """RANDOM or FILE."""
    argument: str
    """The seed, or the path of the file."""

    def __str__(self) -> str:
        """Say what it is, for people."""
        if self.kind == RANDOM:
            return f"random inputs, seed {self.argument}"
        return Path(self.argument).name

    def __call__(self, model: Path, profile: Path) -> None:
        """Drive the profiling model in folder `model`; what it sees goes into folder `profile`.

        Raises:
            GoldenGateError: the file of the user's failed; the message says where.
        """
        words = (model / "model.so", self.kind, self.argument)
        environment = {
            **watched(),
            "FIRESIM_PROFILE_DIRECTORY": str(profile),
            "FIRESIM_PROFILE_INTERVAL": str(INTERVAL_CYCLES),
        }
        done = subprocess.run(
            python_command("-m", "goldengate.stimulus", *words),
            env=environment,
            stdin=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
        if done.returncode != 0:
            said = done.stderr.strip().splitlines()
            text = said[-1] if said else f"ended with exit status {done.returncode}"
            raise GoldenGateError(f"training: {text}")


def random_inputs(seed: int) -> Stimulus:
    """Return a training with random inputs."""
    return Stimulus(RANDOM, str(seed))


def from_file(file: Path) -> Stimulus:
    """Return a training with a script (.py) or a table (.csv) of a user.

    Raises:
        GoldenGateError: there is no such file, or it is neither.
    """
    if file.suffix not in SUFFIXES:
        raise GoldenGateError(
            f'found "{file}", expected a file that ends in {" or ".join(SUFFIXES)}.'
        )
    if not file.is_file():
        raise GoldenGateError(f'found "{file}", expected a file that exists.')
    return Stimulus(FILE, str(file.absolute()))


class _Manner:
    """How one input is drawn in one phase."""

    def __init__(self, draw: random.Random, width: int) -> None:
        self.draw = draw
        self.width = width
        self.chance = draw.choice(_CHANCES)
        self.kind = draw.choice(("words", "words", "few", "small", "ends"))
        self.few = [draw.getrandbits(width) for _ in range(8)]

    def value(self) -> int:
        """Return the next value."""
        if self.width == 1:
            return int(self.draw.random() < self.chance)
        if self.kind == "few":
            return self.draw.choice(self.few)
        if self.kind == "small":
            return self.draw.getrandbits(min(self.width, 4))
        if self.kind == "ends":
            return self.draw.choice((0, (1 << self.width) - 1, self.draw.getrandbits(self.width)))
        return self.draw.getrandbits(self.width)


def random_rows(widths: dict[str, int], seed: int) -> Iterator[dict[str, int]]:
    """Yield for each cycle the inputs that are drawn again, after the reset."""
    draw = random.Random(seed)
    for phase in range(PHASES):
        manners = {name: _Manner(draw, width) for name, width in widths.items()}
        again = 1 / _HOLDS[phase % len(_HOLDS)]
        for cycle in range(PHASE_CYCLES):
            yield {
                name: manner.value()
                for name, manner in manners.items()
                if cycle == 0 or again == 1 or draw.random() < again
            }


def _drive_randomly(model: Model, reset: str, seed: int) -> None:
    """Run random inputs, with a reset before a quarter of the phases, lest the design be stuck.

    A design without inputs runs by itself.
    """
    inputs = {name: width for name, (width, is_input) in model.ports.items() if is_input}
    inputs.pop(reset, None)
    if not inputs:
        model.reset(name=reset)
        model.advance(PHASES * PHASE_CYCLES)
        return
    for cycle, row in enumerate(random_rows(inputs, seed)):
        if cycle % (4 * PHASE_CYCLES) == 0:
            model.reset(name=reset)
        for name, value in row.items():
            model[name] = value
        model.advance()


def _drive_by_table(model: Model, file: Path) -> None:
    """Run the rows of a table, whose head names inputs, one a cycle.

    Raises:
        GoldenGateError: something in it is no input or no number.
    """
    with file.open(newline="", errors="replace") as stream:
        rows = csv.reader(stream)
        names = [name.strip() for name in next(rows, [])]
        inputs = [name for name, (_, is_input) in model.ports.items() if is_input]
        for name in names:
            if name not in inputs:
                text = f'found the input "{name}"{nearest(name, inputs)}, expected one of the top.'
                raise GoldenGateError(f"{file}:1: {text}")
        for line, row in enumerate(rows, start=2):
            if not row:
                continue
            try:
                values = [int(cell.strip(), 0) for cell in row]
                for name, value in zip(names, values, strict=True):
                    model[name] = value
            except (ValueError, GoldenGateError) as error:
                raise GoldenGateError(
                    f"{file}:{line}: found no value for each of the {len(names)} inputs ({error}), "
                    f"expected numbers such as 12 or 0x1f."
                ) from error
            model.advance()


def _drive_by_script(model: Model, file: Path) -> None:
    """Call `train(model)` of a script.

    Raises:
        GoldenGateError: it has no such function, or raised something; the message says where.
    """
    try:
        train = runpy.run_path(str(file)).get("train")
        if not callable(train):
            raise GoldenGateError(f"{file}: found no function train(model), expected one.")
        train(model)
    except GoldenGateError:
        raise
    except Exception as error:
        lines = [one.lineno for one in traceback.extract_tb(error.__traceback__)
                 if one.filename == str(file)]  # fmt: skip
        line = f":{lines[-1]}" if lines else ""
        raise GoldenGateError(f"{file}{line}: {type(error).__name__}: {error}") from error


def drive(library: Path, kind: str, argument: str) -> None:
    """Run a stimulus on a model.

    Raises:
        GoldenGateError: the file of the user's is not right.
    """
    reset = Manifest.read(library.parent).reset
    with Model(library) as model:
        if kind == RANDOM:
            _drive_randomly(model, reset, int(argument))
            return
        file = Path(argument)
        model.reset(name=reset)
        (_drive_by_script if file.suffix == SCRIPT else _drive_by_table)(model, file)
        if (driven := model.cycle - RESET_CYCLES) < LEAST_CYCLES:
            raise GoldenGateError(
                f"{file}: found {driven:,} cycles, expected at least {LEAST_CYCLES:,}."
            )


if __name__ == "__main__":
    begin()
    try:
        drive(Path(sys.argv[1]), *sys.argv[2:])
    except GoldenGateError as failure:
        sys.exit(str(failure))
