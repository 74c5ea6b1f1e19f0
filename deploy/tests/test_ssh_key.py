# SPDX-License-Identifier: BSD-3-Clause
"""Nodes that the gateway leads to by ssh are given the user's key, and no others."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from firesim.build.ssh_key import public_key
from firesim.pipeline.load import load_text
from firesim.pipeline.resolve import resolve
from firesim.prepare.kernel_words import kernel_words


def words(gateway: str) -> list[list[str]]:
    system = f"system: {{topology: two_nodes, gateway: {gateway}}}\n"
    text = (
        f"{system}workload: {{node: {{linux: linux-base}}}}\nsimulation: {{engine: functional}}\n"
    )
    plan = resolve(load_text(text, name="ssh"))
    found = [kernel_words(plan, node) for node in plan.nodes]
    return [[word for word in node if word.startswith("firesim.ssh=")] for node in found]


@pytest.mark.skipif(not shutil.which("ssh-keygen"), reason="no ssh-keygen")
def test_each_node_behind_the_gateway_gets_the_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FIRESIM_CACHE", str(tmp_path))
    key = public_key().read_text().split()[1]
    assert words("{}") == [[f"firesim.ssh={key}"]] * 2
    assert words("{mode: tap, device: tap0}") == [[f"firesim.ssh={key}"]] * 2
    one = "{ssh: false, forwards: [{node: node1, port: 22}, {node: node0, port: 80}]}"
    assert words(one) == [[], [f"firesim.ssh={key}"]]


def test_no_gateway_or_no_ssh_means_no_key() -> None:
    assert words("null") == [[], []]
    assert words("{ssh: false}") == [[], []]
    assert words("{ssh: false, mode: tap, device: tap0}") == [[], []]
