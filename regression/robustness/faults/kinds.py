# SPDX-License-Identifier: BSD-3-Clause
"""Every kind of bad luck: what happens to a run, and how the run must end."""

from __future__ import annotations

import os
import resource
import shutil
import signal
import subprocess
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from firesim.snapshots.files import snapshots_of
from firesim.work.folder import ProcessRecord, record_of, save_record, saved_result
from firesim_common.paths import cache_root
from firesim_common.tools import python_command

from regression.robustness.faults.last_words import (
    disk_full_before_the_record,
    host_that_answers_in_another_shape,
    log_that_cannot_be_opened,
    process_that_does_not_end,
)
from regression.robustness.faults.rig import AFTER_THE_END, Broken, Rig, Started

Kind = Callable[[Rig], str]
"""Does it once, by the rig's chance; returns how the run ended.

Raises Broken when it did not end in order.
"""
DISK_TRIED = "no name spaces of mounts here"
NO_MOUNT = 77
"""Exit status of a command that could not mount."""


def _begun(rig: Rig, after_the_end: float = AFTER_THE_END) -> Started:
    """Start a run and let it come to some point of its simulation, or of its report."""
    run = rig.start()
    run.until_cycle(0)
    rig.sometime(run, after_the_end)
    return run


# --- processes that are killed, asked to end, or held ---


def simulator_killed(rig: Rig) -> str:
    """SIGKILL to firesim-sim."""
    run = _begun(rig)
    run.signal_simulator(signal.SIGKILL)
    return rig.settle(run)


def manager_killed(rig: Rig) -> str:
    """SIGKILL to the manager; its simulator ends by itself."""
    run = _begun(rig)
    run.signal_manager(signal.SIGKILL)
    return rig.settle(run)


def both_killed_while_saving(rig: Rig) -> str:
    """SIGKILL to both while a snapshot is written, if one is seen in time."""
    run = rig.start()
    run.until_cycle(int(rig.rng.uniform(0.0, 0.9) * rig.base.end_cycle))
    run.until(lambda: any(run.results.glob("snapshots/*.partial")), "a snapshot")
    run.signal_manager(signal.SIGKILL)
    run.signal_simulator(signal.SIGKILL)
    return rig.settle(run)


def killed_while_starting(rig: Rig) -> str:
    """SIGKILL to the manager anywhere before the simulator runs."""
    run = rig.start()
    time.sleep(rig.rng.uniform(0.0, rig.base.start_s))
    run.signal_manager(signal.SIGKILL)
    return rig.settle(run)


def asked_to_end(rig: Rig) -> str:
    """SIGINT, SIGTERM or SIGHUP to the manager."""
    run = _begun(rig)
    run.signal_manager(rig.rng.choice([signal.SIGINT, signal.SIGTERM, signal.SIGHUP]))
    return rig.settle(run)


def interrupted_twice(rig: Rig) -> str:
    """Ctrl-C, and again before the first one is done."""
    run = _begun(rig)
    for _ in range(2):
        run.signal_manager(signal.SIGINT)
        time.sleep(rig.rng.uniform(0.0, 0.05))
    return rig.settle(run)


def simulator_stopped(rig: Rig) -> str:
    """SIGSTOP to firesim-sim for a while."""
    run = _begun(rig)
    run.signal_simulator(signal.SIGSTOP)
    time.sleep(rig.rng.uniform(0.1, 0.5))
    run.signal_simulator(signal.SIGCONT)
    return rig.settle(run)


def manager_stopped(rig: Rig) -> str:
    """SIGSTOP to the manager until after the simulator's end."""
    run = _begun(rig)
    run.signal_manager(signal.SIGSTOP)
    run.until(lambda: run.simulator() is None, "the end of the simulator")
    run.signal_manager(signal.SIGCONT)
    return rig.settle(run)


def process_ids_come_again(rig: Rig) -> str:
    """The recorded id belongs to somebody else by now: `firesim kill` leaves that process alone."""
    run = _begun(rig)
    run.signal_manager(signal.SIGKILL)
    run.end()
    rig.nothing_left()
    with subprocess.Popen(["sleep", "100"], start_new_session=True) as bystander:
        now = record_of(bystander.pid)
        if now is None:
            raise Broken("the bystander does not live")
        earlier = ProcessRecord(now.pid, now.started_ticks - 1, now.boot_id)
        save_record(run.results, earlier, None)
        words = [str(w) for w in python_command("-m", "firesim.cli.main", "kill", str(run.results))]
        subprocess.run(words, env=rig.base.environment, capture_output=True, check=False)
        alive = bystander.poll() is None
        bystander.kill()
    if not alive:
        raise Broken("firesim kill ended a process that it had not started")
    return rig.settle(run)


# --- disks and folders ---


def results_removed(rig: Rig) -> str:
    """The folder of results disappears."""
    run = _begun(rig)
    shutil.rmtree(run.results, ignore_errors=True)
    return rig.settle(run, resumable=False)


def _on_a_small_disk(rig: Rig, size: str, later: Callable[[Started, Path], None] | None) -> str:
    """Run with results in a file system of its own, which only exists for the run.

    `later` happens to it sometime in the run, by the path at which we see it.
    """
    disk = rig.folder / "disk"
    disk.mkdir()
    script = f'mount -t tmpfs -o size={size} tmpfs "$0" || exit {NO_MOUNT}; "$@"'
    wrapper = ["unshare", "-Urm", "sh", "-c", script, str(disk)]
    run = rig.start(words=rig.words(disk / "out"), wrapper=wrapper)
    seen = Path(f"/proc/{run.process.pid}/root{disk}")
    run.results = seen / "out"
    if later is not None:
        run.until_cycle(0)
        rig.sometime(run)
        later(run, seen)
    status, said = run.end()
    if status == NO_MOUNT or "unshare:" in said:
        return DISK_TRIED
    run.results = disk / "out"  # gone with its disk
    return rig.settle(run, resumable=False)


def disk_full_at_start(rig: Rig) -> str:
    """Hardly any room from the start."""
    return _on_a_small_disk(rig, f"{rig.rng.randrange(64, 6000)}k", None)


def disk_full_later(rig: Rig) -> str:
    """Somebody fills the disk while the run simulates, or saves."""

    def fill(run: Started, disk: Path) -> None:
        piece = bytes(1 << 16)
        with suppress(OSError), (disk / "fill").open("wb", buffering=0) as file:
            while file.write(piece):
                pass

    return _on_a_small_disk(rig, "40m", fill)


def results_read_only(rig: Rig) -> str:
    """The disk with the results becomes read-only while the run simulates."""

    def remount(run: Started, disk: Path) -> None:
        # A file system with files open to write does not become read-only: where it is, there
        # comes a read-only mount of it, so that nothing new can be opened to write.
        script = 'mount --bind "$0" "$1" && mount -o remount,bind,ro "$1" && mount --bind "$1" "$0"'
        side = rig.folder / "side"
        side.mkdir()
        inside = ["nsenter", "-t", str(run.process.pid), "-U", "--preserve-credentials", "-m"]
        words = [*inside, "sh", "-c", script, str(rig.folder / "disk"), str(side)]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        if done.returncode != 0 and run.process.poll() is None:
            raise Broken(f"the disk could not be made read-only: {done.stderr}")

    return _on_a_small_disk(rig, "400m", remount)


def temporary_folder_full(rig: Rig) -> str:
    """No room in the folder for temporary files."""
    full = rig.folder / "tmp"
    full.mkdir()
    mount = f'mount -t tmpfs -o size=4k tmpfs "$0" || exit {NO_MOUNT}'
    script = f'{mount}; echo x > "$0/x"; exec "$@"'
    wrapper = ["unshare", "-Urm", "sh", "-c", script, str(full)]
    run = rig.start(wrapper=wrapper, environment={"TMPDIR": str(full)})
    status, said = run.end()
    if status == NO_MOUNT or "unshare:" in said:
        return DISK_TRIED
    return rig.settle(run)


# --- the cache ---


def _own_cache(rig: Rig) -> Path:
    """Return a cache whose programs are copies; all else is the user's."""
    own, theirs = rig.folder / "cache", cache_root()
    own.mkdir()
    for entry in theirs.iterdir():
        if entry.name == "program":  # But for what somebody is building right now.
            shutil.copytree(entry, own / entry.name, ignore=shutil.ignore_patterns(".*"))
        else:
            (own / entry.name).symlink_to(entry)
    return own


def _with_cache(rig: Rig, change: Callable[[Path], None]) -> str:
    own = _own_cache(rig)
    for program in sorted(own.glob("program/*/*.elf")):
        change(program)
    return rig.settle(rig.start(environment={"FIRESIM_CACHE": str(own)}))


def cache_entry_cut(rig: Rig) -> str:
    """Programs in the cache have lost their ends."""
    share = rig.rng.random()
    return _with_cache(rig, lambda file: os.truncate(file, int(file.stat().st_size * share)))


def cache_entry_changed(rig: Rig) -> str:
    """The header of programs in the cache has another byte."""
    at, value = rig.rng.randrange(16, 64), rig.rng.randrange(256)

    def change(file: Path) -> None:
        data = bytearray(file.read_bytes())
        data[at] ^= value | 1
        file.write_bytes(bytes(data))

    return _with_cache(rig, change)


def cache_entry_removed(rig: Rig) -> str:
    """Programs are not in their folders of the cache any more."""
    return _with_cache(rig, lambda file: file.unlink())


def two_first_builds(rig: Rig) -> str:
    """Two runs at once that both need what nobody has built."""
    own = _own_cache(rig)
    shutil.rmtree(own / "program")
    runs = [rig.start(environment={"FIRESIM_CACHE": str(own)}) for _ in range(2)]
    return " and ".join(sorted({rig.settle(run) for run in runs}))


# --- little of what a process needs ---


def _limited(rig: Rig, what: int, most: int) -> str:
    def limit() -> None:
        resource.setrlimit(what, (most, most))

    return rig.settle(rig.start(before=limit))


def few_descriptors(rig: Rig) -> str:
    """A low limit on open files."""
    return _limited(rig, resource.RLIMIT_NOFILE, rig.rng.randrange(6, 40))


def little_memory(rig: Rig) -> str:
    """Only so much address space, but enough for Python to begin."""
    return _limited(rig, resource.RLIMIT_AS, rig.rng.randrange(250, 1200) << 20)


def output_closed(rig: Rig) -> str:
    """The reader of what the command says goes away."""
    read, write = os.pipe()
    run = rig.start(output=write)
    os.close(write)
    os.close(read)
    return rig.settle(run)


# --- snapshots that are not what they were ---


def _newest_spoiled(rig: Rig, spoil: Callable[[Path], None]) -> str:
    """Kill a run with two snapshots, spoil a file of the newest: --resume uses the one before."""
    run = _begun(rig, after_the_end=0.0)
    run.until(lambda: len(snapshots_of(run.results)) > 1, "two snapshots")
    run.signal_manager(signal.SIGKILL)
    run.signal_simulator(signal.SIGKILL)
    run.end()
    rig.nothing_left()
    saved = snapshots_of(run.results)
    # The run was over, and nobody goes on with it, or it was taking the oldest away.
    if saved_result(run.results).get("reason") == "ended" or len(saved) < 2:
        return rig.settle(run)
    spoil(rig.rng.choice(sorted(path for path in saved[-1].path.iterdir() if path.stat().st_size)))
    said = rig.next_run_works(run.results)
    if saved[-1].name not in said or f"going on from {saved[-2].name}" not in said:
        raise Broken(f"nothing is said of {saved[-1].path}:\n{said[-2000:]}")
    return "same hash after --resume"


def newest_snapshot_cut(rig: Rig) -> str:
    """The newest snapshot has lost the end of a file."""
    share = rig.rng.random()
    return _newest_spoiled(rig, lambda file: os.truncate(file, int(file.stat().st_size * share)))


def newest_snapshot_changed(rig: Rig) -> str:
    """The newest snapshot has another bit somewhere."""
    where, bit = rig.rng.random(), rig.rng.randrange(8)

    def change(file: Path) -> None:
        with file.open("r+b") as stream:
            at = int(file.stat().st_size * where)
            stream.seek(at)
            value = stream.read(1)[0]
            stream.seek(at)
            stream.write(bytes([value ^ 1 << bit]))

    return _newest_spoiled(rig, change)


def newest_snapshot_lost(rig: Rig) -> str:
    """The newest snapshot lacks a file."""
    return _newest_spoiled(rig, Path.unlink)


KINDS: dict[str, Kind] = {
    kind.__name__.replace("_", "-"): kind
    for kind in (
        simulator_killed,
        manager_killed,
        both_killed_while_saving,
        killed_while_starting,
        asked_to_end,
        interrupted_twice,
        simulator_stopped,
        manager_stopped,
        process_ids_come_again,
        results_removed,
        disk_full_at_start,
        disk_full_later,
        results_read_only,
        temporary_folder_full,
        cache_entry_cut,
        cache_entry_changed,
        cache_entry_removed,
        two_first_builds,
        few_descriptors,
        little_memory,
        output_closed,
        newest_snapshot_cut,
        newest_snapshot_changed,
        newest_snapshot_lost,
        disk_full_before_the_record,
        log_that_cannot_be_opened,
        process_that_does_not_end,
        host_that_answers_in_another_shape,
    )
}
