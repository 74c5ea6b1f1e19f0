# SPDX-License-Identifier: BSD-3-Clause
"""Matrix products in a lookaside socket, with operands and products over RDMA, against NumPy.

A client reads two matrices of int32 from a server by RDMA, the multiplier beside its core makes
their product, and an RDMA WRITE brings it back. The first one is that of RecoNIC's example, 16 x
16 of i mod 10; the others have random sizes and elements. What is then in the server's memory must
be NumPy's, bit for bit (absolute). Cycles of a multiplication stand beside those that a systolic
array of that size needs: RecoNIC's text prints no time. One hash for threads, batches and both RTL
engines, and captures and counters change nothing.
"""

from __future__ import annotations

from regression.support.cluster import Config
from regression.support.experiment import Experiment, Verdict, experiment_named
from regression.support.matmul import products, recipe
from regression.support.ways import run_ways


@experiment_named("matmul")
def run(experiment: Experiment) -> Verdict:
    """Hold when all products are right, and there is one hash."""
    count, seed = (8 if experiment.quick else 64), experiment.seed & 0xFFFF_FFFF
    more: dict[str, Config] = {
        "captures-and-counters": {"captures": True, "autocounter": {"enabled": True}}
    }
    runs = run_ways(experiment, lambda **simulation: recipe(count, seed, **simulation), more)
    right = [products(one, count, seed)[1] for one in runs.values()]
    found, _ = products(runs["one-thread"], count, seed)
    rows = [
        [
            f"{one.rows} x {one.inner} x {one.columns}",
            one.rows + one.inner + one.columns - 2,
            one.cycles,
            one.with_rdma,
        ]
        for one in found[:16]
    ]
    columns = ["product", "in the array (cycles)", "with memory", "with RDMA"]
    experiment.table("Products (measured)", columns, rows)
    hashes = {one.token_hash for one in runs.values()}
    experiment.keep(token_hashes=sorted(hashes), full_size_cycles=found[0].cycles)
    full = found[0]
    return Verdict(
        set(right) == {count} and len(hashes) == 1,
        f"{right} of {count} products are NumPy's; {len(hashes)} hash of {len(runs)} runs; "
        f"16 x 16 takes {full.cycles} cycles, {full.with_rdma} with RDMA both ways",
        "all, and one hash",
    )
