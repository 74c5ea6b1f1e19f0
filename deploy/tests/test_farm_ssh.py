# SPDX-License-Identifier: BSD-3-Clause
"""Hosts over real ssh: what a host says, and that its loss is found within 10 seconds."""

from __future__ import annotations

import hashlib
import random
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from firesim.bind.check_kept import check_kept
from firesim.farm.file import FarmFile
from firesim.farm.make import make_farm
from firesim.hosts.answers import Nothing
from firesim.hosts.channel import HostLost
from firesim.hosts.client import HostClient, HostError, sha256_of
from firesim.hosts.ready import connected
from firesim_common.errors import InputError
from firesim_common.tools import python_command

from regression.support.hosts.bed import TestHost, farm_text, test_bed, why_not

REASON = why_not()
pytestmark = pytest.mark.skipif(REASON is not None, reason=str(REASON))
FOUND_WITHIN_S = 10.0
ECHO = """
import socket
server = socket.create_server(("127.0.0.1", 4000))
while True:
    with server.accept()[0] as peer:
        while data := peer.recv(65536):
            peer.sendall(data)
"""


@pytest.fixture(scope="module")
def bed() -> Iterator[list[TestHost]]:
    """Return two hosts that stay well."""
    with test_bed(2) as hosts:
        yield hosts


def clients(hosts: list[TestHost], folder: Path, text: str = "") -> list[HostClient]:
    """Return a client for each host of a farm file."""
    file = folder / "lab.yaml"
    file.write_text(text or farm_text(hosts))
    found = make_farm(FarmFile(file)).hosts()
    return [HostClient(host.name, host.link, host.folder) for host in found]


@pytest.fixture
def client(bed: list[TestHost], tmp_path: Path) -> Iterator[HostClient]:
    """Return a client of the first host."""
    one = clients(bed[:1], tmp_path)[0]
    yield one
    one.close()


def test_a_host_says_what_it_is(client: HostClient) -> None:
    about = client.about()
    assert (about.hostname, about.folder) == ("host1", "/root/.firesim")
    assert about.cores >= 1 and about.free_bytes > 2**20


def test_a_run_survives_the_connection(bed: list[TestHost], tmp_path: Path) -> None:
    one, later = clients(bed[:1], tmp_path) + clients(bed[:1], tmp_path)
    one.about()
    one.make("run1", {}, {"go": "echo started; sleep 30\n"})
    file = Path("/bin/sh")
    digest = sha256_of(file)
    one.put(file, digest)
    one.make("run1", {"sh": digest}, {})
    one.start("run1", "sh", ["go"], {})
    one.close()
    assert later.state("run1").alive
    assert later.end("run1", grace_s=5)
    assert later.state("run1").exit_status in (143, None)
    assert not later.end("run1", grace_s=5)
    later.remove("run1")
    later.close()


def test_a_stream_to_a_port_goes_over_the_connection(
    bed: list[TestHost], client: HostClient
) -> None:
    """The sshd of a host is greeted through itself, and what is sent there comes back."""
    with client.port("127.0.0.1", 22) as line:
        line.settimeout(60)
        assert line.recv(4) == b"SSH-"
    bed[0].start("python3", "-c", ECHO, log="/mnt/shared/echo.log")
    data = random.Random(1).randbytes(1 << 20)
    limit = time.monotonic() + 60
    while True:
        try:
            line = client.port("127.0.0.1", 4000)
            break
        except HostError:
            assert time.monotonic() < limit
            time.sleep(0.1)
    with line:
        line.settimeout(60)
        sender = threading.Thread(target=line.sendall, args=(data,))
        sender.start()
        back = b""
        while len(back) < len(data) and (piece := line.recv(1 << 16)):
            back += piece
        sender.join()
    assert back == data


def test_a_folder_that_hosts_do_not_share_is_refused(bed: list[TestHost], tmp_path: Path) -> None:
    file = tmp_path / "lab.yaml"
    file.write_text(farm_text(bed))
    hosts = connected(make_farm(FarmFile(file)).hosts())
    try:
        with pytest.raises(InputError) as caught:
            check_kept(str(tmp_path), hosts)
    finally:
        for ready in hosts:
            ready.client.close()
    text = f'placement.keep_snapshots: found that "{tmp_path}" of this computer is not that of'
    assert str(caught.value).startswith(f"{text} host1, expected a folder that all share (host1: ")
    assert list(tmp_path.iterdir()) == [file]


STOPS: dict[str, Callable[[TestHost], None]] = {
    "killed": TestHost.kill,
    "frozen": TestHost.freeze,
    "cut off": TestHost.cut,
}


@pytest.mark.parametrize("how", STOPS)
@pytest.mark.parametrize("known", [True, False], ids=["connected", "not yet connected"])
def test_a_lost_host_is_noticed(how: str, known: bool, tmp_path: Path) -> None:
    with test_bed(1) as (host,):
        (client,) = clients([host], tmp_path)
        if known:
            client.about()
        STOPS[how](host)
        begun = time.monotonic()
        with pytest.raises(HostLost, match=r"^(host1|10\.213\.)"):
            client.load()
        assert time.monotonic() - begun < FOUND_WITHIN_S
        client.close()
        assert time.monotonic() - begun < FOUND_WITHIN_S + 1


ENDS_WITH_UNSENT = """\
import sys
from pathlib import Path
from firesim.farm.file import FarmFile
from firesim.farm.make import make_farm
from firesim.hosts.channel import HostLost
from firesim.hosts.client import HostClient

(host,) = make_farm(FarmFile(Path(sys.argv[1]))).hosts()
client = HostClient(host.name, host.link, host.folder)
client.about()
channel = client._channel
host.link.connection.client.get_transport().close()
try:
    client.load()
except HostLost as error:
    print(error)
"""
"""A request that could not be sent is still in the channel's buffer when Python ends."""


def test_a_lost_connection_does_not_keep_the_manager_from_ending(
    bed: list[TestHost], tmp_path: Path
) -> None:
    file = tmp_path / "lab.yaml"
    file.write_text(farm_text(bed[:1]))
    words = python_command("-c", ENDS_WITH_UNSENT, file)
    done = subprocess.run(words, capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.startswith("host1: ")


@pytest.mark.parametrize("how", STOPS)
def test_a_host_that_is_lost_while_a_file_is_copied_is_noticed(how: str, tmp_path: Path) -> None:
    """The file has no end, so that the copying cannot be over before."""
    size = 1 << 40
    with test_bed(1, disk_mib=64) as (host,), Path("/dev/zero").open("rb") as zeros:
        (client,) = clients([host], tmp_path)
        client.about()
        stopped: list[float] = []

        def stop() -> None:
            stopped.append(time.monotonic())
            STOPS[how](host)

        timer = threading.Timer(0.5, stop)
        timer.start()
        with pytest.raises(HostLost, match="^host1: "):
            client._call("put", Nothing, zeros, hash="0" * 64, body_bytes=size)
        assert time.monotonic() - stopped[0] < FOUND_WITHIN_S
        begun = time.monotonic()
        client.close()
        assert time.monotonic() - begun < 1


def test_a_mended_host_is_reached_again(tmp_path: Path) -> None:
    with test_bed(1) as (host,):
        (client,) = clients([host], tmp_path)
        client.about()
        host.cut()
        with pytest.raises(HostLost):
            client.load()
        host.mend()
        assert client.load().free_bytes > 0
        client.close()


def test_work_that_takes_long_is_no_loss(client: HostClient, bed: list[TestHost]) -> None:
    """The agent says that it lives while a control socket takes longer than silence may."""
    client.about()
    client.make("slow", {}, {})
    listen = (
        "import socket, time; s = socket.socket(socket.AF_UNIX); "
        "s.bind('/root/.firesim/runs/slow/socket'); s.listen(); "
        "c = s.accept()[0]; c.recv(99); time.sleep(12); c.sendall(b'{\"late\": true}\\n')"
    )
    bed[0].start("python3", "-c", listen, log="/dev/null")
    while "socket" not in bed[0].run("ls", "/root/.firesim/runs/slow"):
        time.sleep(0.05)
    assert client.control("slow", "socket", {}, limit_s=60) == {"late": True}


def test_a_full_disk_is_named(tmp_path: Path) -> None:
    with test_bed(1, disk_mib=64) as (host,):
        (client,) = clients([host], tmp_path)
        client.about()
        host.fill_disk()
        file = tmp_path / "some"
        file.write_bytes(b"x" * 2**20)
        digest = hashlib.sha256(b"x" * 2**20).hexdigest()
        with pytest.raises(HostError, match="host1: .*disk.*full"):
            client.put(file, digest)
        host.free_disk()
        client.put(file, digest)
        assert client.missing([digest]) == set()
        client.close()


def refused(hosts: list[TestHost], folder: Path, text: str) -> str:
    (client,) = clients(hosts, folder, text)
    with pytest.raises(HostLost) as caught:
        client.about()
    return str(caught.value)


def test_an_unknown_host_key_is_refused(bed: list[TestHost], tmp_path: Path) -> None:
    (tmp_path / "none").touch()
    text = farm_text(bed[:1]).replace(str(bed[0].known_hosts), "none")
    found = refused(bed, tmp_path, text)
    assert found == (
        f"{bed[0].address}: found a host key that is not in known_hosts, "
        "expected you to have logged in once"
    )


def test_another_host_key_is_refused(bed: list[TestHost], tmp_path: Path) -> None:
    known = bed[0].known_hosts.read_text().splitlines()
    (tmp_path / "wrong").write_text(f"{bed[0].address} {known[1].partition(' ')[2]}\n")
    text = farm_text(bed[:1]).replace(str(bed[0].known_hosts), "wrong")
    assert refused(bed, tmp_path, text) == (
        f"{bed[0].address}: found another host key than in known_hosts, expected the same host"
    )


def test_a_key_that_is_not_let_in_is_refused(bed: list[TestHost], tmp_path: Path) -> None:
    words = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(tmp_path / "other")]
    subprocess.run(words, check=True)
    text = farm_text(bed[:1]).replace(str(bed[0].key), "other")
    assert refused(bed, tmp_path, text) == (
        f"{bed[0].address}: found none of our ssh keys accepted, "
        "expected one in its authorized_keys"
    )


def test_no_server_there(bed: list[TestHost], tmp_path: Path) -> None:
    text = farm_text(bed[:1]).replace("name: host1,", "name: host1, port: 23,")
    assert "found no ssh server there" in refused(bed, tmp_path, text)
