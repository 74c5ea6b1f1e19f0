# SPDX-License-Identifier: BSD-3-Clause
"""The state of a compiled model: saved and loaded at random cycles, it goes on unchanged."""

from __future__ import annotations

import random
from pathlib import Path

import goldengate
from goldengate.harness import Model
from goldengate.tests.designs import seed, top, write
from goldengate.tests.test_models import EVERYTHING

CYCLES = 400


def _run(model: Model, inputs: list[dict[str, int]], first: int) -> list[dict[str, int]]:
    return [model.step(values) for values in inputs[first:]]


def test_going_on_equals_never_stopping(tmp_path: Path) -> None:
    """Every kind of register, memory, latch and clock, and one with held inputs."""
    number = seed()
    generator = random.Random(number)
    held = "always @(posedge clock) y <= reset ? 8'd0 : y + x;"
    for name, body in (("everything", EVERYTHING), ("held", held)):
        folder = tmp_path / name
        folder.mkdir()
        library = goldengate.compile([write(folder, top(body))], "Top", folder / "out") / "model.so"
        inputs = [
            {"x": generator.getrandbits(8), "reset": int(cycle < 16)} for cycle in range(CYCLES)
        ]
        with Model(library) as model:
            whole = _run(model, inputs, 0)
        for stop in [0, 1, *generator.sample(range(2, CYCLES), 8)]:
            with Model(library) as first, Model(library) as second:
                for values in inputs[:stop]:
                    first.step(values)
                state = first.save()
                assert second.load(state)
                assert _run(second, inputs, stop) == whole[stop:], f"seed {number}, cycle {stop}"
                assert _run(first, inputs, stop) == whole[stop:], "saving changed the model"
                assert not second.load(state[:-1])
                assert not second.load(b"")
