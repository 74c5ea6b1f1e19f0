# SPDX-License-Identifier: BSD-3-Clause
"""Broken input for what is written in Python: files of users and strangers, words of guests."""

from __future__ import annotations

import io
import json
import random
import re
import shutil
import signal
import tarfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

from firesim.access.unpack import unpack
from firesim.bind.artifacts import ArtifactError, Room, check_any_elf, check_elf
from firesim.build.blade_tree import blade_device_tree
from firesim.build.parts import FUNCTIONAL_MODEL, PARTS, read_part
from firesim.build.rtl_blade import BLADES, read_blade
from firesim.config.farm import FARMS
from firesim.config.layers import RECIPES
from firesim.farm.file import FarmFile
from firesim.pipeline.load import load_file
from firesim.pipeline.resolve import resolve
from firesim.prepare.user_files import check_device_tree
from firesim.report.console import records, round_trips
from firesim.report.results import read_text
from firesim.results.measurements import stream_sentence
from firesim.snapshots.files import files_of, read_snapshot
from firesim.watch.consoles import ConsoleTail
from firesim.watch.status import StatusReader
from firesim_common.errors import InputError
from firesim_common.printable import printable
from firesim_software import own_device_tree
from firesim_software.linux import LinuxError, commands, description
from firesim_software.workload import WorkloadError, read_workload

from regression.robustness.hostile import network_side, results_side
from regression.robustness.hostile.findings import Finding, Tally
from regression.robustness.hostile.mutate import mutated, mutated_archive

LIMIT_S = 30
REFUSALS = (InputError, ArtifactError, LinuxError, WorkloadError)
DTB_MAGIC = b"\xd0\x0d\xfe\xed"
LONGEST_SENTENCE = 20_000
CONSOLE = (
    b"OpenSBI v1.2\r\nfiresim: starting\nping seq=1 rtt_cycles=25731\nping seq=2 rtt_cycles=0x64\n"
    b"stream bytes=1048576 cycles=90000 errors=0\ntcp bytes=8 cycles=3 gbps_x1000=1400\n"
    b"firesim-output: /tmp/result\naGVsbG8=\nfiresim-output-end\nfiresim: done\n"
)


@dataclass(frozen=True)
class Target:
    """A reader: its good inputs, and what takes one in a folder of its own."""

    name: str
    good: list[bytes]
    take: Callable[[bytes, Path], None]
    share: float = 1.0
    """Of all cases in Python: less for one whose cases cost much."""
    change: Callable[[bytes, random.Random], bytes] = mutated
    """How a good input is broken."""


class TooSlowError(Exception):
    """A case took longer than any user would wait."""


@contextmanager
def within(limit_s: int) -> Iterator[None]:
    """End what takes longer."""

    def late(number: int, frame: FrameType | None) -> None:
        raise TooSlowError(f"no answer within {limit_s} s")

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(limit_s)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def defect(target: Target, data: bytes, folder: Path) -> tuple[bool, str]:
    """Return whether a case was accepted, and what is wrong with its end, or nothing."""
    try:
        with within(LIMIT_S):
            target.take(data, folder)
    except REFUSALS as error:
        text = str(error)
        if not text.strip() or len(text) > LONGEST_SENTENCE:
            return False, f"a message of {len(text)} characters"
        return False, ""
    except Exception as error:  # whatever else comes out is a finding
        return False, f"{type(error).__name__}: {str(error)[:300]}"
    return True, ""


def try_cases(target: Target, first: int, cases: int, folder: Path) -> Tally:
    """Give a target the given number of cases from a seed on."""
    tally = Tally(target.name)
    for good in target.good:
        accepted, wrong = alone(target, good, folder)
        if not accepted:
            tally.findings.append(Finding(0, f"a good input is refused: {wrong}"))
    for seed in range(first, first + cases):
        accepted, wrong = alone(target, case_of(target, seed), folder)
        tally.cases += 1
        tally.accepted += accepted
        if wrong:
            tally.findings.append(Finding(seed, wrong))
    return tally


def case_of(target: Target, seed: int) -> bytes:
    """Return the input of a seed."""
    rng = random.Random(f"{target.name} {seed}")
    return target.change(rng.choice(target.good), rng)


def alone(target: Target, data: bytes, folder: Path) -> tuple[bool, str]:
    """Do as `defect` in a folder that is made for it and goes again."""
    folder.mkdir()
    try:
        return defect(target, data, folder)
    finally:
        shutil.rmtree(folder)


def _recipe(data: bytes, folder: Path) -> None:
    (folder / "case.yaml").write_bytes(data)
    (folder / "node2.traffic").touch()
    resolve(load_file(folder / "case.yaml"))


def _blade(data: bytes, folder: Path) -> None:
    (folder / "case.yaml").write_bytes(data)
    read_blade(folder / "case.yaml")


def _part(data: bytes, folder: Path) -> None:
    (folder / "part.yaml").write_bytes(data)
    (folder / FUNCTIONAL_MODEL).touch()
    read_part(folder)


def _farm(data: bytes, folder: Path) -> None:
    (folder / "farm.yaml").write_bytes(data)
    FarmFile(folder / "farm.yaml")


def _workload(data: bytes, folder: Path) -> None:
    (folder / "linux-x").mkdir()
    for name in ("a.sh", "main.c"):
        (folder / "linux-x" / name).touch()
    path = folder / "linux-x/workload.yaml"
    path.write_bytes(data)
    (read_workload if b"sources" in data else description.read)(path)


def _console(data: bytes, folder: Path) -> None:
    log = folder / "uart.log"
    log.write_bytes(data)
    text = read_text(log)
    shown = [ConsoleTail(log).update()]
    shown += [stream_sentence("node0", record, 3_200_000_000) for record in records(text)]
    shown += [f"{number} {cycles:,.0f}" for number, cycles in round_trips(text)]
    list(commands.outputs(io.StringIO(text)))
    if bad := [line for line in shown if printable(line) != line]:
        raise ValueError(f"a terminal would obey {bad[0]!r}")


def _snapshot(data: bytes, folder: Path) -> None:
    (folder / "snapshot.json").write_bytes(data)
    found = read_snapshot(folder)
    if printable(found.created_by) != found.created_by:
        raise ValueError(f"a terminal would obey {found.created_by!r}")
    index = json.loads(data)
    try:
        names = files_of(index)
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise InputError(f"no index: {error!r}") from error
    if bad := [name for name in names if not re.fullmatch(r"[A-Za-z0-9_%][\w.%-]*", name)]:
        raise ValueError(f"the file {bad[0]!r} is accepted")


def _copied(data: bytes, folder: Path) -> None:
    target = folder / "in/target"
    target.mkdir(parents=True)
    unpack(io.BytesIO(data), target)
    inside = target.resolve()
    for path in folder.rglob("*"):
        if not path.is_relative_to(target) and path not in (target.parent,):
            raise ValueError(f"{path} is outside of the target")
        if path.is_symlink() and not path.resolve().is_relative_to(inside):
            raise ValueError(f"{path} leads out of the target")
        if path.lstat().st_mode & 0o6000:
            raise ValueError(f"{path} is setuid")


def _elf(data: bytes, folder: Path) -> None:
    (folder / "case.elf").write_bytes(data)
    room = Room(16 << 20)
    check_any_elf(folder / "case.elf", room)
    check_elf(folder / "case.elf", room)


def _device_tree(data: bytes, folder: Path) -> None:
    tree = folder / ("case.dtb" if data[:4] == DTB_MAGIC else "case.dts")
    tree.write_bytes(data)
    check_device_tree(tree)


def _status(data: bytes, folder: Path) -> None:
    (folder / "status.jsonl").write_bytes(data)
    StatusReader(folder / "status.jsonl").update()


def _archive() -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.GNU_FORMAT) as archive:
        for name, kind, aim in (
            ("./", tarfile.DIRTYPE, ""),
            ("./a/b", tarfile.REGTYPE, ""),
            ("./a/link", tarfile.SYMTYPE, "../x"),
            ("./x", tarfile.REGTYPE, ""),
            ("./hard", tarfile.LNKTYPE, "./x"),
            ("./a/same", tarfile.LNKTYPE, "./a/link"),
        ):
            info = tarfile.TarInfo(name)
            info.type, info.linkname, info.mode = kind, aim, 0o755
            archive.addfile(info)
    return out.getvalue()


def targets(recipe: str, base: Path) -> list[Target]:
    """Return every target; `recipe` and `base` are those of the base run."""
    recipes = [file.read_bytes() for file in sorted(RECIPES.glob("*.yaml"))]
    probes = str(BLADES.parent / "probes").encode()  # As they are found from anywhere.
    files = sorted(BLADES.glob("*.yaml"))
    blades = [file.read_bytes().replace(b"../probes", probes) for file in files]
    parts = [file.read_bytes() for file in sorted(PARTS.glob("*/part.yaml"))]
    farms = [file.read_bytes() for file in sorted(FARMS.glob("*.yaml"))]
    jobs = [
        b"name: linux-x\ndescription: x\noverlay: {/etc/a: a.sh}\ncommand: ls\noutputs: [/tmp/a]\n",
        b"name: linux-x\ndescription: x\nsources: [main.c]\narguments:\n"
        b"  role: {default: a, description: b}\n",
    ]
    index = next(base.glob("snapshots/*/snapshot.json")).read_bytes()
    program = json.loads((base / "description.json").read_text())["nodes"][0]["bridges"]["memory"]
    elf = Path(program["load"][0]["file"]).read_bytes()
    tree = blade_device_tree("rocket-1-small")
    blob = own_device_tree(tree, memory_bytes=1 << 24, bootargs="", mac="00:12:6D:00:00:02")
    return [
        Target("yaml", [recipe.encode(), *recipes], _recipe),
        Target("blade", blades, _blade),
        Target("part", parts, _part),
        Target("farm", farms, _farm),
        Target("workload", jobs, _workload),
        Target("console", [CONSOLE], _console),
        Target("manager-snapshot", [index], _snapshot),
        Target("copied", [_archive()], _copied, change=mutated_archive),
        Target("manager-elf", [elf], _elf),
        Target("device-tree", [tree.read_bytes(), blob], _device_tree),
        Target("status", [(base / "status.jsonl").read_bytes()], _status),
        *(Target(name, *parts) for name, parts in results_side.takers(base).items()),
        *(Target(name, *parts) for name, parts in network_side.takers().items()),
    ]
