# SPDX-License-Identifier: BSD-3-Clause
"""Keys, ports, files and consoles of simulated machines, as far as the host's side goes."""

from __future__ import annotations

import io
import json
import os
import socket
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from firesim.access.console import show_log
from firesim.access.copy import Place, copy_from, copy_to, place_of
from firesim.access.door import Door, door_of, greets, wait_until_open
from firesim.access.ssh import ssh_words
from firesim.build.simulator import simulator
from firesim.build.ssh_key import private_key, public_key
from firesim.config.loaded import Loaded
from firesim.pipeline.run import run
from firesim.results.outcome import Outcome
from firesim.work.folder import load_simulator, record_of, save_record, write_json
from firesim.work.process import end_recorded
from firesim_common.errors import InputError
from firesim_common.tools import python_command
from firesim_software.linux import workload

Load = Callable[..., Loaded]

LOCAL_SSH = """#!/bin/sh
while [ "$1" != -- ]; do shift; done
shift
exec sh -c "$*"
"""


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache folder of the test's own."""
    monkeypatch.setenv("FIRESIM_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def here(tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> Door:
    """A door to a node that is this machine: the client runs the node's commands right here."""
    folder = tmp_path / "bin"
    folder.mkdir()
    (folder / "ssh").write_text(LOCAL_SSH)
    (folder / "ssh").chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
    return Door("node0", "127.0.0.1", 1, tmp_path)


def test_the_key_pair_is_made_once_and_private(cache: Path) -> None:
    key = private_key()
    assert key == cache / "ssh/id_ed25519"
    before = key.read_bytes()
    key.chmod(0o644)
    assert private_key().read_bytes() == before
    assert stat.S_IMODE(key.stat().st_mode) == 0o600
    assert stat.S_IMODE(key.parent.stat().st_mode) == 0o700
    assert public_key().read_text().startswith("ssh-ed25519 ")


def test_the_client_uses_nothing_of_the_users_own(cache: Path, tmp_path: Path) -> None:
    words = ssh_words(Door("node3", "127.0.0.1", 4022, tmp_path))
    text = " ".join(words)
    assert words[1:3] == ["-F", "/dev/null"]
    for part in ("IdentitiesOnly=yes", "HostKeyAlias=node3", "-p 4022", "root@127.0.0.1"):
        assert part in text
    assert f'UserKnownHostsFile="{tmp_path / "known_hosts"}"' in text


def test_a_run_without_a_gateway_says_what_is_missing(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="found no gateway in this run, expected one: add gateway"):
        door_of(tmp_path, "node0")


@pytest.fixture
def opening(tmp_path: Path) -> Iterator[tuple[Path, subprocess.Popen[bytes]]]:
    """A run whose gateway is not open yet, and its simulator."""
    run = tmp_path / "run"
    run.mkdir()
    nodes = [{"name": "node0", "kind": "functional"}, {"name": "gateway", "kind": "gateway"}]
    (run / "description.json").write_text(json.dumps({"nodes": nodes}))
    simulator = subprocess.Popen(["sleep", "100"])
    save_record(run, record_of(simulator.pid), None)
    yield run, simulator
    simulator.kill()
    simulator.wait()


def test_a_gateway_that_is_not_open_yet_is_waited_for(
    opening: tuple[Path, subprocess.Popen[bytes]],
) -> None:
    run, _ = opening
    entry = {"name": "ssh", "node": "node0", "host": "0.0.0.0", "host_port": 4022}
    said: list[str] = []

    def open_up(text: str) -> None:
        said.append(text)
        status = {"mode": "user", "forwards": [entry]}
        threading.Timer(0.3, lambda: write_json(run / "gateway.json", status)).start()

    assert door_of(run, "node0", open_up) == Door("node0", "127.0.0.1", 4022, run)
    assert said == [f"waiting for the gateway of {run}"]


def test_the_end_of_a_run_ends_the_wait_for_its_gateway(
    opening: tuple[Path, subprocess.Popen[bytes]],
) -> None:
    run, simulator = opening
    with pytest.raises(InputError, match="the run ended before its gateway was open"):
        door_of(run, "node0", lambda text: simulator.kill())


TAP = """\
ip link set lo up && ip tuntap add dev tap0 mode tap || exit 77
ip link set tap0 address 00:12:6D:FF:FF:FE up && ip address add 172.16.255.254/16 dev tap0
"$@" runworkload -c "$RUN.yaml" --results "$RUN" > "$RUN.log" 2>&1 &
until [ -e "$RUN/run.json" ]; do kill -0 $! || exit 1; sleep 0.1; done
"$@" ssh --run "$RUN" --wait 300 node1 -- hostname
status=$?
"$@" kill "$RUN" > /dev/null; wait $!
exit $status
"""


def test_a_node_behind_a_network_interface_lets_its_owner_in(tmp_path: Path) -> None:
    run = tmp_path / "run"
    run.with_suffix(".yaml").write_text(
        "system: {topology: two_nodes, gateway: {mode: tap, device: tap0}}\n"
        "workload: {node: {linux: linux-ssh}}\nsimulation: {engine: functional}\n"
    )
    workload("linux-ssh")  # Packages are fetched, which the name space below cannot.
    simulator()
    # The interface exists in a name space of networks, with which it goes.
    words = ["unshare", "-Urn", "sh", "-c", TAP, "sh", *python_command("-m", "firesim.cli.main")]
    environment = {**os.environ, "RUN": str(run)}
    done = subprocess.run(words, env=environment, capture_output=True, text=True, check=False)
    if done.returncode == 77 or "unshare" in done.stderr:
        pytest.skip("this host allows no network interfaces")
    assert (done.returncode, done.stdout) == (0, "node1\n"), done.stderr


@pytest.fixture
def gateway_run(load: Load, results_root: Path) -> Iterator[Path]:
    """The results folder of a running simulation with a gateway, whose nodes answer nothing."""
    ssh = "{node: node1, port: 22, name: ssh}"
    loaded = load(
        "two_nodes",
        f"system.gateway={{forwards: [{ssh}], latency_cycles: 2000}}",
        "simulation.max_cycles=1000000000000",
        "system.link.latency_cycles=2000",
    )
    (loaded.folder / "idle.traffic").write_text(
        "1000000000000000 00:12:6D:00:00:02 64\n"  # far beyond the end of any test
    )
    simulator()  # built before the clock below starts
    outcomes: list[Outcome] = []
    runner = threading.Thread(target=lambda: outcomes.append(run(loaded, results=results_root)))
    runner.start()
    limit = time.monotonic() + 60
    while not (results_root / "status.jsonl").exists() and time.monotonic() < limit:
        time.sleep(0.02)
    yield results_root
    record = load_simulator(results_root)
    assert record is not None
    end_recorded(record)
    runner.join(timeout=30)
    assert outcomes[0].reason == "interrupted"
    gateway = outcomes[0].result["nodes"][-1]
    assert outcomes[0].result["deterministic"] == gateway["statistics"]["deterministic"]
    assert gateway["ended_at_cycle"] is None


def test_a_node_that_does_not_answer_is_named(gateway_run: Path) -> None:
    status = json.loads((gateway_run / "gateway.json").read_text())
    door = door_of(gateway_run, "node1")
    assert door.port == status["forwards"][0]["host_port"] > 0
    with pytest.raises(InputError, match=r"node1: found no answer from its ssh server within 0.5"):
        wait_until_open(door, 0.5)
    with pytest.raises(InputError, match='found "node9", expected one of the nodes with ssh'):
        door_of(gateway_run, "node9")


def test_a_greeting_in_pieces_is_waited_for(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            line, _ = server.accept()
            for part in (b"SS", b"H-2.0-", b"test\r\n"):
                line.sendall(part)
                time.sleep(0.01)
            line.close()

        thread = threading.Thread(target=serve)
        thread.start()
        assert greets(lambda within_s: socket.create_connection(server.getsockname()), 30)
        thread.join()


def test_places_are_of_nodes_or_of_this_machine() -> None:
    assert place_of("node3:/tmp/a:b") == Place("node3", "/tmp/a:b")
    assert place_of("node3:") == Place("node3", ".")
    assert place_of("./a:b") == Place(None, "./a:b")


def test_files_and_folders_survive_both_ways(here: Door, tmp_path: Path) -> None:
    origin = tmp_path / "it's here"
    (origin / "deep").mkdir(parents=True)
    content = bytes(range(256)) * 1000
    (origin / "deep/data").write_bytes(content)
    (origin / "run").write_text("#!/bin/sh\n")
    (origin / "run").chmod(0o755)
    there = tmp_path / "node"
    there.mkdir()
    copy_to(origin, here, str(there))
    assert (there / "it's here/deep/data").read_bytes() == content
    copy_to(origin / "run", here, str(there / "new name"))
    assert os.access(there / "new name", os.X_OK)
    back = tmp_path / "back"
    copy_from(here, str(there), back)
    assert (back / "it's here/deep/data").read_bytes() == content
    copy_from(here, str(there / "it's here/deep/data"), back)
    assert (back / "data").read_bytes() == content
    copy_from(here, str(there / "new name"), back / "run")
    assert os.access(back / "run", os.X_OK)


def test_what_cannot_be_copied_is_said(here: Door, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="node0: .*no-such-file"):
        copy_from(here, "/no-such-file", tmp_path)
    with pytest.raises(InputError, match="cannot be read: No such file or directory"):
        copy_to(tmp_path / "missing", here, "/tmp")
    (tmp_path / "some").write_text("text")
    with pytest.raises(InputError, match="node0: .*no-such-folder"):
        copy_to(tmp_path / "some", here, "/no-such-folder/some")


def test_watching_a_console_ends_with_the_key_that_is_named(tmp_path: Path) -> None:
    log = tmp_path / "uart.log"
    log.write_text("booted\n")
    show = (
        "import sys; from firesim.access.console import show_log; "
        f"show_log(open({str(log)!r}, 'rb'), lambda: True, sys.stdout.buffer)"
    )
    ours, theirs = os.openpty()
    process = subprocess.Popen([sys.executable, "-P", "-c", show], stdin=theirs, stdout=theirs)
    try:
        assert b"booted" in os.read(ours, 100)
        os.write(ours, b"x")
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(timeout=0.5)
        os.write(ours, b"\x1d")
        assert process.wait(timeout=60) == 0
    finally:
        process.kill()
        process.wait()
        os.close(ours)
        os.close(theirs)


def test_a_consoles_log_is_followed_to_the_end_of_the_run(tmp_path: Path) -> None:
    log = tmp_path / "uart.log"
    log.write_text("early\n" * 2000 + "late\n")
    asked: list[int] = []

    def is_running() -> bool:
        asked.append(1)
        if len(asked) == 2:
            with log.open("a") as stream:
                stream.write("last words\n")
        return len(asked) < 2

    out = io.BytesIO()
    with log.open("rb") as stream:
        show_log(stream, is_running, out)
    text = out.getvalue().decode()
    assert text.endswith("early\nlate\nlast words\n")
    assert text.startswith("early\n")
    assert len(text) < 5000
