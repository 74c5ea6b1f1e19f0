# SPDX-License-Identifier: BSD-3-Clause
"""The RDMA NIC and packets that must not do what they ask for: test-case files, on the wire.

Each case is a file: a node without a core sends its packets to a node with the RDMA NIC. What comes
back must be the file's answers, byte for byte, and nothing else: a NAK or silence, as the
specification says. The target's memory must be what the file says: untouched, unless a packet was
right. One hash for threads and batches.
"""

from __future__ import annotations

from regression.support.cluster import merged, run_cluster
from regression.support.experiment import Experiment, ExperimentError, Verdict, experiment_named
from regression.support.rdma_case_runs import CASES, case_config, check_case
from regression.support.rdma_cases import read_case

_QUICK = ("read", "stale_key", "forged_psn")


@experiment_named("rdma-security")
def run(experiment: Experiment) -> Verdict:
    """Hold when every case has its answers, its memory, and one hash."""
    names = _QUICK if experiment.quick else sorted(path.stem for path in CASES.glob("*.yaml"))
    rows, held = [], 0
    for name in names:
        case = read_case(CASES / f"{name}.yaml")
        traffic = experiment.folder / f"{name}.traffic"
        traffic.write_text(case.traffic())
        ran = run_cluster(experiment, name, case_config(case, traffic))
        try:
            check_case(ran, case)
            outcome = "as the file says"
            held += 1
        except ExperimentError as error:
            outcome = str(error)
        rows.append([name, case.about, len(case.expects), len(case.written), outcome])
    columns = ["case", "what it shows", "answers", "payloads written", "found"]
    experiment.table("Test cases", columns, rows)
    again = merged(
        case_config(case, traffic),
        {"simulation": {"threads": 2, "random_batch_seed": experiment.seed | 1}},
    )
    hashes = [ran.token_hash, run_cluster(experiment, "batches", again).token_hash]
    experiment.keep(cases=len(names), held=held, token_hashes=hashes)
    return Verdict(
        held == len(names) and len(set(hashes)) == 1,
        f"{held} of {len(names)} cases answered as their files say, memory too; "
        f"{'one hash' if len(set(hashes)) == 1 else 'two hashes'}",
        "all, one hash",
    )
