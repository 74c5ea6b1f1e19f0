# SPDX-License-Identifier: BSD-3-Clause
"""Phases of a workload by the code that runs in them, and an interval that represents each.

The method is that of SimPoint: T. Sherwood, E. Perelman, G. Hamerly and B. Calder, "Automatically
Characterizing Large Scale Program Behavior", ASPLOS 2002; G. Hamerly, E. Perelman, J. Lau and B.
Calder, "SimPoint 3.0", Journal of Instruction-Level Parallelism, 2005. The score of a clustering
is the Bayesian information criterion of D. Pelleg and A. Moore, "X-means", ICML 2000; clusters
begin as in D. Arthur and S. Vassilvitskii, "k-means++", SODA 2007.

Coordinates are whole numbers, so that sums of their squares are exact in floating point: the same
intervals are chosen on every host, in whatever order it adds.
"""

from __future__ import annotations

import gzip
import math
import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy
import numpy.typing

Array = numpy.typing.NDArray[numpy.float64]
Places = numpy.typing.NDArray[numpy.int64]

DIMENSIONS = 15
"""Onto which vectors are projected (SimPoint 3.0)."""
SCALE_BITS, RANDOM_BITS = 14, 16
"""Coordinates are shares of an interval's instructions, in 2**-14."""
ROUNDING_VARIANCE = 1 / 12
"""Of a coordinate that was rounded: clusters are no denser."""
MOST_LEARNT = 10_000
"""Intervals that clusters are learnt from; the others are only assigned to them."""
STARTS, MOST_STEPS = 5, 100
"""Attempts at each number of clusters, and their steps."""
ENOUGH = 0.9
"""Of the range of scores: the fewest clusters that reach this are taken (SimPoint 3.0)."""


@dataclass(frozen=True)
class Phases:
    """The clusters of a workload's intervals."""

    labels: list[int]
    """The cluster of each interval."""
    representatives: list[int]
    """Of each cluster the interval that is nearest to its centre."""
    scores: list[float]
    """Bayesian information criterion of 1, 2, ... clusters."""

    @property
    def sizes(self) -> list[int]:
        """How many intervals each cluster has."""
        return list(map(int, numpy.bincount(self.labels)))


def read_vectors(lines: Iterator[str], count: int, seed: int) -> Array:
    """Return the projected vectors of `count` intervals from lines "T:block:instructions ...".

    Lines beyond them count for the last interval; intervals without a line have no instructions.
    """
    rng = random.Random(f"{seed} projection")
    directions = numpy.zeros((0, DIMENSIONS), dtype=numpy.int64)
    sums = numpy.zeros((count, DIMENSIONS), dtype=numpy.int64)
    lengths = numpy.zeros(count, dtype=numpy.int64)
    for number, line in enumerate(lines):
        numbers = line.strip().replace(" :", ":").split(":")[1:]
        pairs = numpy.array(numbers, dtype=numpy.int64).reshape(-1, 2)
        if not len(pairs):
            continue
        blocks, instructions = pairs[:, 0] - 1, pairs[:, 1]
        if (more := int(blocks.max()) + 1 - len(directions)) > 0:
            drawn = [rng.getrandbits(RANDOM_BITS) for _ in range(more * DIMENSIONS)]
            new = numpy.array(drawn, dtype=numpy.int64).reshape(more, DIMENSIONS)
            directions = numpy.concatenate([directions, new - (1 << (RANDOM_BITS - 1))])
        at = min(number, count - 1)
        sums[at] += instructions @ directions[blocks]
        lengths[at] += instructions.sum()
    lengths = numpy.maximum(lengths, 1)
    scaled = sums // (lengths[:, None] << (RANDOM_BITS - 1 - SCALE_BITS))
    return scaled.astype(numpy.float64)


def phases(vectors: Array, most: int, seed: int) -> Phases:
    """Return at most `most` clusters of vectors, of which there are more than that."""
    learnt = vectors
    if len(vectors) > MOST_LEARNT:
        chosen = random.Random(f"{seed} learnt").sample(range(len(vectors)), MOST_LEARNT)
        learnt = vectors[sorted(chosen)]
    different = len(numpy.unique(learnt, axis=0))
    found = [_best(learnt, count, seed) for count in range(1, min(most, different) + 1)]
    scores = [score(learnt, centres) for centres in found]
    least = min(scores) + ENOUGH * (max(scores) - min(scores))
    centres = found[next(at for at, one in enumerate(scores) if one >= least)]
    labels, distances = _nearest(vectors, centres)
    # A cluster of the vectors that were learnt from has them, so none is empty.
    numbers, labels = numpy.unique(labels, return_inverse=True)
    representatives = [
        int(numpy.where(labels == label, distances, numpy.inf).argmin())
        for label in range(len(numbers))
    ]
    return Phases(labels.tolist(), representatives, scores)


def score(vectors: Array, centres: Array) -> float:
    """Return the Bayesian information criterion of clusters: of normal distributions alike."""
    labels, distances = _nearest(vectors, centres)
    squares = float(distances.sum())
    count, dimensions, clusters = len(vectors), int(vectors.shape[1]), len(centres)
    degrees = dimensions * max(1, count - clusters)
    variance = max(squares / degrees, ROUNDING_VARIANCE)
    sizes = [int(size) for size in numpy.bincount(labels) if size]
    likelihood = math.fsum(size * math.log(size / count) for size in sizes)
    likelihood -= count * dimensions / 2 * math.log(2 * math.pi * variance)
    likelihood -= squares / variance / 2
    parameters = clusters - 1 + clusters * dimensions + 1
    return likelihood - parameters / 2 * math.log(count)


def _nearest(vectors: Array, centres: Array) -> tuple[Places, Array]:
    """Return the nearest centre of each vector, the first of several, and its squared distance."""
    squares = (vectors * vectors).sum(axis=1)[:, None] + (centres * centres).sum(axis=1)
    distances = squares - 2 * vectors @ centres.T
    labels = distances.argmin(axis=1)
    return labels, distances[numpy.arange(len(vectors)), labels]


def _best(vectors: Array, count: int, seed: int) -> Array:
    """Return the densest of several clusterings: the centres, whose coordinates are whole."""
    found: list[tuple[float, Array]] = []
    for start in range(STARTS if count > 1 else 1):
        centres = _moved(vectors, _first(vectors, count, random.Random(f"{seed} {count} {start}")))
        found.append((float(_nearest(vectors, centres)[1].sum()), centres))
    return min(found, key=lambda one: one[0])[1]


def _first(vectors: Array, count: int, rng: random.Random) -> Array:
    """Return vectors far from each other to begin with (k-means++)."""
    centres = vectors[[rng.randrange(len(vectors))]]
    while len(centres) < count:
        sums = _nearest(vectors, centres)[1].cumsum()
        drawn = rng.randrange(int(sums[-1]))
        place = int(numpy.searchsorted(sums, drawn, side="right"))
        centres = numpy.concatenate([centres, vectors[[place]]])
    return centres


def _moved(vectors: Array, centres: Array) -> Array:
    """Return centres in the middle of their vectors (k-means)."""
    before = None
    for _ in range(MOST_STEPS):
        labels, _ = _nearest(vectors, centres)
        if before is not None and (labels == before).all():
            break
        before = labels
        sizes = numpy.bincount(labels, minlength=len(centres))
        sums = numpy.zeros_like(centres)
        numpy.add.at(sums, labels, vectors)
        full = sizes > 0
        centres = centres.copy()
        centres[full] = numpy.rint(sums[full] / sizes[full, None])
    return centres


def phases_of(file: Path, count: int, most: int, seed: int) -> Phases:
    """Return the phases of a run of `count` intervals by its compressed basic-block vectors."""
    with gzip.open(file, "rt", encoding="ascii") as lines:
        return phases(read_vectors(lines, count, seed), most, seed)
