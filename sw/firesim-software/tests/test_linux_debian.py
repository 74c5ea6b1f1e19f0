# SPDX-License-Identifier: BSD-3-Clause
"""The Debian base: its parts come from Debian, and only the owner of the given key may log in."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest
from firesim_software.linux import LinuxError, packages
from firesim_software.linux.debian import BASE, authorize


def test_a_key_is_installed_as_ssh_servers_want_it(tmp_path: Path) -> None:
    key = tmp_path / "key.pub"
    key.write_text("ssh-ed25519 AAAAC3Nza test\n")
    root = tmp_path / "root"
    authorize(root, key)
    authorize(root, key)
    keys = root / "root/.ssh/authorized_keys"
    assert keys.read_text() == key.read_text()
    modes = [stat.S_IMODE(path.stat().st_mode) for path in (keys, keys.parent, root / "root")]
    assert modes == [0o600, 0o700, 0o700]


@pytest.mark.parametrize(
    "text", ["", "-----BEGIN OPENSSH PRIVATE KEY-----\n", "ssh-rsa a\nssh-rsa b\n"]
)
def test_what_is_not_one_public_key_is_refused(tmp_path: Path, text: str) -> None:
    key = tmp_path / "key"
    key.write_text(text)
    with pytest.raises(LinuxError, match="expected one public key for ssh"):
        authorize(tmp_path / "root", key)


def test_the_base_has_names_of_packages_once_each() -> None:
    packages.check_names(BASE)
    assert sorted(set(BASE)) == BASE
