# SPDX-License-Identifier: BSD-3-Clause
"""Bad luck after which a run may have no words: no room for its records, no log, no end, no host.

What cannot be had on any computer, such as a process that waits in the kernel for good, is put
into the manager, which is started by a script for that.
"""

from __future__ import annotations

import signal
import time
from pathlib import Path

from firesim_common.tools import python_command

from regression.robustness.faults.rig import Broken, Rig, Started

NO_MOUNT, NO_RESULT = 77, 99
"""Exit statuses of a command that could not mount, and of a run that does not say how it ended."""
MANAGER = """
import os, sys, time
from firesim.cli.main import app
from firesim.hosts import client
from firesim.work import process
{change}
app(sys.argv[1:])
"""
FULL_BEFORE_THE_RECORD = """
save = process.save_record
def late(folder, *records):
    try:
        with (folder.parent / "fill").open("wb", buffering=0) as file:
            while file.write(bytes(4096)):
                pass
    except OSError:
        pass
    save(folder, *records)
process.save_record = late
"""
NEVER_ENDS = """
process.KILLED_S = 1.0
process.Simulator._signal_group = lambda *_: None
"""
ANOTHER_SHAPE = """
exchange = client.HostClient._exchange
def wrong(host, request, body):
    answer = exchange(host, request, body)
    if request["verb"] == "state" and host.name == "local1":
        answer["alive"] = "perhaps"
    return answer
client.HostClient._exchange = wrong
"""


def _words(rig: Rig, results: Path, change: str, *more: str) -> list[str]:
    """Return the command that runs the recipe with a change in its manager."""
    command = ["runworkload", "-c", str(rig.base.recipe), "--results", str(results), *more]
    script = MANAGER.format(change=change)
    return [str(word) for word in python_command("-c", script, *command)]


def _said(run: Started, text: str) -> None:
    if text not in run.log.read_text(errors="replace"):
        raise Broken(f'"{text}" was not said:\n{run.log.read_text(errors="replace")[-2000:]}')


def disk_full_before_the_record(rig: Rig) -> str:
    """The disk fills up after the simulator has begun and before its record is written."""
    disk = rig.folder / "disk"
    disk.mkdir()
    script = f'mount -t tmpfs -o size=8m tmpfs "$0" || exit {NO_MOUNT}; "$@"; status=$?; '
    script += f'[ -s "$0/out/result.json" ] || exit {NO_RESULT}; exit $status'
    wrapper = ["unshare", "-Urm", "sh", "-c", script, str(disk)]
    run = rig.start(words=_words(rig, disk / "out", FULL_BEFORE_THE_RECORD), wrapper=wrapper)
    status, said = run.end()
    if status == NO_MOUNT or "unshare:" in said:
        return "no name spaces of mounts here"
    if status == NO_RESULT:
        raise Broken(f"no result.json:\n{said[-2000:]}")
    run.results = disk / "out"  # gone with its disk
    return rig.settle(run, resumable=False)


def log_that_cannot_be_opened(rig: Rig) -> str:
    """There is a folder where run.log is to be; what the simulator says is read all the same."""
    run = rig.start()
    run.until(lambda: any(run.results.glob("*")), "the first file of results")
    (run.results / "run.log").mkdir(exist_ok=True)
    ending = rig.settle(run)
    _said(run, "run.log: cannot be written: Is a directory")
    return ending


def process_that_does_not_end(rig: Rig) -> str:
    """The simulator stands still, and no signal ends it."""
    run = rig.start(words=_words(rig, rig.new_results(), NEVER_ENDS))
    run.until_cycle(0)
    simulator = run.simulator()
    run.signal_simulator(signal.SIGSTOP)
    if run.simulator() is None:
        return rig.settle(run)
    for _ in range(2):  # The second one does not wait for its results.
        run.signal_manager(signal.SIGINT)
        time.sleep(0.5)
    run.end()
    if run.simulator() == simulator:
        run.signal_simulator(signal.SIGKILL)
    ending = rig.settle(run)
    _said(run, "does not end after SIGKILL")
    return ending


def host_that_answers_in_another_shape(rig: Rig) -> str:
    """One of two hosts says of its simulator what no agent of ours would say."""
    farm = rig.folder / "lab.yaml"
    farm.write_text(f"kind: local\nprocesses: 2\nfolder: {rig.folder / 'hosts'}\n")
    placed = ["-x", f'placement={{run_farm: "{farm}", resume: never}}']
    run = rig.start(words=_words(rig, rig.new_results(), ANOTHER_SHAPE, *placed))
    ending = rig.settle(run, resumable=False)
    _said(run, 'found \'perhaps\' as "alive" of the answer to "state"')
    return ending
