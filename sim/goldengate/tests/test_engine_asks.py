# SPDX-License-Identifier: BSD-3-Clause
"""Which flags are asked for at once, and that it makes no difference to what a model does."""

from __future__ import annotations

from pathlib import Path

import pytest

from goldengate.engine import asks, items
from goldengate.engine.emit import Emitter
from goldengate.engine.fold import Folding, fold, single
from goldengate.engine.profile import Profile
from goldengate.engine.zones import pieces
from goldengate.tests.designs import seed
from goldengate.tests.engine_designs import (
    design,
    random_text,
    same_as_untrained,
    values_read,
)

SAMPLES = 64
EVERY = (1 << SAMPLES) - 1


def _emitter(folding: Folding) -> Emitter:
    return Emitter(folding, pieces(folding, 3))


def _profile(emitter: Emitter, changed: int) -> Profile:
    return Profile(SAMPLES, dict.fromkeys(values_read(emitter.items), changed))


def _random_emitter() -> Emitter:
    return _emitter(single(items.collect(design(random_text(1)))))


def test_what_seldom_runs_is_asked_for_by_the_word() -> None:
    emitter = _random_emitter()
    found = asks.together(emitter, _profile(emitter, changed=1))
    assert [index for one in found for index in one] == list(range(len(emitter.zones)))
    singles = sum(len(one) == 1 for one in found)
    assert singles == len(emitter.zones) % asks.WORD
    assert {len(one) for one in found} <= {1, asks.WORD}


def test_what_always_runs_is_asked_for_singly() -> None:
    emitter = _random_emitter()
    found = asks.together(emitter, _profile(emitter, changed=EVERY))
    assert found == emitter.asks
    assert all(len(one) == 1 for one in found)


def test_words_are_of_one_module() -> None:
    found = items.collect(design(random_text(1, cores=2)))
    emitter = _emitter(fold(found, least_saved=1, least_state=1))
    words = [one for one in asks.together(emitter, _profile(emitter, 1)) if len(one) > 1]
    modules = [{emitter.zones[index].module for index in one} for one in words]
    assert {0} in modules
    assert all(len(of_word) == 1 for of_word in modules)


@pytest.mark.parametrize("shared", [False, True])
def test_a_zone_wakes_later_ones_of_its_own_word(tmp_path: Path, shared: bool) -> None:
    def by_the_word(folding: Folding) -> Emitter:
        if shared:
            folding = fold(folding.found, least_saved=1, least_state=1)
        emitter = Emitter(folding, pieces(folding, 1))
        emitter.asks = asks.together(emitter, _profile(emitter, changed=0))
        assert any(len(one) == asks.WORD for one in emitter.asks)
        return emitter

    same_as_untrained(random_text(seed(), cores=2), tmp_path, by_the_word, cycles=60)
