# SPDX-License-Identifier: BSD-3-Clause
"""What moves in the drawing of the topology: flits on lines, queues in boxes, who waits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from firesim.report.drawing import Drawn, DrawnLine
from firesim.view.loads import LinkLoad
from firesim.watch.status import ModelStatus

DIGITS = 4


class Moving:
    """Works out what a drawing shows at a moment."""

    def __init__(self, drawn: Drawn) -> None:
        """Take what the boxes and lines of the drawing stand for."""
        self.drawn = drawn
        self._box_of = {name: at for at, box in enumerate(drawn.boxes) for name in box}

    def flows(self, loads: Mapping[str, LinkLoad]) -> list[list[float]]:
        """Return of each line the fullest load from its lower to its higher end, and back."""
        return [_flows(line, loads) for line in self.drawn.lines]

    def queues(self, by_name: Mapping[str, ModelStatus]) -> list[float]:
        """Return of each box how full the fullest queue in it is, -1 where there is no queue."""
        shares = []
        for box in self.drawn.boxes:
            found = [one.queue for name in box if (one := by_name.get(name)) is not None]
            fullest = [queue.fullest for queue in found if queue is not None]
            shares.append(round(max(fullest, default=-1.0), DIGITS))
        return shares

    def pulls(self, models: Sequence[ModelStatus]) -> list[int]:
        """Return of each line 1 if its lower end waits for its higher one, 2 if that for it."""
        waits = set()
        for model in models:
            if model.state == "waiting" and model.waiting_for in self._box_of:
                waits.add((self._box_of.get(model.name), self._box_of[model.waiting_for]))
        return [
            ((line.low, line.high) in waits) + 2 * ((line.high, line.low) in waits)
            for line in self.drawn.lines
        ]


def _flows(line: DrawnLine, loads: Mapping[str, LinkLoad]) -> list[float]:
    up, down = 0.0, 0.0
    for name, is_forward in line.links:
        if (load := loads.get(name)) is not None:
            ahead, back = load.a_to_b, load.b_to_a
            up = max(up, ahead if is_forward else back)
            down = max(down, back if is_forward else ahead)
    return [round(up, DIGITS), round(down, DIGITS)]
