# SPDX-License-Identifier: BSD-3-Clause
"""Matrix products in a lookaside socket, with operands and products over RDMA, against NumPy.

A client reads two matrices of int32 from a server by RDMA, the multiplier beside its core makes
their product, and an RDMA WRITE brings it back. The first one is that of RecoNIC's example, 16 x
16 of i mod 10; the others have random sizes and elements. What is then in the server's memory must
be NumPy's, bit for bit (absolute). Cycles of a multiplication stand beside those that a systolic
array of that size needs, and products that are alone beside several under way: RecoNIC's text
prints no time. One hash for threads, batches and both RTL engines, and captures and counters change
nothing.
"""

from __future__ import annotations

from regression.support.cluster import Config, run_cluster
from regression.support.experiment import Experiment, Verdict, experiment_named
from regression.support.matmul import Products, products, recipe
from regression.support.ways import run_ways

WAYS_QUEUE = 4


def _alone(experiment: Experiment, one: Products) -> None:
    """Show each of the first products beside what the array itself needs."""
    rows = [
        [
            f"{product.rows} x {product.inner} x {product.columns}",
            product.rows + product.inner + product.columns - 2,
            product.cycles,
            product.with_rdma,
        ]
        for product in one.found[:16]
    ]
    columns = ["product", "in the array (cycles)", "with memory", "with RDMA"]
    experiment.table("Products, one at a time (measured)", columns, rows)


def _queued(experiment: Experiment, count: int, seed: int) -> dict[int, Products]:
    """Return the same products by the number that is under way at a time."""
    queues = (1, WAYS_QUEUE) if experiment.quick else (1, 2, 4, 8, 16)
    found = {
        queue: products(
            run_cluster(experiment, f"queue-{queue}", recipe(count, queue, seed, threads=1)),
            count,
            seed,
        )
        for queue in queues
    }
    rows = [[queue, one.cycles, f"{one.cycles / count:.0f}"] for queue, one in found.items()]
    columns = ["under way at a time", "cycles of all", "of each"]
    experiment.table(f"{count} products (measured)", columns, rows)
    return found


@experiment_named("matmul")
def run(experiment: Experiment) -> Verdict:
    """Hold when all products are right, and there is one hash."""
    count, seed = (8 if experiment.quick else 64), experiment.seed & 0xFFFF_FFFF
    more: dict[str, Config] = {
        "captures-and-counters": {"captures": True, "autocounter": {"enabled": True}}
    }
    queued = _queued(experiment, count, seed)
    runs = run_ways(
        experiment, lambda **simulation: recipe(count, WAYS_QUEUE, seed, **simulation), more
    )
    every = [*queued.values(), *(products(one, count, seed) for one in runs.values())]
    right = sum(one.right == count for one in every)
    hashes = {one.token_hash for one in runs.values()}
    _alone(experiment, queued[1])
    full, last = queued[1].found[0], list(queued)[-1]
    experiment.keep(
        token_hashes=sorted(hashes),
        full_size_cycles=full.cycles,
        cycles_of_all={queue: one.cycles for queue, one in queued.items()},
    )
    return Verdict(
        right == len(every) and len(hashes) == 1,
        f"all {count} products are NumPy's in {right} of {len(every)} runs; {len(hashes)} hash of "
        f"{len(runs)} runs; 16 x 16 takes {full.cycles} cycles, {full.with_rdma} with RDMA both "
        f"ways; {queued[last].cycles / count:.0f} each with {last} under way",
        "all, and one hash",
    )
