# SPDX-License-Identifier: BSD-3-Clause
"""Both readers of YAML, that in C and that in Python, make the same nodes of what both take."""

from __future__ import annotations

import random
from typing import Any

import pytest
import yaml
from firesim_common import yaml_text
from firesim_common.errors import InputError
from firesim_common.paths import ROOT

FOLDERS = ("deploy", "docs", "regression", "sw", "target-design", "sim")
ODD = " \n:-#[]{},&*|>'\"%@`a0\x00\u2028\\é\r~<"
"""What is put into texts. Within brackets a question mark is plain text for one of them only, and a
tag ends before a comma."""


def _texts() -> list[str]:
    return [file.read_text() for folder in FOLDERS for file in (ROOT / folder).rglob("*.yaml")]


def _tree(node: yaml.Node | None) -> Any:
    """Return tags, lines and values; an empty value may stand before or behind a line's end."""
    if node is None:
        return None
    value: Any = node.value
    if isinstance(node, yaml.SequenceNode):
        value = [_tree(one) for one in node.value]
    elif isinstance(node, yaml.MappingNode):
        value = [(_tree(key), _tree(one)) for key, one in node.value]
    return node.tag, node.start_mark.line if value else None, value


def _slow(text: str) -> Any:
    """Return what the reader in Python makes of it, and nothing if it refuses it."""
    try:
        return _tree(yaml_text._Loader(text).get_single_node())
    except (yaml.YAMLError, ValueError, yaml_text._TooDeepError):
        return "refused"


def test_the_fast_reader_is_the_slow_one() -> None:
    texts = _texts()
    assert len(texts) > 100
    for text in texts:
        assert _tree(yaml_text._FastLoader(text).get_single_node()) == _slow(text)


def test_changed_texts_are_read_alike() -> None:
    seed = random.SystemRandom().getrandbits(32)
    print(f"seed {seed}")
    random_ = random.Random(seed)
    short, read = [text for text in _texts() if len(text) < 1000], 0
    for _ in range(300):
        letters = list(random_.choice(short))
        for _ in range(random_.randint(1, 3)):
            letters[random_.randrange(len(letters))] = random_.choice(ODD)
        text = "".join(letters)
        try:
            node = yaml_text.compose(text, "x.yaml")
        except InputError:
            assert _slow(text) == "refused", text
        else:
            read += 1
            assert _tree(node) == _slow(text), text
    assert read > 30


def test_a_tab_is_no_blank() -> None:
    with pytest.raises(InputError, match=r"x\.yaml:2: not valid YAML: "):
        yaml_text.compose("a: {b: 1,\n\tc: 2}\nd:\t\n", "x.yaml")
