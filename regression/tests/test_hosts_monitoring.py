# SPDX-License-Identifier: BSD-3-Clause
"""A run on two hosts, each with a kernel's view of its own, is watched from here."""

from __future__ import annotations

from pathlib import Path

import pytest
from firesim.pipeline.run import run

from regression.support.hosts.bed import test_bed, why_not
from regression.support.hosts.lab import farm_file, loaded
from regression.support.scrape import scraping

REASON = why_not()
pytestmark = pytest.mark.skipif(REASON is not None, reason=str(REASON))
RECIPE = """\
system:
  topology: two_nodes
  link: {latency_cycles: 1000}
  node: {blade: traffic, traffic: node1.traffic}
  nodes: {node0: {traffic: node0.traffic}}
simulation:
  threads: 1
  status_interval_s: 0.05
  max_cycles: 1500000
  monitoring: {metrics_port: 0}
placement: {parts: {node0: host1, tor0: host1, node1: host2}}
"""
FRAME = "0 00:12:6D:00:00:03 1500 repeat 1000 1500\n"


def test_load_and_network_of_both_hosts_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FIRESIM_RESULTS", str(tmp_path / "results"))
    (tmp_path / "node0.traffic").write_text(FRAME)
    (tmp_path / "node1.traffic").write_text("# sends nothing\n")
    recipe = tmp_path / "run.yaml"
    recipe.write_text(RECIPE)
    with test_bed(2) as hosts, scraping() as scraper:
        farm = farm_file(tmp_path, hosts)
        there = run(loaded(str(recipe), [], farm), console=scraper.console)
    here = run(loaded(str(recipe), ["simulation.monitoring.metrics_port=null", "placement={}"]))
    assert there.result["token_hash"] == here.result["token_hash"]
    last = scraper.answers[-1]
    assert last.value("firesim_target_cycles") == there.result["end_cycle"] == 1_500_000
    places = {"node0": "host1", "tor0": "host1", "node1": "host2"}
    for name, host in places.items():
        assert last.value("firesim_model_cycles", model=name, host=host) == 1_500_000
    for link in there.result["links"]:
        for direction in ("a_to_b", "b_to_a"):
            labels = {"link": link["name"], "direction": direction}
            assert last.value("firesim_link_flits_total", **labels) == link[direction]["flits"]
    # What node0 sends passes from one host to the other; each sees it from its own end.
    sent = "firesim_host_network_sent_bytes_total"
    received = "firesim_host_network_received_bytes_total"
    assert last.labels(sent, "host") == {"host1", "host2"}
    for host in ("host1", "host2"):
        assert last.value(sent, host=host) > 0 and last.value(received, host=host) > 0
        assert last.value("firesim_simulator_resident_bytes", host=host) > 1 << 20
        assert last.value("firesim_host_cores", host=host) >= 1
