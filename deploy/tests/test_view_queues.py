# SPDX-License-Identifier: BSD-3-Clause
"""Queues of a switch on the live page: two senders to one receiver fill the queue to it."""

from __future__ import annotations

from pathlib import Path

from firesim.view.viewed import ViewedRun

from regression.support.live_page import going, until

RECEIVER = "00:12:6D:00:00:04"
CONFIG = """\
system:
  topology: rack_3
  link: {latency_cycles: 100}
  node: {blade: traffic, traffic: SENDER}
  nodes: {node2: {traffic: IDLE}}
simulation: {threads: 1, status_interval_s: 0.05, max_cycles: 40000000000}
"""


def test_the_fullest_queue_of_a_switch_is_shown(tmp_path: Path, results_root: Path) -> None:
    sender, idle = tmp_path / "sender.traffic", tmp_path / "idle.traffic"
    sender.write_text(f"0 {RECEIVER} 1500 repeat 4000000000 20\n")
    idle.write_text("# sends nothing\n")
    config = CONFIG.replace("SENDER", str(sender)).replace("IDLE", str(idle))
    folder = tmp_path / "run"
    with going(folder, config):
        viewed = ViewedRun(folder)
        until(lambda: max(viewed.state().queues, default=0) > 0.5, "a full queue")
        queues = viewed.state().queues
    assert sorted(queues)[:3] == [-1, -1, -1] and 0.5 < max(queues) <= 1
