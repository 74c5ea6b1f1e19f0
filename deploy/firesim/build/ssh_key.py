# SPDX-License-Identifier: BSD-3-Clause
"""The user's key pair for simulated machines, made once and kept in the cache folder."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

from firesim_common.errors import InputError
from firesim_common.locks import locked
from firesim_common.paths import cache_root

NAME = "id_ed25519"


def ssh_program(name: str) -> str:
    """Return the path of a program of the package openssh-client.

    Raises:
        InputError: it is not installed.
    """
    path = shutil.which(name)
    if path is None:
        raise InputError(f"found no {name}, expected that of the package openssh-client.")
    return path


def private_key() -> Path:
    """Return the private key (its public half has the suffix .pub); make the pair when new.

    Raises:
        InputError: it cannot be made.
    """
    folder = cache_root() / "ssh"
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    path = folder / NAME
    with locked(folder / ".lock"):
        if not path.is_file() or not public_half(path).is_file():
            path.unlink(missing_ok=True)
            made = subprocess.run(
                [ssh_program("ssh-keygen"), *"-q -t ed25519 -C firesim -N".split(), "", "-f", path],
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                check=False,
            )
            if made.returncode != 0:
                raise InputError(f"{path}: cannot make a key pair: {made.stderr.strip()}.")
        # ssh refuses a key that others can read, as after a copy of the folder.
        path.chmod(0o600)
    return path


def public_half(private: Path) -> Path:
    """Return the file of the public half of a private key."""
    return private.with_name(f"{private.name}.pub")


def public_key() -> Path:
    """Return the public key that nodes let in, made when new."""
    return public_half(private_key())
