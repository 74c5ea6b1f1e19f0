# SPDX-License-Identifier: BSD-3-Clause
"""The random RDMA messages that programs draw in C are those of the reference in Python."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from itertools import islice
from pathlib import Path

import pytest
from firesim_software.builder import LIBRARY

from regression.oracles.rdma_bytes import _filled, _places, messages
from regression.support.rdma_traffic import Traffic
from regression.support.target_digest import memory_digest

HARNESS = """\
#include "rdma_messages.h"

void draw_messages(uint64_t seed, uint64_t count, uint64_t size, uint64_t memory, uint64_t *out) {
  const struct rdma_traffic traffic = {count, size, memory, false};
  uint64_t state = seed + RDMA_MESSAGES_SEED;
  for (uint64_t id = 0; id < count; id++) {
    const struct rdma_message found = rdma_next_message(&state, &traffic);
    *out++ = found.number % RDMA_MESSAGE_KINDS;
    *out++ = found.bytes;
    *out++ = found.local;
    *out++ = found.remote;
    *out++ = id ^ RDMA_IMMEDIATE;
    *out++ = rdma_place(&traffic, id);
  }
}

uint64_t fill(uint64_t seed, uint64_t bytes, void *memory) {
  rdma_fill(memory, bytes, seed);
  return rdma_digest(memory, bytes);
}
"""
WORDS = 6


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    compiler = shutil.which("gcc")
    if compiler is None:
        pytest.skip("no compiler for this machine")
    folder = tmp_path_factory.mktemp("messages")
    harness, built = folder / "harness.c", folder / "messages.so"
    harness.write_text(HARNESS)
    flags = ["-std=gnu11", "-Wall", "-Werror", "-shared", "-fPIC", f"-I{LIBRARY}"]
    subprocess.run([compiler, *flags, "-o", str(built), str(harness)], check=True)
    return _loaded(built)


def _loaded(built: Path) -> ctypes.CDLL:
    loaded = ctypes.CDLL(str(built))
    loaded.draw_messages.argtypes = [*[ctypes.c_uint64] * 4, ctypes.c_void_p]
    loaded.fill.argtypes = [ctypes.c_uint64, ctypes.c_uint64, ctypes.c_void_p]
    loaded.fill.restype = ctypes.c_uint64
    return loaded


@pytest.mark.parametrize(("size", "memory"), [(2_048, 8_192), (5, 64), (16_384, 65_536)])
def test_messages_are_those_of_the_reference(library: ctypes.CDLL, size: int, memory: int) -> None:
    traffic = Traffic(200, size, 512, 1, 77, memory)
    out = (ctypes.c_uint64 * (WORDS * traffic.count))()
    library.draw_messages(traffic.seed, traffic.count, size, memory, out)
    found = [tuple(out[at : at + WORDS]) for at in range(0, len(out), WORDS)]
    places = islice(_places(traffic), traffic.count)
    wanted = [
        (one.operation, one.size, one.local, one.remote, one.immediate, place)
        for one, place in zip(messages(traffic), places, strict=True)
    ]
    assert found == wanted


def test_memory_and_its_hash_are_those_of_the_reference(library: ctypes.CDLL) -> None:
    memory = ctypes.create_string_buffer(1_024)
    hashed = library.fill(5, 1_024, memory)
    assert memory.raw[:1_024] == bytes(_filled(5, 1_024))
    assert hashed == memory_digest(_filled(5, 1_024))
