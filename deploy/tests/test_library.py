# SPDX-License-Identifier: BSD-3-Clause
"""FireSim inside programs of others: threads, event loops, no terminal, forks, interruptions."""

from __future__ import annotations

import multiprocessing
import os
import random
import signal
import subprocess
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import firesim
import pytest
from firesim.sweep.folder import make
from firesim.work.process_tree import descendants
from firesim_common.tools import python_command

MakeTraffic = Callable[..., Path]
SHORT = "0 00:12:6D:00:00:03 1500 repeat 10 1000\n"
ENDLESS = "0 FF:FF:FF:FF:FF:FF 1500 repeat 4000000000 100\n"
LIMIT_S = 120.0
LONG = 200_000_000  # A second or more of the simulator: a busy machine, too, sees it.
LATENCY, LIMIT = "system.link.latency_cycles", "simulation.max_cycles"
BEFORE = "import firesim, signal, sys, threading\nrun = firesim.load(sys.argv[1])\n"


def _hash(config: Path) -> str:
    return firesim.load(config).run(report=False).token_hash


def _program(text: str, *words: Path, **how: Any) -> subprocess.Popen[str]:
    return subprocess.Popen(
        python_command("-c", BEFORE + text, *words),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        **how,
    )


def _wait_for(found: Callable[[], object]) -> None:
    limit = time.monotonic() + LIMIT_S
    while not found():
        assert time.monotonic() < limit
        time.sleep(0.02)


def _simulators(folder: Path) -> list[str]:
    """Return the words of each firesim-sim on this computer that simulates below a folder."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = path.read_bytes().split(b"\0")
        except OSError:
            continue
        is_one = words[0].endswith(b"/firesim-sim")
        if is_one and any(os.fsencode(folder) in word for word in words):
            found.append(b" ".join(words).decode())
    return found


IN_A_LOOP = """
import asyncio
async def ticks():
    count = 0
    while not done.is_set():
        count += 1
        await asyncio.sleep(0.002)
    return count
async def main():
    global done
    done = asyncio.Event()
    loop = asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGUSR1, lambda: None)
    inside = run.run(report=False)
    counting = asyncio.create_task(ticks())
    both = await asyncio.gather(*(asyncio.to_thread(run.run, report=False) for _ in range(2)))
    done.set()
    assert loop.remove_signal_handler(signal.SIGUSR1)
    print(*{one.token_hash for one in (inside, *both)}, await counting > 2)
asyncio.run(main())
"""


def test_runs_under_an_event_loop(traffic: MakeTraffic, results_root: Path) -> None:
    """In the loop's own thread, as a cell of a notebook, and in others while the loop goes on."""
    config = traffic(SHORT)
    program = _program(IN_A_LOOP, config)
    said, errors = program.communicate(timeout=LIMIT_S)
    assert (program.returncode, errors) == (0, "")
    assert said == f"{_hash(config)} True\n"


ALONE = """
import os
for number in (0, 1, 2):
    os.close(number)
sys.stdin = sys.stdout = sys.stderr = None
found = run.run().token_hash
with open(sys.argv[2], "w") as file:
    print(found, file=file)
"""


def test_a_process_without_terminal_and_files(
    traffic: MakeTraffic, results_root: Path, tmp_path: Path
) -> None:
    """As a daemon has it: a session of its own, and standard input, output and error closed."""
    config = traffic(SHORT)
    program = _program(ALONE, config, tmp_path / "said", start_new_session=True)
    assert program.wait(timeout=LIMIT_S) == 0
    assert (tmp_path / "said").read_text() == f"{_hash(config)}\n"


def _limited(config: Path, cycles: int) -> str:
    return firesim.load(config).changed({LIMIT: cycles}).run(report=False).token_hash


def test_children_of_a_fork_run_while_their_parent_does(
    traffic: MakeTraffic, results_root: Path
) -> None:
    config = traffic(ENDLESS)
    alone = [_limited(config, cycles) for cycles in (20_000, 30_000, LONG)]
    parents: list[str] = []
    thread = threading.Thread(target=lambda: parents.append(_limited(config, LONG)))
    thread.start()
    _wait_for(lambda: _simulators(results_root))
    with multiprocessing.get_context("fork").Pool(2) as pool:
        given = [(config, 20_000), (config, 30_000)]
        children = pool.starmap_async(_limited, given).get(LIMIT_S)
    thread.join(LIMIT_S)
    assert [*children, *parents] == alone and len(set(alone)) == 3


def test_a_child_of_a_fork_does_not_keep_the_lock_of_a_sweep(
    traffic: MakeTraffic, results_root: Path
) -> None:
    made = make(firesim.load(traffic(SHORT)).loaded, {LATENCY: [100]}, None)
    with made.locked():
        child = multiprocessing.get_context("fork").Process(target=time.sleep, args=(LIMIT_S,))
        child.start()
    try:
        with made.locked():
            assert child.is_alive()
    finally:
        child.kill()
        child.join()


INTERRUPTED = """
before = [signal.getsignal(number) for number in range(1, 32)]
try:
    print("begins", flush=True)
    run.run(sys.argv[2])
except KeyboardInterrupt:
    same = before == [signal.getsignal(number) for number in range(1, 32)]
    print("interrupted", same, threading.active_count(), flush=True)
"""


def test_ctrl_c_leaves_nothing_whenever_it_comes(
    traffic: MakeTraffic, results_root: Path, tmp_path: Path
) -> None:
    """At times from the first step of a run to its simulation; results are whole, or not there."""
    seed = int(os.environ.get("FIRESIM_TEST_SEED", time.time_ns() % 1_000_000))
    print("seed", seed)
    choose = random.Random(seed)
    config = traffic(ENDLESS)
    reasons = []
    for number in range(12):
        folder = tmp_path / f"run-{number}"
        program = _program(INTERRUPTED, config, folder)
        assert program.stdout is not None and program.stdout.readline() == "begins\n"
        time.sleep(choose.uniform(0, 1.5))
        program.send_signal(signal.SIGINT)
        said, errors = program.communicate(timeout=LIMIT_S)
        assert (program.returncode, errors) == (0, ""), (number, errors)
        assert said.startswith("interrupted True"), (number, said)
        assert _simulators(folder) == [], number
        if folder.exists():
            reasons.append(firesim.Results(folder).result["reason"])
    assert set(reasons) <= {"interrupted"} and reasons


AT_THE_WORST_MOMENT = """
import os
from firesim.work import process
start = process.start
def started(*words, **more):
    found = start(*words, **more)
    os.kill(os.getpid(), signal.SIGINT)
    return found
process.start = started
"""


def test_ctrl_c_while_a_simulator_is_started_ends_it(
    traffic: MakeTraffic, results_root: Path, tmp_path: Path
) -> None:
    """It comes when the simulator runs and nobody has been told of it."""
    folder = tmp_path / "run"
    program = _program(AT_THE_WORST_MOMENT + INTERRUPTED, traffic(ENDLESS), folder)
    try:
        said, errors = program.communicate(timeout=LIMIT_S)
    finally:
        program.kill()  # With it its simulator ends, which the next test would find.
    assert (program.returncode, errors) == (0, "")
    assert said.startswith("begins\ninterrupted True")
    assert firesim.Results(folder).result["reason"] == "interrupted" and not _simulators(folder)


def test_a_run_in_a_thread_is_stopped_and_signals_stay(
    traffic: MakeTraffic, results_root: Path
) -> None:
    run = firesim.load(traffic(ENDLESS))
    stop = threading.Event()
    raised: list[BaseException] = []

    def work() -> None:
        try:
            run.run(results_root / "stopped", stop=stop)
        except BaseException as error:
            raised.append(error)

    before = [signal.getsignal(number) for number in range(1, 32)]
    thread = threading.Thread(target=work)
    thread.start()
    _wait_for(lambda: _simulators(results_root))
    assert [signal.getsignal(number) for number in range(1, 32)] == before
    stop.set()
    thread.join(LIMIT_S)
    assert [type(error) for error in raised] == [KeyboardInterrupt]
    assert firesim.Results(results_root / "stopped").result["reason"] == "interrupted"
    assert _simulators(results_root) == [] == descendants(os.getpid())


def test_a_sweep_in_a_thread_is_stopped_and_goes_on(
    traffic: MakeTraffic, results_root: Path
) -> None:
    run = firesim.load(traffic(ENDLESS)).changed({"simulation.max_cycles": 20_000_000})
    axes, folder, stop = {LATENCY: [100, 110]}, results_root / "mine", threading.Event()

    def work() -> None:
        with pytest.raises(KeyboardInterrupt):
            run.sweep(axes, folder, stop=stop)
        ended.set()

    ended = threading.Event()
    thread = threading.Thread(target=work)
    thread.start()
    _wait_for(lambda: _simulators(folder))
    stop.set()
    thread.join(LIMIT_S)
    assert ended.is_set() and _simulators(folder) == []
    assert list(firesim.Sweep(folder).frame["state"].fillna("")) == ["", ""]
