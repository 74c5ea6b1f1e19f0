# SPDX-License-Identifier: BSD-3-Clause
"""Packages: bad names are refused, a set resolves the same twice, shared libraries are followed."""

from __future__ import annotations

import shutil
import socket
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
from firesim_software.linux import LinuxError, describe, locked, packages, workloads
from firesim_software.linux.rootfs import package_names


def why_no_lists() -> str:
    """Return why apt cannot resolve a set that is not locked, "" when it can."""
    if not shutil.which("apt-get"):
        return "no apt-get"
    try:
        packages.resolve(["nuttcp"])
    except LinuxError as error:
        return f"no lists of packages: {error}"[:200]
    return ""


def why_no_mirror() -> str:
    """Return why no package can be fetched, "" when one can."""
    try:
        socket.create_connection(("deb.debian.org", 80), timeout=3).close()
    except OSError as error:
        return f"no mirror: {error}"
    return ""


@pytest.fixture
def lists() -> None:
    """Skip a test where there are no lists; found out when it runs, not by all that collect it."""
    if why := why_no_lists():
        pytest.skip(why)


@pytest.fixture
def mirror() -> None:
    """Skip a test where no package can be fetched."""
    if why := why_no_mirror():
        pytest.skip(why)


needs_lists, needs_mirror = pytest.mark.usefixtures("lists"), pytest.mark.usefixtures("mirror")


def test_lists_are_fetched_once_for_all_that_ask(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each as a process does: by its own description of the lock's file."""
    fetched: list[Path] = []

    def fetch(root: Path) -> None:
        fetched.append(root)
        time.sleep(0.2)
        (root / "lists").mkdir()

    monkeypatch.setenv("FIRESIM_CACHE", str(tmp_path))
    monkeypatch.setattr(packages, "_fetch_lists", fetch)
    with ThreadPoolExecutor(4) as pool:
        (root,) = {one.result() for one in [pool.submit(packages._lists) for _ in range(4)]}
    assert len(fetched) == 1
    assert (root / "lists").is_dir()
    assert f'Dir "{root}' in (root / "apt.conf").read_text()


def test_the_packages_of_every_workload_are_locked() -> None:
    for name in workloads():
        names = package_names(describe(name))
        found = locked.locked(names) if names else []
        assert found is not None, f"{name}: run python -m firesim_software.linux lock"
        assert set(names) <= {package.name for package in found}


@needs_mirror
def test_a_locked_set_is_what_is_resolved() -> None:
    assert packages.resolve(["busybox-static"]) == locked.locked(["busybox-static"])


@needs_mirror
def test_what_the_mirror_has_no_more_comes_from_the_archive() -> None:
    (now,) = locked.locked(["busybox-static"]) or []
    gone = replace(now, uri=f"{now.uri}.gone", archived=now.uri)
    assert packages.fetch(gone).read_bytes() == packages.fetch(now).read_bytes()
    nowhere = replace(gone, uri=f"{now.uri}.nowhere", archived=f"{now.uri}.gone")
    with pytest.raises(LinuxError, match="apt-helper failed"):
        packages.fetch(nowhere)


@pytest.mark.parametrize("name", ["-oX=y", "a", "Nuttcp", "nut tcp", ""])
def test_a_bad_name_is_refused(name: str) -> None:
    with pytest.raises(LinuxError, match="expected the name of a Debian package"):
        packages.check_names([name])


@needs_lists
def test_an_unknown_package_is_named() -> None:
    with pytest.raises(LinuxError, match='found "no-such-program", expected a package of Debian'):
        packages.resolve(["nuttcp", "no-such-program"])


@needs_mirror
def test_a_small_root_holds_the_program_and_what_it_links_to(tmp_path: Path) -> None:
    names = ["busybox-static", "nuttcp"]
    found = packages.install_small(names, tmp_path)
    assert found == packages.resolve(names)
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


@pytest.mark.skipif(not shutil.which("riscv64-linux-gnu-gcc"), reason="no cross compiler")
def test_a_library_may_be_beside_the_module_that_needs_it(tmp_path: Path) -> None:
    own = tmp_path / "usr/lib/own"
    own.mkdir(parents=True)
    command = ["riscv64-linux-gnu-gcc", "-shared", "-nostdlib", "-x", "c", "/dev/null"]
    for name, needs in (("part.so", []), ("module.so", ["-x", "none", "part.so"])):
        linked = [*command, f"-Wl,-soname,{name}", "-Wl,--no-as-needed", *needs, "-o", name]
        subprocess.run(linked, cwd=own, check=True)
    found = packages.libraries(tmp_path, [Path("usr/lib/own/module.so")])
    assert found == [Path("usr/lib/own/part.so")]
    (own / "part.so").unlink()
    with pytest.raises(LinuxError, match=r"found no part\.so"):
        packages.libraries(tmp_path, [Path("usr/lib/own/module.so")])
