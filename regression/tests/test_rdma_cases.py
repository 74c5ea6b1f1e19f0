# SPDX-License-Identifier: BSD-3-Clause
"""Test-case files of the RDMA NIC: what they say is what the reference would send and answer."""

from __future__ import annotations

from pathlib import Path

import pytest
from firesim_common.errors import InputError

from regression.support.rdma_case_runs import CASES
from regression.support.rdma_cases import (
    FIRST_CYCLE,
    REMOTE_BASE,
    SOURCE,
    SOURCE_PORT,
    TARGET,
    read_case,
)
from regression.support.roce import Message, Responder, frame, requests

FILES = sorted(CASES.glob("*.yaml"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_case_is_read_and_says_what_it_shows(path: Path) -> None:
    case = read_case(path)
    assert case.about.endswith(".")
    lines = case.traffic().splitlines()
    assert len(lines) == len(case.sends) + 1
    cycles = [int(line.split()[0]) for line in lines]
    assert cycles == sorted(cycles) and cycles[0] > FIRST_CYCLE
    assert len(case.answers()) == len(case.expects)
    assert (case.memory_after() != case.memory()) == bool(case.written)


def test_packets_of_a_write_are_the_references() -> None:
    case = read_case(CASES / "write.yaml")
    message = Message(0, 1_001, 0, 1_000, REMOTE_BASE, 0x107, 0)
    data = b"".join(sent.data() for sent in case.sends)
    wanted = [
        frame(packet, SOURCE, TARGET, SOURCE_PORT)
        for packet in requests(message, 0xFFFFFE, case.target.mtu, data)
    ]
    assert [sent.frame() for sent in case.sends] == wanted
    responder = Responder(bytearray(case.memory()), case.target.mtu, iter(()))
    answered = responder.answer(message, 0xFFFFFE, data)
    assert case.answers() == [frame(packet, TARGET, SOURCE, SOURCE_PORT) for packet in answered]
    assert bytes(responder.memory) == case.memory_after()


def test_answers_of_a_read_are_the_references() -> None:
    case = read_case(CASES / "read.yaml")
    message = Message(4, 600, 0, 16, REMOTE_BASE, 0x107, 0)
    responder = Responder(bytearray(case.memory()), case.target.mtu, iter(()))
    answered = responder.answer(message, 0, b"")
    wanted = [frame(packet, TARGET, SOURCE, SOURCE_PORT) for packet in answered]
    assert case.answers()[: len(wanted)] == wanted


def test_a_wrong_icrc_is_all_that_is_wrong() -> None:
    bad = read_case(CASES / "strangers.yaml").sends[2]
    good = bad.model_copy(update={"wrong_icrc": False}).frame()
    assert bad.wrong_icrc and good[:-1] == bad.frame()[:-1] and good[-1] != bad.frame()[-1]


def test_the_sentence_names_the_line(tmp_path: Path) -> None:
    path = tmp_path / "case.yaml"
    path.write_text("about: None.\nsends: []\nexpect: []\n")
    with pytest.raises(InputError, match=r':3: found "expect", expected one of the keys'):
        read_case(path)
