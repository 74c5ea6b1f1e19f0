# SPDX-License-Identifier: BSD-3-Clause
"""Images of FPGAs on AWS, against moto: made of a checkpoint, noted, shared."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from firesim.bitstream.database import bitstream_file, entry_of
from firesim.cli.main import app
from firesim.config.hwdb import HwdbEntry
from typer.testing import CliRunner, Result

from regression.support.hosts.cloud import REGION, cloud, fpga_images

RUNNER = CliRunner()
Images = dict[str, dict[str, Any]]


@pytest.fixture
def images(tmp_path: Path) -> Iterator[Images]:
    with cloud(tmp_path), fpga_images() as found:
        import boto3

        boto3.client("s3", REGION).create_bucket(Bucket="mine")
        (tmp_path / "a.tar").write_bytes(b"checkpoint")
        yield found


def make(folder: Path, name: str = "reflector-f2", **more: str) -> Result:
    given = {"bucket": "mine", "fingerprint": "0123456789abcdef", **more}
    words = ["tar2afi", str(folder / "a.tar"), "--name", name, "--frequency-mhz", "60"]
    for key, value in given.items():
        words += [f"--{key}", value]
    return RUNNER.invoke(app, [*words, "--poll-s", "0.01", "--hwdb", str(folder / "hwdb.yaml")])


def test_an_image_is_made_noted_and_shared(images: Images, tmp_path: Path) -> None:
    result = make(tmp_path)
    assert result.exit_code == 0, result.output
    entry = entry_of(tmp_path / "hwdb.yaml", "reflector-f2")
    assert (entry.board, entry.fingerprint, entry.region) == ("f2", "0123456789abcdef", REGION)
    assert list(images) == [entry.afi] and images[str(entry.afi)]["looks"] == 2
    import boto3

    where = images[str(entry.afi)]["where"]
    stored = boto3.client("s3", REGION).get_object(Bucket=where["Bucket"], Key=where["Key"])
    assert stored["Body"].read() == b"checkpoint"
    words = ["shareagfi", "reflector-f2", "--hwdb", str(tmp_path / "hwdb.yaml")]
    result = RUNNER.invoke(app, [*words, "--account", "123456789012", "--public"])
    assert result.exit_code == 0, result.output
    assert f"{entry.agfi} may be loaded by 123456789012, all" in result.output


def test_a_bitstream_comes_from_s3(
    images: Images, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import boto3

    monkeypatch.setenv("FIRESIM_CACHE", str(tmp_path / "cache"))
    boto3.client("s3", REGION).put_object(Bucket="mine", Key="a/b.bit", Body=b"bits")
    entry = HwdbEntry(
        bitstream="s3://mine/a/b.bit",
        fingerprint="0123456789abcdef",
        board="ulx3s",
        frequency_mhz=25.0,
        built="2026-11-23T14:00:00Z",
    )
    assert bitstream_file(tmp_path / "hwdb.yaml", "a", entry).read_bytes() == b"bits"


def test_the_same_checkpoint_is_one_image(images: Images, tmp_path: Path) -> None:
    assert make(tmp_path).exit_code == make(tmp_path).exit_code == 0
    assert len(images) == 1


def test_an_image_that_fails_is_a_sentence(images: Images, tmp_path: Path) -> None:
    result = make(tmp_path, "bad")
    assert result.exit_code == 3
    assert "failed: No checkpoint in the tar." in result.stderr
    assert not (tmp_path / "hwdb.yaml").exists()


def test_an_image_that_failed_is_tried_again(images: Images, tmp_path: Path) -> None:
    assert make(tmp_path, "bad").exit_code == 3
    (first,) = images
    # The same tar an hour later, when AWS is well again.
    images[first]["made"] -= timedelta(hours=1)
    again = make(tmp_path, "bad")
    assert again.exit_code == 3 and len(images) == 2  # A second image, which fails, too.
    assert f"{first} failed before, and is tried again" in again.stdout
    for image in images.values():
        image["made"] -= timedelta(hours=1)
    (_, second) = images
    images[second]["name"] = "mended"
    assert make(tmp_path, "bad").exit_code == 0
    assert len(images) == 2 and entry_of(tmp_path / "hwdb.yaml", "bad").afi == second


def test_an_image_is_copied_to_regions_and_shared_there(images: Images, tmp_path: Path) -> None:
    more = {"also-in": "eu-west-2"}
    assert make(tmp_path, **more).exit_code == make(tmp_path, **more).exit_code == 0
    entry = entry_of(tmp_path / "hwdb.yaml", "reflector-f2")
    assert len(images) == 2 and list(entry.copies) == ["eu-west-2"]
    copy = images[entry.copies["eu-west-2"]]
    assert copy["from"] == ("reflector-f2", REGION, "eu-west-2")
    words = ["shareagfi", "reflector-f2", "--hwdb", str(tmp_path / "hwdb.yaml"), "--public"]
    assert RUNNER.invoke(app, words).exit_code == 0
    assert [image["allowed"] for image in images.values()] == [[{"Group": "all"}]] * 2
    # Made again without the option, its copies are still known.
    assert make(tmp_path).exit_code == 0
    assert entry_of(tmp_path / "hwdb.yaml", "reflector-f2").copies == entry.copies


def test_a_bucket_that_is_not_there(images: Images, tmp_path: Path) -> None:
    result = make(tmp_path, bucket="other")
    assert result.exit_code == 3
    assert "to make an image of a.tar" in result.stderr


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--account", "12"], '--account: found "12", expected the 12 digits of an AWS account.'),
        ([], "shareagfi: found nobody to share with, expected --account or --public."),
    ],
)
def test_bad_words(words: list[str], sentence: str) -> None:
    result = RUNNER.invoke(app, ["shareagfi", "a", *words])
    assert result.exit_code == 2 and sentence in result.stderr


def test_a_bitstream_is_not_shared(tmp_path: Path) -> None:
    text = "a: {bitstream: a.bit, fingerprint: 0123456789abcdef, board: ulx3s, "
    text += "frequency_mhz: 25.0, built: now}\n"
    text = text.replace("0123456789abcdef", '"0123456789abcdef"')
    (tmp_path / "hwdb.yaml").write_text(text)
    words = ["shareagfi", "a", "--public", "--hwdb", str(tmp_path / "hwdb.yaml")]
    result = RUNNER.invoke(app, words)
    assert result.exit_code == 2
    assert 'found "a", a bitstream, expected an entry with an agfi.' in result.stderr
