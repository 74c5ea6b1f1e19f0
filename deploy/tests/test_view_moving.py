# SPDX-License-Identifier: BSD-3-Clause
"""What moves on the live page: flows with their direction, queues, and who waits for whom."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from firesim.report.drawing import drawn
from firesim.report.network import Network
from firesim.view.loads import LinkLoad
from firesim.view.moving import Moving
from firesim.view.viewed import ViewedRun
from firesim.view.waits import MOST_HOLDERS, chain_words, holders
from firesim.watch.status import ModelStatus, QueueStatus, StatusReader


def _model(name: str, waiting_for: str | None = None) -> ModelStatus:
    state = "waiting" if waiting_for else "running"
    return ModelStatus(name, 5, state, waiting_for, 0, 0)


def _link(name: str, a: str, b: str) -> dict[str, Any]:
    return {"name": name, "a": {"model": a}, "b": {"model": b}, "latency_cycles": 9}


def _star(*links: dict[str, Any]) -> Moving:
    nodes = [{"name": name} for name in ("node0", "node1")]
    description = {"nodes": nodes, "switches": [{"name": "tor0"}], "links": list(links)}
    return Moving(drawn(Network(description)))


def test_flows_have_the_direction_in_which_a_line_is_drawn() -> None:
    moving = _star(_link("up", "node0", "tor0"), _link("down", "tor0", "node1"))
    loads = {"up": LinkLoad(0.7, 0.1), "down": LinkLoad(0.2, 0.6)}
    assert [line.links for line in moving.drawn.lines] == [[("up", True)], [("down", False)]]
    assert moving.flows(loads) == [[0.7, 0.1], [0.6, 0.2]]
    assert moving.flows({}) == [[0, 0], [0, 0]]


def test_a_line_says_which_end_waits() -> None:
    moving = _star(_link("up", "node0", "tor0"), _link("down", "tor0", "node1"))
    models = [_model("node0", "tor0"), _model("tor0", "node1"), _model("node1", "another process")]
    assert moving.pulls(models) == [1, 2]
    assert moving.pulls([_model("node0"), _model("tor0"), _model("node1")]) == [0, 0]


def test_a_box_is_as_full_as_its_fullest_queue() -> None:
    moving = _star(_link("up", "node0", "tor0"), _link("down", "tor0", "node1"))
    by_name = {"tor0": _model("tor0"), "node0": _model("node0")}
    by_name["tor0"].queue = QueueStatus(512, 0.25)
    boxes = ["".join(box) for box in moving.drawn.boxes]
    assert dict(zip(boxes, moving.queues(by_name), strict=True)) == {
        "tor0": 0.25,
        "node0": -1,
        "node1": -1,
    }


def test_who_holds_up_how_many_through_whom() -> None:
    models = [
        _model("a", "hub"),
        _model("b", "hub"),
        _model("hub", "slow"),
        _model("slow"),
        _model("c", "slow"),
        _model("d", "elsewhere"),
        _model("idle"),
    ]
    slow, elsewhere = holders(models)
    assert (slow.name, slow.directly, slow.behind) == ("slow", 2, 4)
    assert slow.chain == ["a", "hub", "slow"]
    assert (elsewhere.name, elsewhere.behind, elsewhere.chain) == (
        "elsewhere",
        1,
        ["d", "elsewhere"],
    )
    assert chain_words(slow.chain) == "a → hub → slow"
    assert chain_words("abcdefghij") == "a → b → c → (4 more) → h → i → j"


def test_a_moment_at_which_models_seem_to_wait_for_each_other_is_shown() -> None:
    (found,) = holders([_model("a", "b"), _model("b", "a")])
    assert (found.behind, sorted(found.chain)) == (2, ["a", "b"])
    many = [_model(f"node{index}", f"slow{index}") for index in range(1000)]
    assert len(holders(many)) == MOST_HOLDERS
    row = [_model(f"n{index}", f"n{index + 1}") for index in range(1024)]
    (end,) = holders(row)
    assert (end.name, end.behind, len(end.chain)) == ("n1024", 1024, 1025)


def test_queues_of_a_status_line_are_read(tmp_path: Path) -> None:
    entry = {"name": "tor0", "cycle": 9, "state": "running", "queue": {"bytes": 64, "fullest": 2}}
    other = {"name": "node0", "cycle": 9, "state": "waiting", "waiting_for": ["a stranger"]}
    file = tmp_path / "status.jsonl"
    file.write_text(json.dumps({"wall_s": 1, "models": [entry, other]}) + "\n")
    status = StatusReader(file).update()
    assert status is not None
    assert [model.queue for model in status.models] == [QueueStatus(64, 1.0), None]
    assert [model.waiting_for for model in status.models] == [None, "['a stranger']"]
    description = {"nodes": [{"name": "node0"}], "switches": [{"name": "tor0"}], "links": []}
    (tmp_path / "description.json").write_text(json.dumps(description))
    state = ViewedRun(tmp_path).state()
    assert sorted(state.queues) == [-1, 1]
