# SPDX-License-Identifier: BSD-3-Clause
"""MPI over the RDMA NIC: a ping-pong by Debian's MPICH and UCX, unchanged, also with Soft-RoCE.

NetPIPE (Debian's netpipe-mpich2) sends messages of 1 byte to 256 KiB to and fro between two
functional nodes, one rank each: first to measure, then to check bytes. Both nodes have the NIC
by its driver, or the second one has Soft-RoCE (links of 1 Gb/s). UCX carries messages by reliable
connections of the verbs, and sets these up by TCP. Every size must be printed, and all bytes that
NetPIPE checks, those of about a third of the sizes, be right.
The RDMA packets of each end must have room for what it sent as messages, and be counted alike by
both ends and by the capture between them; tshark, where it is installed, must have nothing to
complain of. One hash for any threads.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace

from regression.support.captured_frames import read_capture
from regression.support.cluster import Config, run_cluster
from regression.support.experiment import (
    Experiment,
    ExperimentError,
    Verdict,
    experiment_named,
)
from regression.support.own_kernel import add_kernel_argument, check_kernel
from regression.support.rdma_linux import (
    BLADE,
    DRIVER,
    LINUX,
    SOFT_ROCE,
    Captured,
    Device,
    between_ends,
    hashes,
    slowed_for_software,
    verdict,
)
from regression.support.roce import HEADER_BYTES, is_roce
from regression.support.simulate import Run

WORKLOAD = "linux-mpi"
ENDS = ((DRIVER, DRIVER), (DRIVER, SOFT_ROCE))
"""Ranks 0 and 1."""
COUNT = 5
"""Messages of each size in each direction."""
TRIALS = 3
"""Times that NetPIPE measures each size."""
SHOWN_BYTES = (1, 1_024, 16_384, 262_144)


@dataclass
class _Rows:
    """What the runs showed."""

    sizes: list[list[object]] = field(default_factory=list)
    captured: Captured = field(default_factory=Captured)
    measured: int = 0
    """Sizes of messages."""


def _config(ends: tuple[Device, Device], most: int) -> Config:
    first, second = (replace(end, script=f"rdma-device {end.name}") for end in ends)
    config = between_ends(
        first,
        second,
        f"sh /etc/firesim/netpipe {BLADE} {LINUX} {most} {COUNT}",
        "sh /etc/firesim/mpi worker 2",
        WORKLOAD,
    )
    return slowed_for_software(config, ends)


def _times(run: Run, most: int) -> dict[int, float]:
    """Return microseconds from one rank to the other, by bytes of a message.

    NetPIPE ends badly, and its node with it, when a byte is wrong. It checks fewer sizes than it
    measures, the longest of which is three quarters of the longest one.

    Raises:
        ExperimentError: a size is missing.
    """
    text = run.console(BLADE)
    line = rf"^ *(\d+): +(\d+) bytes +{COUNT} times --> +"
    measured = re.findall(line + r"[\d.]+ Mbps in +([\d.]+) usec", text, re.M)
    checked = re.findall(line + "Integrity check passed", text, re.M)
    for found, least in ((measured, most), (checked, most * 3 // 4)):
        numbers = [int(one[0]) for one in found]
        if numbers != list(range(len(found))) or not found or int(found[-1][1]) < least:
            raise ExperimentError(f"{run.folder}: NetPIPE has not measured and checked all sizes.")
    return {int(size): float(us) for _, size, us in measured}


def _check_volume(run: Run, least_bytes: int) -> None:
    """Check that the RDMA packets of each end have room for its messages.

    Raises:
        ExperimentError: they do not: something else carried messages.
    """
    (path,) = run.folder.rglob("capture*.pcapng")
    frames = [one for one in read_capture(path) if one.inbound and is_roce(one)]
    for port in sorted({one.port for one in frames}):
        found = sum(len(one.data) - HEADER_BYTES for one in frames if one.port == port)
        if found < least_bytes:
            expected = f"expected {least_bytes} or more."
            raise ExperimentError(f"{path}: port {port} sent {found} bytes by RDMA, {expected}")


def _run(experiment: Experiment, rows: _Rows, ends: tuple[Device, Device], most: int) -> None:
    first, second = ends
    run = run_cluster(experiment, f"mpi-{first.name}-{second.name}", _config(ends, most))
    times = _times(run, most)
    _check_volume(run, sum(times) * COUNT * TRIALS)
    packets = sum(rows.captured.note(run, lossy=False))
    rows.measured += len(times)
    for size in SHOWN_BYTES:
        if size in times:
            mib = size / times[size] * 1e6 / 2**20
            row = [second.what, size, COUNT, f"{times[size]:.2f}", f"{mib:.1f}", packets]
            rows.sizes.append(row)


@experiment_named("rdma-mpi", add_kernel_argument)
def run(experiment: Experiment) -> Verdict:
    """Hold when all sizes come back whole, over RDMA, and packets are counted alike."""
    check_kernel(experiment)
    rows = _Rows()
    for ends in ENDS:
        _run(experiment, rows, ends, 16_384 if experiment.quick else 262_144)
    experiment.table(
        "NetPIPE by MPICH over UCX: rank 0 has our NIC by its driver",
        ["rank 1", "bytes", "messages", "one way (us)", "MiB/s", "packets of the run"],
        rows.sizes,
    )
    return verdict(
        experiment,
        rows.captured,
        hashes(experiment, _config((DRIVER, DRIVER), 64)),
        f"{rows.measured} sizes of messages went to and fro by MPI, and checked bytes were right",
        sizes=rows.measured,
    )
