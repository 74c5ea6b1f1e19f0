# SPDX-License-Identifier: BSD-3-Clause
"""How `firesim build verilog` trains the generated engine, and what it says of that."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from firesim_common.progress import Step
    from goldengate import Manifest
    from goldengate.stimulus import Stimulus

OFF, RANDOM = "off", "random"
TrainingOption = Annotated[
    str,
    typer.Option(
        metavar="random|off|FILE",
        help="What shows the generated engine which logic is active when: random inputs; a script "
        "(.py) with a function train(model), or a table (.csv) of inputs by cycle; or nothing. "
        "It changes the model's speed and nothing else.",
    ),
]
SeedOption = Annotated[int, typer.Option(min=0, help="Seed of random inputs.")]


def training_of(given: str, seed: int, target: str, engine: str) -> Stimulus | None:
    """Return what the model is trained with; None for a form that is not trained, or for `off`.

    Raises:
        InputError: it is no file of a kind that is known, or says how to train what is not.
    """
    from firesim_common.errors import InputError
    from goldengate.errors import GoldenGateError
    from goldengate.stimulus import from_file, random_inputs

    if given == OFF:
        return None
    if target != "cpu" or engine == "verilator":
        if given == RANDOM:
            return None
        what = f"--target {target}" if target != "cpu" else f"--engine {engine}"
        raise InputError(
            f"--training: found it with {what}, which is not trained, expected neither of them, "
            f'or "{OFF}".'
        )
    if given == RANDOM:
        return random_inputs(seed)
    try:
        return from_file(Path(given))
    except GoldenGateError as error:
        raise InputError(f'--training: {error} Else "{RANDOM}" or "{OFF}".') from error


@contextmanager
def saying_time(training: Stimulus | None) -> Iterator[None]:
    """Say on stderr how long training took, when it is over."""
    from firesim_common.progress import listening

    def told(step: Step, is_over: bool) -> None:
        if is_over and step.what.startswith("training "):
            typer.echo(f"training: {training}, took {step.spent_s:.1f} s.", err=True)

    with listening(told):
        yield


def say_engine(manifest: Manifest, training: Stimulus | None) -> None:
    """Say on stderr which engine was taken for a model, how it was cut, and why."""
    from goldengate.engine.backend import WHOLE_ITEMS

    used = manifest.engine
    if used is None:
        return
    if used.not_generated is not None:
        typer.echo(f"engine: Verilator, since {used.not_generated}.", err=True)
    elif used.trained is not None:
        typer.echo(f"engine: generated, {used.trained}.", err=True)
    else:
        why = f"a busy design of up to {WHOLE_ITEMS:,} items is faster with it, without training"
        typer.echo(f"engine: generated, since {why}.", err=True)
    if training is None:
        typer.echo(
            "training: none (--training off); it may make a design up to twice as fast.", err=True
        )
