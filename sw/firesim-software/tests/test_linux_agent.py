# SPDX-License-Identifier: BSD-3-Clause
"""The agent's reading of identities, compiled for this machine; and its programs for the target."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from pathlib import Path

import pytest
from elftools.elf.elffile import ELFFile
from firesim_software.linux.agent import FOLDER, agent_programs


class Identity(ctypes.Structure):
    """struct identity of identity.h."""

    _fields_ = [  # noqa: RUF012
        ("name", ctypes.c_char * 65),
        ("ip_text", ctypes.c_char * 19),
        ("mac_text", ctypes.c_char * 18),
        ("ssh_key", ctypes.c_char * 128),
        ("ip", ctypes.c_uint8 * 4),
        ("prefix_bits", ctypes.c_uint32),
        ("mac", ctypes.c_uint8 * 6),
        ("seed", ctypes.c_uint8 * 16),
        ("has_name", ctypes.c_bool),
        ("has_ip", ctypes.c_bool),
        ("has_mac", ctypes.c_bool),
        ("has_seed", ctypes.c_bool),
        ("has_ssh_key", ctypes.c_bool),
    ]


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    out = tmp_path_factory.mktemp("agent") / "identity.so"
    flags = ["-shared", "-fPIC", "-O1", "-Wall", "-Wextra", "-Werror"]
    subprocess.run(["gcc", *flags, "-o", str(out), str(FOLDER / "identity.c")], check=True)
    return ctypes.CDLL(str(out))


def parse(library: ctypes.CDLL, text: str, prefix: str = "") -> Identity | str:
    """The identity, or the key with the bad value."""
    identity, bad = Identity(), ctypes.c_char_p()
    library.parse_identity.restype = ctypes.c_bool
    good = library.parse_identity(
        ctypes.byref(identity), text.encode(), prefix.encode(), ctypes.byref(bad)
    )
    return identity if good else (bad.value or b"").decode()


KEY = "AAAAC3NzaC1lZDI1NTE5AAAAIJ+/8wQ5c6Ds1d1LJzL0Qm2oQf0mVnG3l0bHk1x9aaQ="
SEED = "00112233445566778899aabbccddeeff"


def test_a_frame_s_identity(library: ctypes.CDLL) -> None:
    found = parse(
        library,
        f"mac=00:12:6D:00:00:09\nip=172.16.0.9/16\nname=node7\nindex=7\nseed={SEED}\n",
    )
    assert isinstance(found, Identity)
    assert (found.name, bytes(found.ip), found.prefix_bits) == (b"node7", b"\xac\x10\x00\x09", 16)
    assert bytes(found.mac) == b"\x00\x12\x6d\x00\x00\x09"
    assert bytes(found.seed).hex() == SEED


def test_a_command_line_s_identity(library: ctypes.CDLL) -> None:
    line = "quiet name=other firesim.nodes=8 firesim.ip=10.0.0.1/8 firesim.names=x firesim.name=n"
    line += f" firesim.ssh={KEY}\n"
    found = parse(library, line, "firesim.")
    assert isinstance(found, Identity)
    assert (found.name, found.ip_text, found.prefix_bits) == (b"n", b"10.0.0.1/8", 8)
    assert not found.has_mac and not found.has_seed
    assert found.ssh_key.decode() == KEY
    nothing = parse(library, "quiet", "firesim.")
    assert isinstance(nothing, Identity) and not nothing.has_name and not nothing.has_ip


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("ip=172.16.0.256/16", "ip"),
        ("ip=172.16.0.2", "ip"),
        ("ip=172.16.0.2/33", "ip"),
        ("ip=172.16.0.2/16x", "ip"),
        ("ip=4294967298.16.0.2/16", "ip"),
        ("mac=00:12:6D:00:00:0", "mac"),
        ("mac=00-12-6D-00-00-09", "mac"),
        ("name=" + "x" * 65, "name"),
        ("name=", "name"),
        ("name=a;reboot", "name"),
        ("seed=00", "seed"),
        ("ssh=" + "x" * 128, "ssh"),
        (f"seed={SEED}0", "seed"),
    ],
)
def test_bad_values_are_refused(library: ctypes.CDLL, text: str, key: str) -> None:
    assert parse(library, text) == key


@pytest.mark.skipif(not shutil.which("riscv64-linux-gnu-gcc"), reason="no cross compiler")
def test_the_programs_are_small_and_static_and_hold_the_marker_words() -> None:
    folder = agent_programs()
    for name, word in (("firesim-start-roi", 0x00008013), ("firesim-end-roi", 0x00010013)):
        assert word.to_bytes(4, "little") in (folder / name).read_bytes()
    for program in sorted(Path(folder).iterdir()):
        assert program.stat().st_size < 16_000
        with program.open("rb") as file:
            kinds = {segment["p_type"] for segment in ELFFile(file).iter_segments()}
        assert "PT_INTERP" not in kinds
