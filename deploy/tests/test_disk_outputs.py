# SPDX-License-Identifier: BSD-3-Clause
"""Files of a node's disk after a run: what the guest wrote over the image, and what is refused.

A small target writes one sector of its disk over a file's only block; the file that comes out holds
what was written. Broken file systems and names that lead elsewhere leave sentences.
"""

from __future__ import annotations

import random
import shutil
import subprocess
from pathlib import Path

import pytest
from firesim.pipeline.load import load_text
from firesim.pipeline.resolve import resolve
from firesim.results import disk_outputs
from firesim.results.disk_outputs import Found, read_disk
from firesim.results.outputs import collect_outputs, missing_outputs
from firesim_common.errors import InputError

from regression.support.one_board import simulated

MIB = 1 << 20
SYSTEM = "system: {topology: rack_1}\n"
WRITER = """\
// Writes 512 bytes of one letter to a sector, and ends.
module Writer (input clock, input reset);
  logic [6:0] beats;
  logic asked;
  wire req_ready, wdata_ready, wack_valid;
  FireSimBlockDeviceBridge disk (
      .clock, .reset, .req_valid(!reset && !asked), .req_write(1'b1), .req_sector(32'dSECTOR),
      .req_count(16'd1), .req_tag(8'd0), .req_ready, .wdata_valid(asked && beats != 7'd64),
      .wdata_bits(64'h7a7a7a7a7a7a7a7a), .wdata_tag(8'd0), .wdata_ready, .rdata_valid(),
      .rdata_bits(), .rdata_tag(), .rdata_ready(1'b1), .wack_valid, .wack_tag(),
      .wack_ready(1'b1), .info_sectors(), .info_max_request());
  FireSimTerminationBridge done (
      .clock, .reset, .valid(!reset && wack_valid), .value(32'h5555));
  always_ff @(posedge clock)
    if (reset) begin
      asked <= 1'b0;
      beats <= 7'd0;
    end else begin
      if (req_ready) asked <= 1'b1;
      if (asked && wdata_ready && beats != 7'd64) beats <= beats + 7'd1;
    end
endmodule
"""
RECIPE = """\
system:
  topology: {nodes: [soc], switches: [], links: []}
  blades: {mine: {sources: [writer.sv], top: Writer}}
  node: {blade: mine}
workload: {nodes: {soc: {disk_image: disk.img, disk_outputs: [/out, /none, /log]}}}
simulation: {max_cycles: 10_000, threads: 1}
"""


def image(folder: Path) -> Path:
    """Make an ext4 image of 4 MiB with a few files."""
    tree = folder / "tree"
    (tree / "out/sub").mkdir(parents=True)
    (tree / "out/a").write_text("a" * 512)
    (tree / "out/sub/b c").write_text("b\n")
    (tree / "out/link").symlink_to("/etc/passwd")
    (tree / "log").write_text("l" * 4096)
    (tree / "empty").mkdir()
    made = folder / "disk.img"
    with made.open("wb") as file:
        file.truncate(4 * MIB)
    tool = shutil.which("mke2fs", path="/usr/sbin:/sbin:/usr/bin")
    assert tool is not None
    subprocess.run([tool, "-q", "-t", "ext4", "-b", "4096", "-d", tree, made], check=True)
    return made


def sector_of(disk: Path, content: bytes) -> int:
    """Return where the disk has a content."""
    data, step = disk.read_bytes(), disk_outputs.SECTOR_BYTES
    # By sectors: what lies before it may end with the same letter, such as a checksum.
    return next(at for at in range(0, len(data), step) if data.startswith(content, at)) // step


@pytest.mark.parametrize("engine", ["generated", "verilator"])
def test_what_the_guest_wrote_comes_out(tmp_path: Path, engine: str) -> None:
    disk = image(tmp_path)
    sector = sector_of(disk, b"l" * 4096) + 3
    (tmp_path / "writer.sv").write_text(WRITER.replace("32'dSECTOR", f"32'd{sector}"))
    (tmp_path / "mine.yaml").write_text(RECIPE)
    before = disk.read_bytes()
    outcome = simulated(
        tmp_path, tmp_path / "r", f"simulation.rtl_engine={engine}", recipe="mine.yaml"
    )
    (node,) = outcome.result["nodes"]
    assert node["exit_code"] == 0
    found = tmp_path / "r/soc/outputs"
    files = {str(path.relative_to(found)) for path in found.rglob("*") if path.is_file()}
    assert files == {"out/a", "out/sub/b c", "log"}
    assert (found / "log").read_bytes() == b"l" * 1536 + b"z" * 512 + b"l" * 2048
    assert (found / "out/a").read_text() == "a" * 512
    assert missing_outputs(tmp_path / "r") == ["soc: /none: no such file on the disk"]
    assert disk.read_bytes() == before
    assert not list((tmp_path / "r/soc").glob(".disk-*"))


def read(tmp_path: Path, disk: Path, *wanted: str) -> Found:
    """Read a disk over which nothing was written."""
    overlay = tmp_path / "disk.overlay"
    overlay.write_bytes(b"")
    overlay.with_name("disk.overlay.sectors").write_text("")
    return read_disk(disk, overlay, wanted, tmp_path / "outputs")


def test_each_path_without_a_file_is_said(tmp_path: Path) -> None:
    disk = image(tmp_path)
    wanted = ["/empty", "/out/link", "/../etc/passwd", "/nothing"]
    assert read(tmp_path, disk, *wanted).missing == [
        "/empty: a folder without files",
        "/out/link: neither a file nor a folder",
        '/../etc/passwd: expected a path without ".."',
        "/nothing: no such file on the disk",
    ]
    text = tmp_path / "text.img"
    text.write_bytes(b"no file system" * 512)
    assert read(tmp_path, text, "/out").missing == [
        "/out: no file system of ext2, ext3 or ext4 on the disk"
    ]
    (tmp_path / "disk.overlay.sectors").unlink()
    cut = read_disk(disk, tmp_path / "disk.overlay", ("/out",), tmp_path / "outputs")
    assert cut.missing == ["/out: the run did not end by itself"]


def test_there_are_limits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    disk = image(tmp_path)
    monkeypatch.setattr(disk_outputs, "MOST_BYTES", 600)
    found = read(tmp_path, disk, "/out", "/log")
    assert found.files == ["/out/a", "/out/sub/b c"]
    assert found.missing == ["/log: more than 0 GiB in all"]
    monkeypatch.setattr(disk_outputs, "MOST_DEPTH", 1)
    assert read(tmp_path, disk, "/out").missing == ["/out/sub: deeper than 1 folders"]


def test_broken_file_systems_harm_nothing(tmp_path: Path) -> None:
    disk = image(tmp_path)
    good = disk.read_bytes()
    seed = 1
    print(f"seed {seed}")
    generator = random.Random(seed)
    for number in range(20):
        broken = bytearray(good)
        for _ in range(generator.choice((3, 300))):
            broken[generator.randrange(1024, 300_000)] = generator.randrange(256)
        file = tmp_path / f"broken{number}.img"
        file.write_bytes(broken)
        read(tmp_path, file, "/out", "/log")
        file.unlink()
    outside = {path.name for path in tmp_path.iterdir()}
    assert outside == {"disk.img", "tree", "disk.overlay", "disk.overlay.sectors", "outputs"}


def test_errors_outputs_without_an_image() -> None:
    with pytest.raises(InputError, match='disk_outputs for node "node0", expected a disk_image'):
        resolve(load_text(SYSTEM + "workload: {node: {program: hello, disk_outputs: [/a]}}\n"))


def test_a_plan_without_them_reads_no_disk(tmp_path: Path) -> None:
    plan = resolve(load_text(SYSTEM + "workload: {node: {program: hello}}\n"))
    assert collect_outputs(plan, tmp_path) == []
