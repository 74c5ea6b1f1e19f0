# SPDX-License-Identifier: BSD-3-Clause
"""The host's side of a supernode: each target has registers and streams of its own.

A small design is compiled as a CPU model and as a supernode of three, whose host's side is driven
word by word. The rows of each target must be those of the CPU model with that target's inputs.
"""

from __future__ import annotations

import random
from pathlib import Path

import pytest

import goldengate
from goldengate import Manifest, Request
from goldengate.channels import Channel
from goldengate.fpga_form import fpga_form
from goldengate.harness import Model
from goldengate.host_words import RowReader, ValueWords, run_command
from goldengate.sharing import Sharing
from goldengate.sharing.compiler import shared_form
from goldengate.stalls import packed, unpacked
from goldengate.tests.designs import seed, top, write
from goldengate.tests.fame1_designs import DESIGN
from goldengate.tests.test_host_top import Host

CYCLES, SEEDS, THREADS = 120, 3, 3
WIDTHS = {"axil_awaddr": 8, "axil_wdata": 32, "axil_bresp": 2, "axil_araddr": 8, "axil_rdata": 32,
          "axil_rresp": 2, "down_data": 64, "up_data": 64}  # fmt: skip
TOGETHER, USED = 4, 12
"""The status of one of several, before and after its first run."""


class Pins:
    """The pins of one target among those of all."""

    def __init__(self, model: Model, thread: int) -> None:
        self.model, self.thread = model, thread

    def _shift(self, name: str) -> tuple[int, int]:
        width = WIDTHS.get(name, 1)
        return width * self.thread, (1 << width) - 1

    def __getitem__(self, name: str) -> int:
        shift, mask = self._shift(name)
        return self.model[name] >> shift & mask

    def __setitem__(self, name: str, value: int) -> None:
        shift, mask = self._shift(name)
        self.model[name] = self.model[name] & ~(mask << shift) | value << shift

    def of(self, result: dict[str, int]) -> dict[str, int]:
        """Return what these pins are after a host cycle."""
        found = {}
        for name, value in result.items():
            shift, mask = self._shift(name)
            found[name] = value >> shift & mask
        return found


class Side(Host):
    """Drives one target; a host cycle is one of all, and takes what comes up to any."""

    def __init__(self, model: Model, thread: int, generator: random.Random) -> None:
        self.pins = Pins(model, thread)
        self.all: list[Side] = [self]
        super().__init__(model, generator)
        self.model = self.pins  # type: ignore[assignment]

    def _cycle(self) -> dict[str, int]:
        for one in self.all:
            one.pins["up_ready"] = int(one.generator.random() < one.eagerness)
        result = self.pins.model.step()
        for one in self.all:
            own = one.pins.of(result)
            if own["up_valid"] and one.pins["up_ready"]:
                one.received.append(own["up_data"])
        return self.pins.of(result)


def sides(model: Model, generator: random.Random) -> list[Side]:
    """Return what drives each target of a supernode after its reset."""
    found = [Side(model, thread, generator) for thread in range(THREADS)]
    for one in found:
        one.all = found
    return found


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path, Manifest]:
    """Build the CPU model and the supernode; return their folders, and the latter's manifest."""
    folder = tmp_path_factory.mktemp("supernode")
    source = write(folder, top(DESIGN))
    cpu = goldengate.compile([source], "Top", folder / "cpu")
    request = Request([str(source)], "Top", str(folder / "form"))
    form = shared_form(request, Sharing(fame5_threads=THREADS))
    host = goldengate.compile(
        form.sources, form.top, folder / "host", clock="host_clock", reset="host_reset"
    )
    plain = fpga_form(Request([str(source)], "Top", str(folder / "plain")))
    assert form.manifest.design_hash == plain.manifest.design_hash
    return cpu, host, form.manifest


def _inputs(generator: random.Random, manifest: Manifest, thread: int) -> list[dict[str, int]]:
    """Return the inputs of a target in each cycle; each target comes out of its reset later."""
    ports = [port for port in manifest.ports if port.direction == "in"]
    return [
        {port.name: generator.getrandbits(port.width_bits) for port in ports}
        | {"reset": int(cycle < 16 + thread)}
        for cycle in range(CYCLES)
    ]


def _check_rows(
    host: Side, reader: RowReader, limit: int, outs: list[Channel], expected: list[dict[str, int]]
) -> None:
    """Take the rows of a run up to `limit`; each must be of the CPU model, the last one whole."""
    while True:
        row = reader.take(host.word, limit)
        for index, token in row.tokens.items():
            assert unpacked(outs[index], token).items() <= expected[row.cycle].items(), row.cycle
        if row.cycle + 1 == limit:
            assert set(row.tokens) == set(range(len(outs)))
            return


def _check_counter(host: Side, before: int, after: int) -> None:
    """Compare a counter between two cycles, and whether the last one made it greater."""
    host.write(0x4C, 0)
    assert host.read_wide(0x40) == after
    assert host.read(0x48) == after - before


@pytest.mark.parametrize("number", range(SEEDS))
def test_each_target_has_the_rows_it_has_alone(
    models: tuple[Path, Path, Manifest], number: int
) -> None:
    cpu, library, manifest = models
    first = seed()
    generator = random.Random(first + number)
    assert manifest.fame1 is not None
    ins = [one for one in manifest.fame1.channels if one.direction == "in"]
    outs = [one for one in manifest.fame1.channels if one.direction == "out"]
    given = [_inputs(generator, manifest, thread) for thread in range(THREADS)]
    expected = []
    for values in given:
        with Model(cpu / "model.so") as model:
            expected.append([model.step(one) for one in [*values, values[-1]]])
    with Model(library / "model.so") as model:
        hosts = sides(model, generator)
        words = [ValueWords(ins) for _ in hosts]
        readers = [RowReader(outs, (1 << len(outs)) - 1) for _ in hosts]
        for host in hosts:
            assert f"{host.read_wide(0x08):016x}" == manifest.design_hash
            host.write(0x28, (1 << len(outs)) - 1)
            host.write(0x34, generator.choice((0, 100)))
        at = 0
        while at < CYCLES:
            limit = min(CYCLES, at + generator.randint(1, 12))
            for thread in generator.sample(range(THREADS), THREADS):
                for cycle in range(at, limit):
                    for index, channel in enumerate(ins):
                        token = packed(channel, given[thread][cycle])
                        for word in words[thread].words(index, cycle, token):
                            hosts[thread].send(word)
                hosts[thread].send(run_command(limit))
            for thread, host in enumerate(hosts):
                _check_rows(host, readers[thread], limit, outs, expected[thread])
                counts = [values["firesim_counter_0"] for values in expected[thread]]
                _check_counter(host, counts[limit - 1], counts[limit])
            at = limit


def test_it_is_no_fault_to_wait_for_the_others(models: tuple[Path, Path, Manifest]) -> None:
    patience = 200
    with Model(models[1] / "model.so") as model:
        hosts = sides(model, random.Random(seed()))
        for host in hosts:
            assert host.read(0x18) == TOGETHER
            host.write(0x1C, patience)
        for host in hosts[:2]:
            host.send(run_command(5))
        for _ in range(2 * patience):
            hosts[0]._cycle()
        assert [host.read(0x18) for host in hosts] == [USED | 1, USED | 1, TOGETHER]
        assert hosts[0].read_wide(0x10) == 0
        hosts[2].send(run_command(9))
        for host in hosts[:2]:
            host.word()
        for _ in range(2 * patience):
            hosts[0]._cycle()
        assert [host.read_wide(0x10) for host in hosts] == [5, 5, 5]
        assert [host.read(0x18) for host in hosts] == [USED, USED, USED | 1]
