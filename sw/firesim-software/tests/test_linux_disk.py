# SPDX-License-Identifier: BSD-3-Clause
"""Disk images are the same bit for bit, belong to root and hold what the folder holds."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
from pathlib import Path

import pytest
from firesim_software.linux.disk import ext2_image

SEED = 7
TOOLS = f"{os.environ.get('PATH', '')}:/sbin:/usr/sbin"


def tool(*command: str) -> str:
    found = shutil.which(command[0], path=TOOLS)
    assert found is not None
    done = subprocess.run([found, *command[1:]], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def contents() -> dict[str, bytes]:
    numbers = random.Random(SEED)
    names = [f"usr/lib/d{numbers.randrange(9)}/file{i}" for i in range(60)]
    return {name: numbers.randbytes(numbers.choice([0, 1, 4096, 70_000])) for name in names}


def fill(folder: Path, order: list[str], time_s: int) -> Path:
    files = contents()
    for name in order:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(files[name])
        path.chmod(0o755)
        os.utime(path, (time_s, time_s))
    (folder / "lib").symlink_to("usr/lib")
    return folder


@pytest.mark.skipif(not shutil.which("mke2fs", path=TOOLS), reason="no mke2fs")
def test_an_image_depends_on_the_files_alone(tmp_path: Path) -> None:
    names = sorted(contents())
    one = fill(tmp_path / "one", names, 1_000_000)
    two = fill(tmp_path / "two", names[::-1], 2_000_000)
    if os.getuid() == 0:
        os.chown(two / names[0], 1234, 1234)
    images = [ext2_image(at, at.with_suffix(".img"), free_mib=4) for at in (one, two)]
    assert images[0].read_bytes() == images[1].read_bytes(), f"seed {SEED}"
    tool("e2fsck", "-fn", str(images[0]))
    listing = tool("debugfs", "-R", f"stat {names[0]}", str(images[1]))
    assert "User:     0   Group:     0" in listing and "Mode:  0755" in listing
    out = tmp_path / "out"
    for name in names[:10]:
        tool("debugfs", "-R", f"dump {name} {out}", str(images[0]))
        assert out.read_bytes() == contents()[name], f"seed {SEED}: {name}"
