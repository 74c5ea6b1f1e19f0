# SPDX-License-Identifier: BSD-3-Clause
"""A part says in the stream socket of which NIC it stands: it sees frames of that port alone."""

from __future__ import annotations

from pathlib import Path

import pytest
from firesim.build.part_models import functional_parts
from firesim.build.rtl_blade import definition, load_blade
from firesim.pipeline.load import load_file
from firesim.pipeline.run import run
from firesim_common.errors import InputError
from firesim_software import own_program

BLADE = "description: d\nextends: rocket-1-two-links\nparts: [{part: hll, nic: NIC}]\n"
PROGRAM = r"""
#include "hll.h"
#include "runtime.h"

int main(int hart, const struct arguments *arguments) {
  (void)hart;
  (void)arguments;
  static uint8_t registers[HLL_REGISTERS] __attribute__((aligned(8)));
  uint32_t ranks[HLL_RANKS];
  const struct hll hll = hll_start();
  hll_set_port(&hll, 9);
  hll_control(&hll, HLL_LOOK | HLL_COUNT | HLL_CONSUME);
  for (int i = 0; i < 200000 && hll_counters(&hll).packets < 3; i++) continue;
  hll_control(&hll, HLL_OFF);
  hll_read(&hll, registers);
  hll_ranks(registers, ranks);
  print("packets=%u keys=%lu empty=%u\n", hll_counters(&hll).packets, hll_counters(&hll).keys,
        ranks[0]);
  return 0;
}
"""
KEYS, PACKETS = 8, 3
RECIPE = """
system:
  topology: {nodes: [sender, counter], switches: [s], links: [[sender, s], ["counter:PORT", s]]}
  link: {latency: 200ns}
  nodes:
    sender: {blade: traffic, traffic: keys.traffic}
    counter: {blade: ./own.yaml, memory: {size_mib: 16}}
workload: {nodes: {counter: {elf: counter.elf}}}
simulation: {engine: functional}
"""
FIRST_CYCLE = 2_000_000
"""The unit clears its registers before the program goes on."""


def _packet(number: int) -> str:
    """Return a UDP packet of keys as the digits of a frame to everybody."""
    keys = b"".join((KEYS * number + i).to_bytes(4, "little") for i in range(KEYS))
    udp = bytes.fromhex("10000009") + (8 + len(keys)).to_bytes(2, "big") + bytes(2) + keys
    ip = bytes.fromhex("4500") + (20 + len(udp)).to_bytes(2, "big") + bytes(4)
    ip += bytes.fromhex("40110000ac100002ac100003")
    return ("ff" * 6 + "00126d000002" + "0800") + (ip + udp).hex()


def counted(folder: Path, nic: str, port: int, threads: int = 1) -> tuple[str, str]:
    """Return what a counter in a NIC prints when packets come to a port, and the token hash."""
    folder.mkdir()
    (folder / "own.yaml").write_text(BLADE.replace("NIC", nic))
    (folder / "counter.c").write_text(PROGRAM)
    own_program([folder / "counter.c"], folder / "counter.elf")
    lines = [f"{FIRST_CYCLE + 1000 * i} frame {_packet(i)}\n" for i in range(PACKETS)]
    (folder / "keys.traffic").write_text("".join(lines))
    (folder / "r.yaml").write_text(RECIPE.replace("PORT", str(port)))
    outcome = run(load_file(folder / "r.yaml", [f"simulation.threads={threads}"]))
    assert outcome.exit_status == 0
    return (outcome.folder / "counter/uart.log").read_text(), str(outcome.result["token_hash"])


def test_a_stage_sees_the_frames_of_its_nic_alone(tmp_path: Path, results_root: Path) -> None:
    all_keys = f"packets={PACKETS} keys={PACKETS * KEYS} empty={65536 - PACKETS * KEYS}\n"
    none = "packets=0 keys=0 empty=65536\n"
    first = {port: counted(tmp_path / f"a{port}", "nic", port) for port in (0, 1)}
    second = {port: counted(tmp_path / f"b{port}", "nic1", port) for port in (0, 1)}
    assert [first[0][0], first[1][0], second[0][0], second[1][0]] == [
        all_keys, none, none, all_keys,
    ]  # fmt: skip
    assert counted(tmp_path / "again", "nic1", 1, threads=2) == second[1]


def test_the_hardware_is_told_where_there_is_a_choice(tmp_path: Path) -> None:
    (tmp_path / "own.yaml").write_text(BLADE.replace("NIC", "nic1"))
    blade = load_blade(str(tmp_path / "own.yaml"))
    assert {one["name"]: one.get("nic") for one in definition(blade)}["hll"] == "nic1"
    assert {one["name"]: one.get("port") for one in functional_parts(blade)}["hll"] == 1
    assert all("nic" not in one for one in definition(load_blade("rocket-1-hll")))


def test_a_nic_that_is_not_there_is_refused(tmp_path: Path) -> None:
    (tmp_path / "own.yaml").write_text(BLADE.replace("NIC", "nic2"))
    with pytest.raises(InputError) as caught:
        load_blade(str(tmp_path / "own.yaml"))
    assert str(caught.value) == (
        f'{tmp_path / "own.yaml"}:3: parts[5].nic: found "nic2", expected one of the NICs "nic" or '
        '"nic1", did you mean "nic"?'
    )
