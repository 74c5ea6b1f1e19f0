# SPDX-License-Identifier: BSD-3-Clause
"""`firesim why`: the event is found in its exact cycle, and a page says what was around it."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path

import pytest
from firesim.api import Why, ask_why
from firesim.cli.main import app
from firesim.pipeline.load import load_file, load_text
from firesim.pipeline.run import run
from firesim.timeline.captures import Seen
from firesim.timeline.window import Window
from firesim.why import again
from firesim.why.around import source_of, stacks_of
from firesim.why.drops import lost_packets
from firesim.why.wanted import wanted_of
from firesim_common.errors import InputError
from typer.testing import CliRunner

RUNNER = CliRunner()
STEPS = """\
module Steps (input logic clock, input logic reset);
  logic [15:0] count, square;
  always_ff @(posedge clock) begin
    count <= reset ? 0 : count + 1;
    if (!reset) assert (square != 16'd8836) else $error("94 came");
    if (!reset && count[3:0] == 0) $display("count is %0d", count);
  end
  assign square = count * count;
  FireSimTerminationBridge over (.clock, .reset, .valid(count == 3000), .value(32'h5555));
endmodule
"""
STEPS_RUN = """\
system:
  topology: {nodes: [soc], switches: [], links: []}
  blades: {steps: {sources: [steps.sv], top: Steps}}
  node: {blade: steps}
"""
FAILED_CYCLE = 110
"""Reset lasts 16 cycles, and 94 times 94 is 8836."""


def _hash(folder: Path) -> str:
    total = hashlib.sha256()
    for file in sorted(folder.rglob("*")):
        total.update(str(file.relative_to(folder)).encode())
        total.update(file.read_bytes() if file.is_file() else b"")
    return total.hexdigest()


@pytest.fixture(scope="module")
def failed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the results of a design of which an assert fails."""
    place = tmp_path_factory.mktemp("failed")
    (place / "steps.sv").write_text(STEPS)
    (place / "steps.yaml").write_text(STEPS_RUN)
    outcome = run(load_file(place / "steps.yaml"), results=place / "run")
    assert outcome.reason == "assert"
    return outcome.folder


def test_a_failed_assert_on_one_page(failed: Path, tmp_path: Path) -> None:
    before = _hash(failed)
    done = RUNNER.invoke(
        app, ["why", str(failed), "--cycles", "50", "--results", str(tmp_path / "why")]
    )
    assert done.exit_code == 0, done.output
    assert f"cycle {FAILED_CYCLE} of soc" in done.output
    page = (tmp_path / "why/why.html").read_text()
    assert "94 came" in page and "steps.sv:5" in page
    assert "0x2284" in page and "0x21c9" in page  # the square in that cycle and the one before
    recorded = json.loads((failed / "result.json").read_text())["token_hash"]
    assert f"token hash {recorded}, as recorded" in page
    assert (tmp_path / "why/replay/soc/waves.fst").is_file()
    assert "replay/soc/waves.fst" in page
    assert not (tmp_path / "why" / again.CHECKED).exists()
    assert _hash(failed) == before


def test_the_page_needs_no_other_address(failed: Path, tmp_path: Path) -> None:
    found = ask_why(failed, asserted=True, cycles=50, results=tmp_path / "why")
    assert isinstance(found, Why) and found.cause.source == "steps.sv:5"
    links = re.findall(r'(?:href|src)="([^"]+)"', found.page.read_text())
    assert links and all((found.page.parent / link).is_file() for link in links)


def test_a_print_of_the_rtl(failed: Path, tmp_path: Path) -> None:
    found = ask_why(failed, "soc", text="count is", nth=3, cycles=20, results=tmp_path / "why")
    assert (found.cause.what, found.cause.cycle) == ("count is 32", 48)
    assert found.window == Window(28, FAILED_CYCLE + 1)


def test_a_run_that_repeats_otherwise_is_refused(tmp_path: Path) -> None:
    (tmp_path / "steps.sv").write_text(STEPS)
    (tmp_path / "steps.yaml").write_text(STEPS_RUN)
    folder = run(load_file(tmp_path / "steps.yaml"), results=tmp_path / "run").folder
    (tmp_path / "steps.sv").write_text(STEPS.replace("8836", "8100"))
    with pytest.raises(InputError, match=r"in the replay of .* have changed since"):
        ask_why(folder, results=tmp_path / "why")


PRINTED_OFTEN = STEPS.replace("8836", "8835")  # no square: the assert holds


def test_the_replay_stops_at_an_event_that_is_known(tmp_path: Path) -> None:
    (tmp_path / "steps.sv").write_text(PRINTED_OFTEN)
    (tmp_path / "steps.yaml").write_text(STEPS_RUN)
    folder = run(load_file(tmp_path / "steps.yaml"), results=tmp_path / "run").folder
    recorded = json.loads((folder / "result.json").read_text())
    assert recorded["end_cycle"] > 3000
    seen = []
    for whole, words in (
        (False, "up to cycle 149: 9 lines and 0 packets are as recorded"),
        (True, f"token hash {recorded['token_hash']}, as recorded"),
    ):
        place = tmp_path / f"why{whole}"
        found = ask_why(folder, text="count is", nth=3, cycles=20, whole=whole, results=place)
        assert (found.cause.cycle, found.window) == (48, Window(28, 149))
        assert words in found.page.read_text()
        seen.append((found.replay / "soc/prints.log").read_bytes())
    assert seen[0] == seen[1]
    # What comes later is another run's: only the whole one finds that.
    when = "count[3:0] == 0"
    (tmp_path / "steps.sv").write_text(PRINTED_OFTEN.replace(when, f"{when} && count != 2000"))
    ask_why(folder, text="count is", nth=3, cycles=20, results=tmp_path / "later")
    (tmp_path / "steps.sv").write_text(PRINTED_OFTEN.replace(when, f"{when} && count != 48"))
    with pytest.raises(InputError, match=r"found another print of soc in the replay of .* since"):
        ask_why(folder, text="count is", nth=3, cycles=20, results=tmp_path / "sooner")


INCAST = """\
system:
  topology: rack_3
  link: {latency_cycles: 100}
  node: {blade: traffic}
  nodes:
    node0: {traffic: node0.traffic}
    node1: {traffic: node1.traffic}
    node2: {traffic: node2.traffic}
  switch: {buffer_bytes: 3072}
simulation: {threads: 1, status_interval_s: 0.05}
"""


def test_a_dropped_packet(tmp_path: Path) -> None:
    for node in (0, 1):
        lines = [f"{1000 + 130 * number} 00:12:6D:00:00:04 1024" for number in range(12)]
        (tmp_path / f"node{node}.traffic").write_text("\n".join(lines) + "\n")
    (tmp_path / "node2.traffic").write_text("# sends nothing\n")
    (tmp_path / "run.yaml").write_text(INCAST)
    outcome = run(load_file(tmp_path / "run.yaml"), results=tmp_path / "run")
    ports = json.loads((outcome.folder / "tor0/ports.json").read_text())["ports"]
    dropped = sum(port["dropped_queue_full"] for port in ports)
    assert dropped > 3
    cycles = []
    for nth in (1, 3):
        found = ask_why(
            outcome.folder, drop="tor0", nth=nth, cycles=400, results=tmp_path / f"why{nth}"
        )
        cycles.append(found.cause.cycle)
        page = found.page.read_text()
        assert "queue full" in page and ">dropped<" in page
        assert found.cause.port in (0, 1)
    # With its pad a frame of 1,024 bytes is 129 flits; the last one is on the way for 100 cycles.
    assert all((cycle - 1000 - 128 - 100) % 130 == 0 for cycle in cycles), cycles
    assert cycles[0] < cycles[1]
    with pytest.raises(InputError, match="dropped for certain, expected --nth up to that"):
        ask_why(outcome.folder, drop="tor0", nth=dropped, results=tmp_path / "unsure")
    with pytest.raises(InputError, match=f"found {dropped} dropped packets at tor0"):
        ask_why(outcome.folder, drop="tor0", nth=dropped + 1, results=tmp_path / "no")
    with pytest.raises(InputError, match='found "tor1", .* did you mean "tor0"'):
        ask_why(outcome.folder, drop="tor1", results=tmp_path / "no")


def test_a_replay_from_a_snapshot_shows_the_same(
    results_root: Path, tmp_path: Path, traced_hello: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = run(load_text(traced_hello))
    shown = []
    for fewest in (1 << 40, 500):
        monkeypatch.setattr(again, "FEWEST_CYCLES", fewest)
        found = ask_why(before.folder, at=4000, cycles=600, results=tmp_path / f"why{fewest}")
        result = json.loads((found.replay / "result.json").read_text())
        assert result["start_cycle"] == (found.window.first if fewest == 500 else 0)
        assert result["end_cycle"] == found.window.end == 4101
        stacks, left_out = stacks_of(found.replay / "node0", found.window, 4000)
        assert not left_out and stacks[0].now is not None and "main" in stacks[0].now.stack
        shown.append(stacks)
    assert shown[0] == shown[1]


def test_a_line_of_a_console_whose_cycle_nobody_kept(results_root: Path, tmp_path: Path) -> None:
    recipe = (
        "system: {topology: rack_1, node: {memory: {size_mib: 16}}}\n"
        "workload: {node: {program: hello}}\nsimulation: {engine: functional}\n"
    )
    folder = run(load_text(recipe)).folder
    line = (folder / "node0/uart.log").read_text().splitlines()[0]
    found = ask_why(folder, "node0", text=line[:8], cycles=100, results=tmp_path / "why")
    assert found.cause.what == line and found.waves is None
    stacks, left_out = stacks_of(found.replay / "node0", found.window, found.cause.cycle)
    assert not left_out and stacks[0].now is not None and "_start" in stacks[0].now.stack
    assert "Call stacks of node0" in found.page.read_text()
    kept = run(load_text(recipe, ["simulation.timeline.enabled=true"])).folder
    same = ask_why(kept, text=line[:8], cycles=100, results=tmp_path / "same")
    assert same.cause == found.cause
    with pytest.raises(InputError, match='found no lines with "no such"'):
        ask_why(folder, text="no such", results=tmp_path / "no")
    with pytest.raises(InputError, match="found no failed node"):
        ask_why(folder, results=tmp_path / "no")
    with pytest.raises(InputError, match="found no failed assert"):
        ask_why(folder, asserted=True, results=tmp_path / "no")
    with pytest.raises(InputError, match="expected a cycle of the run: 0 to"):
        ask_why(folder, at=1 << 40, results=tmp_path / "no")
    with pytest.raises(InputError, match='found "node7", expected one of the nodes'):
        ask_why(folder, "node7", at=5, results=tmp_path / "no")
    assert not (tmp_path / "no").exists()


@pytest.mark.parametrize(
    ("result", "sentence"),
    [
        ("", "no whole result.json"),
        ('{"reason": "ended", "end_cycle": 9, "deterministic": false}', "from outside"),
        ('{"reason": "ended", "end_cycle": 9, "token_hash": null}', "functional network"),
    ],
)
def test_runs_that_cannot_be_repeated(tmp_path: Path, result: str, sentence: str) -> None:
    (tmp_path / "run.json").write_text("{}")
    (tmp_path / "config.yaml").write_text("system: {topology: rack_1}\n")
    (tmp_path / "result.json").write_text(result)
    done = RUNNER.invoke(app, ["why", str(tmp_path)])
    assert done.exit_code == 2
    assert sentence in re.sub(r"\s+", " ", done.output)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"asserted": True, "at": 5}, "found --assert and --at, expected one of them"),
        ({"nth": 2}, "found --nth 2, expected it with --print or --drop"),
        ({"text": ""}, "expected a part of a line"),
    ],
)
def test_options_that_do_not_go_together(options: dict[str, object], sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        wanted_of(**options)  # type: ignore[arg-type]


def _seen(cycle: int, number: int, out: bool = False, to: bytes = b"\x00\x12\x6d\0\0\x04") -> Seen:
    return Seen(cycle, "tor0", 2 if out else 0, out, number, 64, to + bytes(8))


def test_a_packet_that_waits_is_not_dropped() -> None:
    # The first one leaves, the second is dropped, the third leaves, the fourth still waits.
    seen = [_seen(10, 1), _seen(20, 2), _seen(30, 3), _seen(40, 4)]
    seen += [_seen(50, 1, out=True), _seen(60, 3, out=True)]
    assert lost_packets(seen, dropped=1) == [seen[1]]
    assert lost_packets(seen, dropped=2) == [seen[1], seen[3]]
    everyone = _seen(15, 5, to=b"\xff" * 6)
    assert lost_packets([*seen, everyone], dropped=1) == [seen[1]]


def test_the_names_in_an_assert(tmp_path: Path) -> None:
    file = tmp_path / "a.sv"
    file.write_text('x\n  assert (low < 8\'h2a\n    && \\high == 1) // why\n  else $error("no");\n')
    source = source_of("a.sv:2", [file])
    assert source is not None and source.first == 1
    assert {"low", "high"} <= source.words and not {"h2a", "why", "no", "error"} & source.words
    assert source_of("b.sv:2", [file]) is None and source_of(None, [file]) is None
