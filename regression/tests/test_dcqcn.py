# SPDX-License-Identifier: BSD-3-Clause
"""The reference of DCQCN: its file for the Chisel test, and how far it is from exact fractions."""

from __future__ import annotations

import os
import random

from regression.support.dcqcn import ALPHA_ONE, ROUND_CYCLES, ExactRates, ReactionPoint, Settings
from regression.support.dcqcn_replay import FIRST_QP, READING_CYCLES, disagreements
from regression.support.dcqcn_schedule import FILE, lines
from regression.support.rdma_incast import Depth, Sample, fairness, percentile


def test_the_file_of_the_chisel_test_is_the_references() -> None:
    assert FILE.read_text().splitlines() == lines()


def test_notifications_of_the_paper_without_pause() -> None:
    point = ReactionPoint(Settings())
    point.round(True, 0)
    assert point.shown() == (102_400, 204_800, ALPHA_ONE, 0, 0)
    point.round(True, 0)
    assert point.shown() == (51_200, 102_400, ALPHA_ONE, 0, 0)
    for _ in range(176_000 // ROUND_CYCLES):
        point.round(False, 0)
    assert point.shown() == (76_800, 102_400, ALPHA_ONE * 255 // 256, 1, 0)


def test_recovery_then_additive_then_hyper_increase() -> None:
    settings = Settings(64, 64_000, 64, 1_000, recoveries=3, additive_mbps=10, hyper_mbps=1_000)
    point = ReactionPoint(settings)
    for _ in range(3):
        point.round(True, 0)
    targets = []
    for _ in range(5):
        point.round(False, 0)
        targets.append(point.target_mbps)
    assert targets == [51_200, 51_200, 51_200, 51_210, 51_220]
    point = ReactionPoint(Settings(64, 64_000, 64 * 2, 1_000, recoveries=1, hyper_mbps=1_000))
    for _ in range(3):
        point.round(True, 0)
    for _ in range(4):
        point.round(False, 1_000)
    assert (point.timer_steps, point.byte_steps, point.target_mbps) == (2, 2, 52_240)


def test_whole_numbers_stay_close_to_the_published_rules() -> None:
    seed = int(os.environ.get("FIRESIM_TEST_SEED", random.SystemRandom().getrandbits(32)))
    print(f"FIRESIM_TEST_SEED={seed}")
    chance = random.Random(seed)
    settings = Settings(64, 64, 64, 0, least_mbps=1, additive_mbps=0)
    point, exact = ReactionPoint(settings), ExactRates(settings)
    for _ in range(400):
        notified = chance.random() < 0.05
        if not point.active and not notified:
            continue
        point.round(notified, 0)
        if notified:
            exact.notify()
        else:
            exact.rest()
            exact.recover()
        assert abs(point.rate_mbps - exact.rate) <= 3 + exact.rate / 1_000
        assert abs(point.alpha - exact.alpha * ALPHA_ONE) <= 256


def test_samples_are_compared_with_the_notifications() -> None:
    settings, notified = Settings(), [1_000, 200_000]
    looked = 1_001 + FIRST_QP
    before, after = (204_800, 204_800, ALPHA_ONE), (102_400, 204_800, ALPHA_ONE)
    right = [
        Sample(looked - READING_CYCLES, 0, *before),
        Sample(looked + 1, 0, *after),
        Sample(210_000, 0, *after_two(settings, 200_000 - 1_000)),
    ]
    assert disagreements(settings, notified, 0, right) == []
    wrong = [Sample(looked - READING_CYCLES - 1, 0, *after), Sample(looked + 1, 0, *before)]
    assert disagreements(settings, notified, 0, wrong) == wrong


def after_two(settings: Settings, second: int) -> tuple[int, int, int]:
    """Return what is shown after a notification and another one, `second` cycles later."""
    point = ReactionPoint(settings)
    point.round(True, 0)
    for _ in range(second // ROUND_CYCLES):
        point.round(False, 0)
    point.round(True, 0)
    return point.rate_mbps, point.target_mbps, point.alpha


def test_figures_of_an_incast() -> None:
    assert fairness([5, 5, 5]) == 1 and abs(fairness([1, 0, 0]) - 1 / 3) < 1e-9
    assert percentile(range(100), 0.9) == 90
    depth = Depth([10, 20, 30], [100, 300, 0])
    assert [depth.at(cycle) for cycle in (9, 10, 29, 30)] == [0, 100, 300, 0]
