# SPDX-License-Identifier: BSD-3-Clause
"""Packages: bad names are refused, a set resolves the same twice, shared libraries are followed."""

from __future__ import annotations

import shutil
import socket
from pathlib import Path

import pytest
from firesim_software.linux import LinuxError, packages


def has_mirror() -> bool:
    if (packages._apt_root() / "apt.conf").is_file():
        return True
    try:
        socket.create_connection(("deb.debian.org", 80), timeout=3).close()
    except OSError:
        return False
    return True


needs_mirror = pytest.mark.skipif(
    not shutil.which("apt-get") or not has_mirror(), reason="no apt or no mirror"
)


@pytest.mark.parametrize("name", ["-oX=y", "a", "Nuttcp", "nut tcp", ""])
def test_a_bad_name_is_refused(name: str) -> None:
    with pytest.raises(LinuxError, match="expected the name of a Debian package"):
        packages.check_names([name])


@needs_mirror
def test_an_unknown_package_is_named() -> None:
    with pytest.raises(LinuxError, match='found "no-such-program", expected a package of Debian'):
        packages.resolve(["nuttcp", "no-such-program"])


@needs_mirror
def test_a_small_root_holds_the_program_and_what_it_links_to(tmp_path: Path) -> None:
    found = packages.install_small(["nuttcp"], tmp_path)
    assert found == packages.resolve(["nuttcp"])
    assert {"nuttcp", "libc6"} <= {package.name for package in found}
    assert all(package.digest.startswith("SHA256:") for package in found)
    assert (tmp_path / "usr/bin/nuttcp").is_file()
    assert (tmp_path / "lib/ld-linux-riscv64-lp64d.so.1").is_file()  # as programs name it
    libraries = tmp_path / "usr/lib/riscv64-linux-gnu"
    assert sorted(path.name for path in libraries.iterdir()) == [
        "ld-linux-riscv64-lp64d.so.1",
        "libc.so.6",
        "libgcc_s.so.1",
    ]
    assert (tmp_path / "lib").readlink() == Path("usr/lib")
    assert "root:x:0:0" in (tmp_path / "etc/passwd").read_text()
