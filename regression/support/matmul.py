# SPDX-License-Identifier: BSD-3-Clause
"""Matrix products beside a core: the nodes and the program `matmul`, and products by NumPy."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy

from regression.support.cluster import Config
from regression.support.experiment import ExperimentError
from regression.support.simulate import Run
from regression.support.splitmix import draws
from regression.support.target_digest import digest
from regression.support.two_nodes import USUAL_LINK, small_node, two_nodes

Matrix = numpy.ndarray[Any, numpy.dtype[numpy.int32]]
SIZE = 16
_SERVER = re.compile(r"matmul product=(\d+) rows=(\d+) inner=(\d+) columns=(\d+) digest=(\w+)")
_CLIENT = re.compile(r"matmul product=(\d+) cycles=(\d+) with_rdma=(\d+)")
_ALL = re.compile(r"matmul all=(\d+)")


def recipe(count: int, queue: int, seed: int, **simulation: object) -> Config:
    """Return a client and a server with products, by the keys of a user's file.

    `queue` of them are under way at a time.
    """
    shared = [f"count={count}", f"seed={seed}"]
    roles = {"client": [f"queue={queue}", *shared], "server": shared}
    return two_nodes("matmul", small_node("rocket-1-matmul"), roles, USUAL_LINK, **simulation)


def operands(seed: int, index: int) -> tuple[Matrix, Matrix]:
    """Return the two matrices of a product."""
    rows, inner, columns = SIZE, SIZE, SIZE
    elements = numpy.tile(numpy.arange(SIZE * SIZE, dtype=numpy.int32) % 10, 2)
    if index:
        rows, inner, columns = (1 + n % SIZE for n in islice(draws(seed + index), 3))
        drawn = islice(draws(~(seed + index)), 2 * SIZE * SIZE)
        elements = numpy.array([n & 0xFFFFFFFF for n in drawn], dtype=numpy.uint32).view("<i4")
    left, right = elements[: SIZE * SIZE], elements[SIZE * SIZE :]
    return left[: rows * inner].reshape(rows, inner), right[: inner * columns].reshape(
        inner, columns
    )


@dataclass(frozen=True)
class Product:
    """A product that the program has made: its sizes, and times in cycles."""

    rows: int
    inner: int
    columns: int
    cycles: int
    with_rdma: int


@dataclass(frozen=True)
class Products:
    """All products of a run: how many are NumPy's on the server, and the cycles of all of them."""

    found: list[Product]
    right: int
    cycles: int


def products(run: Run, count: int, seed: int) -> Products:
    """Return what the program made, by NumPy's products, bit for bit.

    Raises:
        ExperimentError: there are not as many lines as products.
    """
    server, text = _SERVER.findall(run.console("node1")), run.console("node0")
    client, whole = _CLIENT.findall(text), _ALL.search(text)
    if [len(server), len(client)] != [count, count] or whole is None:
        raise ExperimentError(f"{run.folder}: found {len(server)} products, expected {count}.")
    found, right = [], 0
    for index, (line, times) in enumerate(zip(server, client, strict=True)):
        left, other = operands(seed, index)
        expected = left @ other
        data = expected.astype("<i4").tobytes()
        rows, inner, columns = map(int, line[1:4])
        sizes = (*left.shape, other.shape[1])
        same = (rows, inner, columns) == sizes and int(line[0]) == index
        right += same and int(line[4], 16) == digest(data + bytes(-len(data) % 8), 0)
        found.append(Product(rows, inner, columns, int(times[1]), int(times[2])))
    return Products(found, right, int(whole[1]))
