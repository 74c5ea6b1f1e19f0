# SPDX-License-Identifier: BSD-3-Clause
"""Debian packages for riscv64: resolved by apt in a root of its own, fetched, unpacked.

Nothing of the host's packages is read or changed, and no step needs root. The sets of this
repository's workloads are locked (locked.py). For others the lists are fetched once and kept, so
that the same names give the same packages until `update()` is asked for.
Maintainer scripts are not run; `finish()` does what is needed of them.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from urllib.parse import unquote

from elftools.elf.dynamic import DynamicSection
from elftools.elf.elffile import ELFFile
from firesim_common import locks
from firesim_common.cache import cached
from firesim_common.paths import cache_root

from firesim_software.linux import locked
from firesim_software.linux.errors import LinuxError, run
from firesim_software.linux.locked import MIRROR, Package

SUITE = "trixie"
ARCHITECTURE = "riscv64"
KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg"
UNNEEDED = [f"usr/share/{name}" for name in "doc doc-base man locale info lintian bug".split()]
UNNEEDED += ["usr/include", "usr/lib/systemd", "usr/lib/riscv64-linux-gnu/gconv"]
MERGED = ("bin", "sbin", "lib")
"""Folders that are links to those of the same name in /usr, as everywhere in Debian."""
PASSWD = "root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65534:nobody:/nonexistent:/bin/false\n"
GROUP = "root:x:0:\ntty:x:5:\nnogroup:x:65534:\n"
DEFAULTS = {
    "hosts": "127.0.0.1 localhost\n",
    "nsswitch.conf": "passwd: files\ngroup: files\nshadow: files\nhosts: files\n",
    "shells": "/bin/sh\n/bin/bash\n",
    "fstab": "",
}
LIBRARIES = ("usr/lib/riscv64-linux-gnu", "usr/lib")
LOADER = ("ld-linux-riscv64-lp64d.so.1", "libgcc_s.so.1")
"""Needed without being named: the loader, and what pthread_cancel loads."""
_CONFIGURATION = """\
Dir "{root}";
Dir::Etc "{root}/etc";
Dir::Etc::Parts "{root}/etc/apt.conf.d";
Dir::State "{root}/state";
Dir::State::status "{root}/status";
Dir::State::Lists "{root}/lists";
Dir::Cache "{root}/cache";
Dir::Log "{root}/log";
APT::Architecture "{architecture}";
APT::Architectures {{ "{architecture}"; }};
APT::Sandbox::User "";
APT::Install-Recommends "false";
Acquire::Languages "none";
Acquire::ForceHash "SHA256";
Acquire::Retries "3";
"""


def _apt_root() -> Path:
    return cache_root() / "apt" / f"{SUITE}-{ARCHITECTURE}"


def _environment(root: Path) -> dict[str, str]:
    return {"APT_CONFIG": str(root / "apt.conf"), "LC_ALL": "C"}


def _fetch_lists(root: Path) -> None:
    for name in ("etc/preferences.d", "etc/apt.conf.d", "lists/partial", "log", "state"):
        (root / name).mkdir(parents=True, exist_ok=True)
    (root / "cache/archives/partial").mkdir(parents=True, exist_ok=True)
    (root / "status").touch()
    configuration = _CONFIGURATION.format(root=root, architecture=ARCHITECTURE)
    (root / "apt.conf").write_text(configuration)
    source = f"deb [arch={ARCHITECTURE} signed-by={KEYRING}] {MIRROR} {SUITE} main\n"
    (root / "etc/sources.list").write_text(source)
    run(["apt-get", "-q", "update"], environment=_environment(root))


def update() -> Path:
    """Fetch the lists of packages again; return apt's root.

    Raises:
        LinuxError: the mirror does not answer, or its signature is wrong.
    """
    with _alone() as final:
        _replace_lists(final)
    return final


def _lists() -> Path:
    """Return apt's root, with lists that are fetched if there are none."""
    with _alone() as final:
        if not (final / "apt.conf").is_file():
            _replace_lists(final)
    return final


@contextmanager
def _alone() -> Iterator[Path]:
    """Yield apt's root while no other process fetches its lists."""
    final = _apt_root()
    final.parent.mkdir(parents=True, exist_ok=True)
    with locks.locked(final.with_name(f".{final.name}.lock")):
        yield final


def _replace_lists(final: Path) -> None:
    work = final.with_name(f".{final.name}.{os.getpid()}")
    try:
        work.mkdir(parents=True)
        _fetch_lists(work)
        configuration = _CONFIGURATION.format(root=final, architecture=ARCHITECTURE)
        (work / "apt.conf").write_text(configuration)
        shutil.rmtree(final, ignore_errors=True)
        work.replace(final)
    finally:
        shutil.rmtree(work, ignore_errors=True)
    _resolve.cache_clear()


def check_names(names: Sequence[str]) -> None:
    """Refuse what cannot be the name of a package.

    Raises:
        LinuxError: with the name.
    """
    for name in names:
        if not re.fullmatch(r"[a-z0-9][a-z0-9+.-]+", name):
            raise LinuxError(f'packages: found "{name}", expected the name of a Debian package.')


def resolve(names: Sequence[str]) -> list[Package]:
    """Return the packages and all that they depend on, sorted by name.

    Raises:
        LinuxError: there is no such package, or apt cannot fetch its lists.
    """
    if not names:
        return []
    check_names(names)
    return list(_locked(tuple(names)) or resolve_by_lists(names))


@lru_cache
def _locked(names: tuple[str, ...]) -> tuple[Package, ...]:
    """Return the packages of a locked set; nothing when one of them is nowhere to be had."""
    found = locked.locked(names) or []
    try:
        for package in found:
            fetch(package)
    except LinuxError:
        return ()
    return tuple(found)


def resolve_by_lists(names: Sequence[str]) -> list[Package]:
    """Return what Debian's lists say now, and not what is locked; as `resolve`."""
    return list(_resolve(_lists(), tuple(sorted(names))))


# apt takes a second to read its lists, and an experiment may ask before each of its runs.
@lru_cache
def _resolve(root: Path, names: tuple[str, ...]) -> tuple[Package, ...]:
    command = ["apt-get", "-q", "-y", "--print-uris", "install", *names]
    try:
        answer = run(command, environment=_environment(root))
    except LinuxError as error:
        missing = re.search(r"Unable to locate package (\S+)", str(error))
        if missing is None:
            raise
        raise LinuxError(
            f'packages: found "{missing[1]}", expected a package of Debian {SUITE} for '
            f"{ARCHITECTURE}."
        ) from error
    found = re.findall(r"^'(\S+)' (\S+)_[^_\s]+\.deb (\d+) (\S+)$", answer, re.MULTILINE)
    packages = []
    for uri, stem, size, digest in found:
        name, _, version = unquote(stem).partition("_")
        packages.append(Package(name, version, uri, int(size), digest))
    return tuple(sorted(packages, key=lambda package: package.name))


def _download(uri: str, out: Path, digest: str) -> None:
    options = ["-o", "APT::Sandbox::User=", "-o", "Acquire::Retries=3"]
    run(["/usr/lib/apt/apt-helper", *options, "download-file", uri, str(out), digest])


def fetch(package: Package) -> Path:
    """Return the package's file, from the cache or the mirror, checked against its digest.

    Raises:
        LinuxError: it is not what the lists say, or the mirror does not have it.
    """

    def build(folder: Path) -> None:
        out = folder / f"{package.name}.deb"
        try:
            _download(package.uri, out, package.digest)
        except LinuxError:
            if not package.archived:
                raise
            _download(package.archived, out, package.digest)
        found = f"SHA256:{hashlib.sha256(out.read_bytes()).hexdigest()}"
        if found != package.digest:
            raise LinuxError(f"{package.uri}: found {found}, expected {package.digest}.")

    return cached("debian-package", [package.uri, package.digest], build) / f"{package.name}.deb"


def _merge_folders(folder: Path) -> None:
    for name in MERGED:
        (folder / "usr" / name).mkdir(parents=True, exist_ok=True)
        if not (folder / name).is_symlink():
            (folder / name).symlink_to(f"usr/{name}")


def unpack(package: Package, folder: Path) -> list[Path]:
    """Unpack a package into a root file system; return its files, relative to it.

    Raises:
        LinuxError: it cannot be had or is damaged.
    """
    _merge_folders(folder)
    extract = 'dpkg-deb --fsys-tarfile "$1" | tar -C "$2" --keep-directory-symlink -xpvf - '
    extract += "--no-same-owner"
    names = run(["sh", "-ec", extract, "sh", str(fetch(package)), str(folder)]).splitlines()
    paths = [Path(re.sub(r"^\./(bin|sbin|lib)/", r"usr/\1/", name)) for name in names]
    return [path for path in paths if not (folder / path).is_dir() or (folder / path).is_symlink()]


def _remove_unneeded(folder: Path) -> None:
    for name in UNNEEDED:
        shutil.rmtree(folder / name, ignore_errors=True)


def finish(folder: Path) -> None:
    """Do what the maintainer scripts of common packages would: users, groups, host names."""
    etc = folder / "etc"
    etc.mkdir(exist_ok=True)
    masters = folder / "usr/share/base-passwd"
    for name, text in (("passwd", PASSWD), ("group", GROUP)):
        master = masters / f"{name}.master"
        content = master.read_text() if master.is_file() else text
        if not (etc / name).exists():
            (etc / name).write_text(content.replace("root:*:", "root:x:"))
    for name, text in DEFAULTS.items():
        if not (etc / name).exists():
            (etc / name).write_text(text)
    if (folder / "usr/bin/mawk").exists() and not (folder / "usr/bin/awk").is_symlink():
        (folder / "usr/bin/awk").symlink_to("mawk")
    (etc / "mtab").unlink(missing_ok=True)
    (etc / "mtab").symlink_to("../proc/self/mounts")


def install(names: Sequence[str], folder: Path) -> list[Package]:
    """Put packages and all that they depend on into a root file system; return what was put.

    Raises:
        LinuxError: they cannot be had.
    """
    packages = resolve(names)
    for package in packages:
        unpack(package, folder)
    _remove_unneeded(folder)
    finish(folder)
    return packages


def install_small(names: Sequence[str], folder: Path) -> list[Package]:
    """Put the files of the named packages alone, and the shared libraries these need.

    For an initramfs, of which every byte is unpacked at every boot. What a package calls but does
    not link to has to be named too. Returns the whole resolved set.

    Raises:
        LinuxError: they cannot be had.
    """
    packages = resolve(names)
    _merge_folders(folder)
    with tempfile.TemporaryDirectory() as name:
        whole = Path(name)
        wanted: list[Path] = []
        for package in packages:
            files = unpack(package, whole)
            if package.name in names:
                wanted += files
        _remove_unneeded(whole)
        for path in dict.fromkeys([*wanted, *libraries(whole, wanted)]):  # A library may be wanted.
            if (whole / path).is_symlink() or (whole / path).exists():
                (folder / path).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(whole / path, folder / path, follow_symlinks=False)
    finish(folder)
    return packages


def _needed(path: Path) -> list[str]:
    with path.open("rb") as file:
        if file.read(4) != b"\x7fELF":
            return []
        dynamic = ELFFile(file).get_section_by_name(".dynamic")
        if not isinstance(dynamic, DynamicSection):
            return []
        return [str(vars(tag)["needed"]) for tag in dynamic.iter_tags("DT_NEEDED")]


def libraries(root: Path, files: Sequence[Path]) -> list[Path]:
    """Return the shared libraries in `root` that `files` need, their links and the loader.

    A library may also be beside the one that needs it, as modules are that a program opens.

    Raises:
        LinuxError: one is in none of the folders that the loader looks into.
    """
    queue = [root / path for path in files if not (root / path).is_symlink()]
    queue = [path for path in queue if path.is_file()]
    found: list[Path] = []
    names = [*LOADER]
    # Programs name the loader by its link in the second folder, which the first one hides.
    link = Path(LIBRARIES[1]) / LOADER[0]
    if (root / link).is_symlink():
        found.append(link)
    folders = [root / folder for folder in LIBRARIES]
    while queue or names:
        for name in names:
            path = next((at / name for at in folders if (at / name).exists()), None)
            if path is None and name not in LOADER:
                raise LinuxError(f"packages: found no {name}, expected it in {LIBRARIES[0]}.")
            while path is not None and path.relative_to(root) not in found:
                found.append(path.relative_to(root))
                if path.is_symlink():
                    path = path.parent / path.readlink()
                else:
                    queue.append(path)
        names = []
        if queue:
            needing = queue.pop()
            names = _needed(needing)
            folders[len(LIBRARIES) :] = [needing.parent]
    return found
