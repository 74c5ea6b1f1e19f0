# SPDX-License-Identifier: BSD-3-Clause
"""A real Slurm cluster in a test bed: a host with slurmctld, and nodes n1, n2, … with slurmd.

`with slurm_cluster(3) as cluster:` starts it. Slurm's programs on this computer reach it while
`cluster.environment` holds, which names their configuration and our own munged.
"""

from __future__ import annotations

import os
import secrets
import shutil
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from regression.support.hosts import keeper
from regression.support.hosts.bed import Bed, BedError, TestHost

PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "srun")
START_LIMIT_S = 60.0
CONFIG = """\
ClusterName=bed
SlurmctldHost=head({head})
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={socket}
CryptoType=crypto/munge
ProctrackType={proctrack}
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
JobAcctGatherType=jobacct_gather/none
MpiDefault=none
ReturnToService=2
SlurmdParameters=config_overrides
DebugFlags=NO_CONF_HASH
SlurmdTimeout=15
KillWait=2
StateSaveLocation=/var/spool/slurmctld
SlurmdSpoolDir=/var/spool/slurmd
SlurmctldPidFile=/run/slurmctld.pid
SlurmdPidFile=/run/slurmd.pid
"""


@dataclass(frozen=True)
class Cluster:
    """A cluster that is up."""

    bed: Bed
    nodes: list[TestHost]
    environment: Mapping[str, str]
    """What the programs of Slurm on this computer must find in their environment."""

    def ask(self, *words: str) -> str:
        """Run a program of Slurm here; return what it writes."""
        done = subprocess.run(
            list(words),
            env={**os.environ, **self.environment},
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            raise BedError(f"{words[0]}: {done.stderr.strip()}")
        return done.stdout


@contextmanager
def slurm_cluster(
    nodes: int, proctrack: str = "proctrack/pgid", disk_mib: int = 512
) -> Iterator[Cluster]:
    """Start a cluster with `nodes` nodes of two cores; partitions `main`, and `small` of one node.

    Raises:
        BedError: its daemons do not start; the text has the end of their logs.
    """
    bed = Bed()
    try:
        head = bed.add("head", disk_mib=disk_mib)
        hosts = [bed.add(f"n{number + 1}", disk_mib=disk_mib) for number in range(nodes)]
        key = bed.shared / "munge.key"
        key.write_bytes(secrets.token_bytes(128))
        key.chmod(0o400)
        for host in [head, *hosts]:
            host.run("mkdir", "-p", "/run/munge", "/var/spool/slurmctld", "/var/spool/slurmd")
            _start_munged(bed, host.name, "/run/munge", f"{keeper.PLACE}/shared/munge.key")
        own = f"{keeper.PLACE}/munge"
        bed.run("", "mkdir", "-m", "755", own)
        _start_munged(bed, "", own, f"{keeper.PLACE}/shared/munge.key")
        _write_config(bed, head, hosts, proctrack)
        conf = f"{keeper.PLACE}/shared/slurm.conf"
        log = f"{keeper.PLACE}/shared/slurmctld.log"
        head.start("slurmctld", "-D", "-f", conf, log=log)
        for host in hosts:
            log = f"{keeper.PLACE}/shared/{host.name}/slurmd.log"
            host.start("slurmd", "-D", "-f", conf, "-N", host.name, log=log)
        cluster = Cluster(bed, hosts, {"SLURM_CONF": str(bed.folder / "manager/slurm.conf")})
        _wait_for_nodes(cluster)
        yield cluster
    finally:
        bed.close()


def _start_munged(bed: Bed, host: str, folder: str, key: str) -> None:
    munged = shutil.which("munged")
    assert munged is not None
    words = [munged, "--foreground", "--force", f"--key-file={key}"]
    words += [f"--socket={folder}/socket", f"--pid-file={folder}/pid"]
    words += [f"--log-file={folder}/log", f"--seed-file={folder}/seed"]
    bed.ask("start", name=host, words=words, log="/dev/null")
    wait = f"until test -S {folder}/socket; do sleep 0.02; done"
    bed.run(host, "timeout", "20", "sh", "-c", wait)


def _write_config(bed: Bed, head: TestHost, hosts: list[TestHost], proctrack: str) -> None:
    names = [host.name for host in hosts]
    lines = [
        f"NodeName={host.name} NodeHostname={host.name} NodeAddr={host.address} "
        "CPUs=2 RealMemory=2000"
        for host in hosts
    ]
    lines.append(f"PartitionName=main Nodes={','.join(names)} Default=YES State=UP")
    lines.append(f"PartitionName=small Nodes={names[0]} State=UP")
    places = {
        bed.shared / "slurm.conf": Path("/run/munge/socket"),
        bed.folder / "manager/slurm.conf": bed.folder / "munge/socket",
    }
    for file, socket in places.items():
        head_text = CONFIG.format(head=head.address, socket=socket, proctrack=proctrack)
        file.write_text(head_text + "\n".join(lines) + "\n")


def _wait_for_nodes(cluster: Cluster) -> None:
    limit = time.monotonic() + START_LIMIT_S
    while time.monotonic() < limit:
        try:
            idle = cluster.ask("sinfo", "-h", "-p", "main", "-t", "idle", "-o", "%D").strip()
            if idle == str(len(cluster.nodes)):
                return
        except BedError:
            pass  # The controller does not listen yet.
        time.sleep(0.1)
    logs = sorted(cluster.bed.shared.rglob("slurm*d.log"))
    tails = [f"{log.name}: {log.read_text(errors='replace')[-500:]}" for log in logs]
    raise BedError("the nodes of Slurm did not become idle\n" + "\n".join(tails))
