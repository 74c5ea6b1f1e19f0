# SPDX-License-Identifier: BSD-3-Clause
"""A reset of a board's function, cycle by cycle: what it waits for, and what it does not."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import goldengate
from goldengate.channels import RTL
from goldengate.harness import Model

QUIET, PATIENCE = 8, 64
"""Cycles: without anything on its way, and that an access of the shell is waited for."""
SEEN = 2
"""Cycles until the reset has seen what waits no more."""


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Compile the module with short times."""
    return goldengate.compile(
        [RTL / "firesim_function_reset.v"],
        "firesim_function_reset",
        tmp_path_factory.mktemp("reset") / "model",
        parameters={"LOG_QUIET": "3", "LOG_PATIENCE": "6"},
    )


class Function:
    """A function's reset, and what it said in the last cycle."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.step(4)

    def step(self, cycles: int = 1, **values: int) -> dict[str, int]:
        """Set inputs for good, and return the outputs after so many cycles."""
        for name, value in values.items():
            self.model[name] = value
        said: dict[str, int] = {}
        for _ in range(cycles):
            said = self.model.step()
        return {name: said[name] for name in ("closes", "restarts", "done")}

    def cycles_until(self, name: str, most: int = 200, **values: int) -> int:
        """Return after how many cycles an output is 1, `most` if it is not."""
        return next((n for n in range(1, most) if self.step(**values)[name]), most)


@pytest.fixture
def function(library: Path) -> Iterator[Function]:
    """Return one whose host is up, and which nobody has asked for anything."""
    with Model(library / "model.so") as model:
        model["is_up"] = 1
        yield Function(model)


OPEN = {"closes": 0, "restarts": 0, "done": 0}
CLOSED = {"closes": 1, "restarts": 0, "done": 0}


def test_a_reset_closes_restarts_and_is_done_for_as_long_as_it_is_asked(
    function: Function,
) -> None:
    assert function.step(20) == OPEN
    assert function.step(2, asked=1) == CLOSED
    assert function.cycles_until("restarts") == QUIET
    assert function.step(QUIET - 1) == {"closes": 1, "restarts": 1, "done": 0}
    assert function.step(20, is_up=0) == OPEN  # Open again, and the host is not back.
    assert function.cycles_until("done", is_up=1) == 2
    assert function.step(50) == {**OPEN, "done": 1}
    assert function.step(2, asked=0) == OPEN
    assert function.cycles_until("closes", asked=1) == 2


def test_it_waits_for_an_access_of_the_shell_until_the_shell_has_given_it_up(
    function: Function,
) -> None:
    function.step(shell_waits=1)
    assert function.step(2, asked=1) == CLOSED
    assert function.step(PATIENCE // 2) == CLOSED
    assert function.cycles_until("restarts", shell_waits=0) == QUIET + SEEN
    function.step(100, asked=0)
    function.step(shell_waits=1)
    assert function.step(2, asked=1) == CLOSED
    assert function.cycles_until("restarts") == PATIENCE - 1 + QUIET


def test_it_waits_for_a_memory_as_long_as_it_takes(function: Function) -> None:
    function.step(memory_waits=1)
    function.step(2, asked=1)
    for _ in range(4):  # Quiet for a while only.
        assert function.step(QUIET - 2, memory_waits=0) == CLOSED
        assert function.step(PATIENCE, memory_waits=1) == CLOSED
    assert function.cycles_until("restarts", memory_waits=0) == QUIET + SEEN


def test_a_reset_of_the_board_ends_it(function: Function) -> None:
    assert function.step(2, asked=1) == CLOSED
    assert function.step(2, reset=1) == OPEN
    assert function.step(20) == OPEN
