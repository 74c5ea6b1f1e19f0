# SPDX-License-Identifier: BSD-3-Clause
"""A run farm of Slurm nodes, against real daemons on hosts of namespaces."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from firesim.farm.base import FarmError
from firesim.farm.file import FarmFile
from firesim.farm.kinds.slurm import Slurm
from firesim.farm.make import make_farm
from firesim.hosts.channel import HostLost, ProcessChannel
from firesim.hosts.client import HostClient, sha256_of
from firesim.hosts.host import Host

from regression.support.hosts.bed import why_not
from regression.support.hosts.slurm import PROGRAMS, Cluster, slurm_cluster

REASON = why_not(*PROGRAMS)
pytestmark = pytest.mark.skipif(REASON is not None, reason=str(REASON))
LAUNCH = """
import sys
from pathlib import Path
from firesim.farm.file import FarmFile
from firesim.farm.make import make_farm
make_farm(FarmFile(Path(sys.argv[1]))).launch(lambda line: print(line, flush=True))
"""


@pytest.fixture(scope="module")
def whole() -> Iterator[Cluster]:
    """Return a cluster of three nodes."""
    with slurm_cluster(3) as found:
        yield found


@pytest.fixture
def cluster(whole: Cluster, monkeypatch: pytest.MonkeyPatch) -> Iterator[Cluster]:
    """Return the cluster without jobs; Slurm's programs reach it."""
    for key, value in whole.environment.items():
        monkeypatch.setenv(key, value)
    yield whole
    whole.ask("scancel", "--user=root")
    while whole.ask("squeue", "--noheader"):
        time.sleep(0.1)


def farm(folder: Path, text: str, name: str = "lab") -> Slurm:
    """Return the farm of a file."""
    file = folder / f"{name}.yaml"
    file.write_text(f"kind: slurm\n{text}\n")
    found = make_farm(FarmFile(file))
    assert isinstance(found, Slurm)
    return found


def silent(line: str) -> None:
    """Say nothing."""


def jobs(cluster: Cluster) -> int:
    """Return how many jobs wait or run."""
    return len(cluster.ask("squeue", "--noheader", "--array").splitlines())


def client_of(host: Host) -> HostClient:
    return HostClient(host.name, host.link, host.folder)


def start_run(client: HostClient) -> None:
    """Start a process on a host that ignores what it can, and that leaves the session."""
    shell = Path("/bin/sh")
    digest = sha256_of(shell)
    client.about()
    client.put(shell, digest)
    go = "trap '' TERM INT HUP; setsid sleep 1000 & wait; sleep 1000"
    client.make("run1", {"sh": digest}, {"go": go})
    client.start("run1", "sh", ["go"], {})
    assert client.state("run1").alive


def sleepers(cluster: Cluster) -> str:
    return "".join(
        node.run("sh", "-c", "ps axo args | grep '^sleep' || true") for node in cluster.nodes
    )


def test_launched_once_and_given_back(cluster: Cluster, tmp_path: Path) -> None:
    lab = farm(tmp_path, "nodes: 2\ncores: 1")
    assert lab.missing().what == ["2 nodes for 60 min"]
    assert lab.hosts() == []
    for _ in range(2):
        lab.launch(silent)
        assert lab.missing().what == [] and jobs(cluster) == 2
    hosts = lab.hosts()
    known = {node.name: node.address for node in cluster.nodes}
    assert len({host.name for host in hosts}) == 2
    for host in hosts:
        assert host.address == known[host.name] and host.cores == 1 and host.since
        client = client_of(host)
        assert client.about().hostname == host.name
        client.close()
    for _ in range(2):
        lab.terminate(silent)
        assert jobs(cluster) == 0 and lab.hosts() == []


def test_a_run_survives_the_srun_and_not_the_job(cluster: Cluster, tmp_path: Path) -> None:
    """Slurm kills the step of an srun that has died; ours holds nothing but the connection."""
    lab = farm(tmp_path, "nodes: 1")
    lab.launch(silent)
    client = client_of(lab.hosts()[0])
    start_run(client)
    channel = client._channel
    assert isinstance(channel, ProcessChannel)
    channel.process.kill()
    with pytest.raises(HostLost):
        client.load()
    agents = "ps axo args | grep '^python3.*import sys' || true"
    node = next(node for node in cluster.nodes if node.name == client.name)
    while node.run("sh", "-c", agents):  # Its agent ends, though Slurm keeps its input open.
        time.sleep(0.1)
    while "sleep" not in sleepers(cluster):
        time.sleep(0.1)
    assert client.state("run1").alive
    client.close()
    lab.terminate(silent)
    assert sleepers(cluster) == ""


def test_a_line_without_end_arrives(cluster: Cluster, tmp_path: Path) -> None:
    """By itself, srun keeps the start of a line until the rest of it comes."""
    lab = farm(tmp_path, "nodes: 1")
    lab.launch(silent)
    client = client_of(lab.hosts()[0])
    client.about()
    client.make("run1", {}, {"result": "{"})
    assert client.read("run1", "result", 0, 100) == b"{"
    client.close()


def test_an_interrupted_launch_goes_on(cluster: Cluster, tmp_path: Path) -> None:
    lab = farm(tmp_path, "nodes: 3")
    for _ in range(3):
        words = [sys.executable, "-c", LAUNCH, str(tmp_path / "lab.yaml")]
        with subprocess.Popen(words, stdout=subprocess.PIPE) as process:
            assert process.stdout is not None
            process.stdout.readline()
            process.send_signal(signal.SIGKILL)
    lab.launch(silent)
    assert (jobs(cluster), len(lab.hosts())) == (3, 3)


def test_two_launches_at_once_ask_for_no_more(cluster: Cluster, tmp_path: Path) -> None:
    lab = farm(tmp_path, "nodes: 2")
    words = [sys.executable, "-c", LAUNCH, str(tmp_path / "lab.yaml")]
    both = [subprocess.Popen(words, stdout=subprocess.DEVNULL) for _ in range(2)]
    for process in both:
        process.wait()
    lab.launch(silent)
    assert (jobs(cluster), len(lab.hosts())) == (2, 2)


def test_what_waits_stays_in_the_queue(cluster: Cluster, tmp_path: Path) -> None:
    other = farm(tmp_path, "nodes: 2", "other")
    other.launch(silent)
    lab = farm(tmp_path, "nodes: 2\nlaunch_timeout_s: 1")
    with pytest.raises(FarmError, match=r"^lab: found that \d of 2 nodes wait"):
        lab.launch(silent)
    asked = ("squeue", "--noheader", "--name=firesim-lab", "-o", "%T %r")
    while "RUNNING" not in (said := cluster.ask(*asked)) or "Resources" not in said:
        time.sleep(0.1)
    with pytest.raises(FarmError) as caught:
        lab.launch(silent)
    assert str(caught.value) == (
        "lab: found that 1 of 2 nodes wait (Resources) after 1 s, expected all; they stay in the "
        "queue: launchrunfarm waits on, terminaterunfarm gives them up."
    )
    assert lab.missing().what == [] and len(lab.hosts()) == 1
    other.terminate(silent)
    farm(tmp_path, "nodes: 2").launch(silent)
    assert (jobs(cluster), len(lab.hosts())) == (2, 2)


def test_terminate_ends_only_its_own(cluster: Cluster, tmp_path: Path) -> None:
    cluster.ask("sbatch", "--output=/dev/null", "--job-name=mine", "--wrap=exec sleep 1000")
    lab = farm(tmp_path, "nodes: 1")
    lab.launch(silent)
    assert jobs(cluster) == 2
    lab.terminate(silent)
    assert cluster.ask("squeue", "--noheader", "--format=%j").split() == ["mine"]


def test_a_lost_node_is_noticed(cluster: Cluster, tmp_path: Path) -> None:
    lab = farm(tmp_path, "nodes: 1")
    lab.launch(silent)
    host = lab.hosts()[0]
    client = client_of(host)
    client.about()
    node = next(node for node in cluster.nodes if node.name == host.name)
    node.cut()
    begun = time.monotonic()
    with pytest.raises(HostLost, match=f"^{host.name}: "):
        client.load()
    assert time.monotonic() - begun < 10
    node.mend()
    assert client.about().hostname == host.name
    client.close()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "nodes: 1\npartition: mian",
            'partition: found "mian", expected a partition of the cluster: "main" or "small", '
            'did you mean "main"?',
        ),
        (
            "nodes: 2\npartition: small",
            "nodes: found 2, expected at most the 1 of partition small.",
        ),
        ("nodes: 9", "nodes: found 9, expected at most the 3 of partition main."),
        (
            "nodes: 1\nconstraint: gpu",
            "sbatch refuses: Batch job submission failed: Invalid feature specification",
        ),
    ],
)
def test_what_cannot_be_had(cluster: Cluster, tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(FarmError) as caught:
        farm(tmp_path, text).launch(silent)
    assert str(caught.value) == f"lab: {message}"
    assert jobs(cluster) == 0


def test_without_slurm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(FarmError) as caught:
        farm(tmp_path, "nodes: 1").missing()
    assert str(caught.value) == (
        "lab: found no program squeue, expected those of Slurm in PATH; start FireSim on a login "
        "node of the cluster."
    )


def test_a_job_that_ends_by_its_time_limit_is_named(cluster: Cluster, tmp_path: Path) -> None:
    lab = farm(tmp_path, "nodes: 1\ntime_limit_min: 1")
    lab.launch(silent)
    client = client_of(lab.hosts()[0])
    client.about()
    number = lab.hosts()[0].kind.split()[-1]
    cluster.ask("scontrol", "update", f"JobId={number}", "EndTime=now+1")
    limit = time.monotonic() + 70
    while "ended" not in "".join(lab.missing().what) and time.monotonic() < limit:
        time.sleep(0.5)
    assert lab.hosts() == []
    assert lab.missing().what == [f"1 nodes for 1 min; job {number} has ended by its time limit"]
    with pytest.raises(HostLost):
        client.load()
    client.close()
