# SPDX-License-Identifier: BSD-3-Clause
"""Results as pandas frames: of runs, of sweeps, compared, exported, and what lacks or is broken."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path

import firesim
import numpy
import pandas
import pytest

MakeTraffic = Callable[..., Path]
SHORT = "0 00:12:6D:00:00:03 1500 repeat 10 1000\n"
PINGS = """\
system: {topology: two_nodes, link: {latency_cycles: 1000}, node: {memory: {size_mib: 16}}}
workload: ping
simulation: {engine: functional}
"""
COUNTED = """\
system: {topology: rack_1, link: {latency_cycles: 2000}, node: {memory: {size_mib: 16}}}
workload: {node: {program: hello}}
simulation:
  max_cycles: 4500
  tracing: {enabled: true, outputs: [folded]}
  autocounter: {enabled: true, interval_cycles: 2000}
"""


def test_frames_say_what_the_files_say(results_root: Path, tmp_path: Path) -> None:
    results = firesim.parse(PINGS).run()
    assert results.exit_status == 0 and results.token_hash == results.result["token_hash"]
    pings, links, ports = results.pings, results.links, results.ports
    assert list(pings["seq"]) == list(range(1, 11)) and set(pings["ideal_cycles"]) == {4020}
    assert pings["cycles"].min() > 4020
    sent = links[links["source"] == "node0"].iloc[0]
    direction = results.result["links"][0]["a_to_b"]
    assert (sent["hash"], sent["flits"]) == (direction["hash"], direction["flits"])
    assert dict(ports.set_index("linked_to")["packets_in"]) == dict(
        links[links["target"] == "tor0"].set_index("source")["packets"]
    )
    assert results.throughput.groupby("port")["bytes_in"].sum().tolist() == list(ports["bytes_in"])
    trips = results.measurements.query("kind == 'ping' and key == 'rtt_cycles'")
    assert list(trips["value"]) == list(pings["cycles"])
    assert (results.consoles["text"].str.startswith("ping seq=1 ")).sum() == 1
    assert list(results.nodes["exit_code"]) == [0, 0]
    assert results.counters.empty and results.stacks.empty
    assert len(results.plot.pings().axes[0].lines) == 2
    assert len(results.plot.throughput().axes[0].lines) == 2
    for kind, read in (("csv", pandas.read_csv), ("parquet", pandas.read_parquet)):
        written = results.export(tmp_path / kind, kind)
        assert tmp_path / kind / f"links.{kind}" in written
        assert not (tmp_path / kind / f"stacks.{kind}").exists()
        pandas.testing.assert_frame_equal(read(tmp_path / kind / f"pings.{kind}"), pings)
    with pytest.raises(firesim.InputError, match='found "parket".*parquet'):
        results.export(tmp_path, "parket")
    # As a simulator that was killed may leave it.
    file = results.folder / "tor0/throughput.csv"
    file.write_text(file.read_text() + "999999,0,1")
    assert len(firesim.Results(results.folder).throughput) == len(results.throughput)


def test_counters_and_stacks_of_a_core(results_root: Path) -> None:
    results = firesim.parse(COUNTED).run()
    assert list(results.counters["cycle"]) == [2000, 4000, 4500]
    instructions = results.counters["hart0_instructions"]
    assert instructions.is_monotonic_increasing and 0 < instructions.iloc[-1] < 4500
    stacks = results.stacks
    assert set(stacks["core"]) == {"hart0"} and 0 < stacks["cycles"].sum() <= 4500
    assert stacks["stack"].str.contains("_start;firesim_start").any()
    (line,) = results.plot.counters().axes[0].lines
    assert float(numpy.sum(line.get_ydata())) == instructions.iloc[-1]
    with pytest.raises(firesim.InputError, match='found "hart0_instruction".*hart0_instructions'):
        results.plot.counters(["hart0_instruction"])


def test_a_sweep_is_a_frame(traffic: MakeTraffic, results_root: Path, tmp_path: Path) -> None:
    run = firesim.load(traffic(SHORT))
    axes = {"system.link.latency_cycles": [100, 150]}
    sweep = run.sweep(axes, tmp_path / "mine", jobs=2)
    alone = [run.changed({"system.link.latency_cycles": c}).run().token_hash for c in (100, 150)]
    assert list(sweep.frame["token_hash"]) == alone and len(sweep) == 2
    assert list(sweep.frame["system.link.latency_cycles"]) == [100, 150]
    before = sweep.frame
    again = run.sweep(axes, tmp_path / "mine")
    pandas.testing.assert_frame_equal(again.frame, before)
    assert firesim.Sweep(tmp_path / "mine").point(1).token_hash == alone[1]
    assert len(sweep.plot().axes) == 1
    differs = firesim.compare(sweep.point(0), sweep.point(1), sweep.point(0))
    hashes = differs[differs["key"] == "token_hash"].iloc[0]
    assert list(hashes)[2:] == [alone[0], alone[1]]
    assert firesim.compare(sweep.point(0), sweep.point(0)).empty
    with pytest.raises(firesim.InputError, match=r"point-02 .*found 0"):
        run.sweep({"system.link.latency_cycles": [100, 0]})
    (tmp_path / "mine/point-01.json").write_text(json.dumps({"values": {}}))
    assert list(firesim.Sweep(tmp_path / "mine").frame["state"].fillna("")) == ["", "passed"]


def test_what_lacks_is_said_in_a_sentence(
    tmp_path: Path, traffic: MakeTraffic, results_root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(firesim.InputError, match="found no description.json, expected a results"):
        firesim.Results(tmp_path)
    with pytest.raises(firesim.InputError, match="found no sweep.json"):
        firesim.Sweep(tmp_path)
    results = firesim.load(traffic(SHORT)).run()
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(firesim.InputError, match="found no pandas, .* -m pip install 'pandas>=2'"):
        results.links  # noqa: B018
