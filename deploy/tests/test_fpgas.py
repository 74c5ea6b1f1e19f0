# SPDX-License-Identifier: BSD-3-Clause
"""Nodes and the FPGAs of a run farm's hosts: which host has which, and who gets it."""

from __future__ import annotations

from pathlib import Path

import pytest
from firesim.bind.fpga_seats import BoardNode, Place, Seat, fpga_places, mapped
from firesim.bitstream.forms import check_board
from firesim.config.bitstream import LoadedBuilds
from firesim.farm.file import FarmFile
from firesim_common.errors import InputError


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "kind: local\nfpgas: 2\nplatform: ulx3s\n",
            [("local0", 0, "ulx3s"), ("local0", 1, "ulx3s")],
        ),
        ("kind: local\nfpgas: 2\n", []),
        (
            "kind: ssh\nhosts:\n  - {address: a, fpgas: 1, platform: u250}\n  - {address: b}\n"
            "  - {address: c, fpgas: 2, platform: u280}\n",
            [("a", 0, "u250"), ("c", 0, "u280"), ("c", 1, "u280")],
        ),
        (
            "kind: slurm\nnodes: 2\nfpgas: 1\nplatform: u200\n",
            [("node 0", 0, "u200"), ("node 1", 0, "u200")],
        ),
        (
            "kind: aws_ec2\nregion: us-east-1\nkey_name: a\nsubnets: [s]\nsecurity_groups: [g]\n"
            "hosts: [{instance_type: f2.12xlarge, count: 2, fpgas: 2, platform: f2}]\n",
            [(f"f2_12xlarge_{host}", index, "f2") for host in (0, 1) for index in (0, 1)],
        ),
    ],
)
def test_the_fpgas_of_a_farm(
    text: str, expected: list[tuple[str, int, str]], tmp_path: Path
) -> None:
    (tmp_path / "lab.yaml").write_text(text)
    found = fpga_places(FarmFile(tmp_path / "lab.yaml").farm)
    assert [(one.host, one.index, one.board) for one in found] == expected


def test_nodes_take_the_first_free_fpga_of_their_board() -> None:
    places = [Place("a", 0, "u250"), Place("b", 0, "u280"), Place("b", 1, "u280")]
    nodes = [BoardNode("n0", "u280"), BoardNode("n1", "u250"), BoardNode("n2", "u280")]
    assert mapped(nodes, places) == {
        "n0": Seat(places[1]),
        "n1": Seat(places[0]),
        "n2": Seat(places[2]),
    }
    assert mapped([BoardNode("n0", "u250"), BoardNode("n1", "u250")], places) == "u250"


def test_nodes_that_are_placed_by_hand_have_theirs_there() -> None:
    places = [Place("a", 0, "u250"), Place("a", 1, "u250"), Place("b", 0, "u250")]
    nodes = [BoardNode("n0", "u250"), BoardNode("n1", "u250")]
    assert mapped(nodes, places, {"n1": "a"}) == {"n0": Seat(places[1]), "n1": Seat(places[0])}
    assert mapped(nodes, places, {"n0": "b", "n1": "b"}) == "u250"


def test_nodes_of_one_bitstream_share_an_fpga_until_it_is_full() -> None:
    places = [Place("a", 0, "f2"), Place("a", 1, "f2"), Place("b", 0, "f2")]
    nodes = [BoardNode(f"n{index}", "f2", "two", 2) for index in range(3)]
    other = BoardNode("n3", "f2", "four", 4)
    assert mapped([nodes[0], other, *nodes[1:]], places) == {
        "n0": Seat(places[0]),
        "n3": Seat(places[1]),
        "n1": Seat(places[0], 1),
        "n2": Seat(places[2]),
    }
    assert mapped([nodes[0], nodes[1]], places, {"n1": "b"}) == {
        "n1": Seat(places[2]),
        "n0": Seat(places[2], 1),
    }
    assert mapped([nodes[0], other, BoardNode("n4", "f2", "one")], places[:2]) == "f2"


def test_each_fpga_has_its_device(tmp_path: Path) -> None:
    (tmp_path / "lab.yaml").write_text(
        "kind: local\nfpgas: 2\nplatform: ulx3s\ndevices: [/dev/ttyUSB0, /dev/ttyUSB4]\n"
    )
    found = fpga_places(FarmFile(tmp_path / "lab.yaml").farm)
    assert [one.device for one in found] == ["/dev/ttyUSB0", "/dev/ttyUSB4"]


@pytest.mark.parametrize(("board", "most"), [("f2", 16), ("u250", 4), ("ulx3s", 1)])
def test_more_blades_than_a_top_takes_are_refused(board: str, most: int, tmp_path: Path) -> None:
    def checked(blades: int) -> None:
        text = f"builds: {{a: {{blade: rocket-1, board: {board}, blades: {blades}}}}}"
        (tmp_path / "builds.yaml").write_text(text)
        check_board(LoadedBuilds(tmp_path / "builds.yaml"), "a")

    checked(most)
    if most < 16:
        said = (
            f"builds.a.blades: found {most + 1}, expected {most} at most: what the top of {board}"
        )
        with pytest.raises(InputError, match=said):
            checked(most + 1)
