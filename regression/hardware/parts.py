# SPDX-License-Identifier: BSD-3-Clause
"""Blades are composed of parts: each elaborates, one part changes its own modules, and a GCD runs.

Every shipped blade is elaborated. Blades that differ from rocket-1 in one part must differ from it
in the expected modules and no others, text by text. Then the tutorial that adds an accelerator is
executed from its page, in a folder outside the checkout: two nodes on both engines, with exact
results, exact token hashes, and as many steps of the accelerator as the algorithm takes. --quick
elaborates rocket-1 and one blade more, and runs functional nodes only.
"""

from __future__ import annotations

import csv
import json
import re
import tempfile
from dataclasses import dataclass
from pathlib import Path

from firesim.build.rtl import blade_rtl
from firesim.build.rtl_blade import blade_names, load_blade
from firesim_common.paths import ROOT

from regression.support.cluster import merged, run_cluster
from regression.support.experiment import Experiment, ExperimentError, Verdict, experiment_named
from regression.support.one_blade import ENGINES
from regression.support.pages import PageError, page_file, run_page

PAGE = ROOT / "docs/tutorials/add-an-accelerator.md"
BEGIN_OF_RTL = "Then in RTL"
HASHES = {"functional": "6bf421638e25de86", "rtl": "1437bc70a383d978"}
"""Of the tutorial's cluster, by engine."""
PAIRS = [(1071 * i * i, 462 * i) for i in range(1, 6)]
MOST_HARDWARE_LINES = 60
COPROCESSOR_PAGE = ROOT / "docs/tutorials/add-a-coprocessor.md"
COPROCESSOR_HASH = "58d56bbf7e352b6e"
PAIRS_MULTIPLIED = 0 + 4 + 20 + 84 + 340
"""By each node's coprocessor, in all products of the page."""
SMALL_CLIENT = ["role=client", "peer=${node1.mac}", "count=3", "bytes=65536"]
SMALL_BLADE, SMALL_HASH = "rocket-1-small", "b9983c2c9bf832a8"
_WORD = re.compile(r"\b[A-Za-z_]\w*\b")
_MODULE = re.compile(r"^module (\w+)\(.*?^endmodule", re.MULTILINE | re.DOTALL)
JOINTS = {"Blade", "AddressCrossbar", "MasterArbiter", "MasterArbiter_1"}
"""Where parts are joined: what may change with any of them."""
TILE = "Rocket_RocketTile"
"""A core with its caches."""
AROUND_TILES = {"RocketSoC1", "Rocket_RocketSystem", "Rocket_TLPLIC"}
"""What changes when a core has no S-mode, which takes an interrupt away."""


@dataclass(frozen=True)
class Variant:
    """rocket-1 with one part, or its cores, changed."""

    name: str
    line: str
    """What its blade file says beyond `extends`."""
    part: str
    """The module that is the part's hardware."""


VARIANTS = (
    Variant("with a GCD", "parts: [./gcd]", "Gcd"),
    Variant("without NIC", "without: [nic]", "NIC"),
    Variant(
        "with 4 requests to the disk",
        "parts: [{part: block_device, options: {trackers: 4}}]",
        "BlockDevice",
    ),
    Variant("with an L2", "parts: [l2]", "L2"),
    Variant("without FPU", "soc: {fpu: false}", TILE),
    Variant("with a small core", "soc: {core: small}", TILE),
)


def steps(a: int, b: int) -> int:
    """Return the cycles in which the tutorial's hardware works on a pair."""
    count = 0
    while b:
        a, b = (a - b, b) if a >= b else (b, a)
        count += 1
    return count


def modules(folder: Path) -> dict[str, str]:
    """Return the text of every module in the Verilog files of a folder, by name."""
    files = sorted(folder.glob("*.*v"))
    return {m[1]: m[0] for file in files for m in _MODULE.finditer(file.read_text())}


def below(top: str, design: dict[str, str]) -> set[str]:
    """Return a module and all that it instantiates, nothing when there is no such module."""
    found: set[str] = set()
    waiting = [top] if top in design else []
    while waiting:
        name = waiting.pop()
        found.add(name)
        words = set(_WORD.findall(design[name]))
        waiting += [word for word in words & design.keys() if word not in found]
    return found


def differing(before: dict[str, str], after: dict[str, str]) -> set[str]:
    """Return the modules that only one of two designs has, or whose texts differ."""
    return {name for name in before.keys() | after.keys() if before.get(name) != after.get(name)}


def _write_blade(folder: Path, variant: Variant) -> Path:
    path = folder / "variant.yaml"
    path.write_text(f"description: {variant.name}\nextends: rocket-1\n{variant.line}\n")
    for name in ("part.yaml", "Gcd.scala", "soc.dtsi", "functional.cc"):
        file = folder / "gcd" / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(page_file(PAGE, f"gcd/{name}"))
    return path


def _elaborated(experiment: Experiment) -> bool:
    """Elaborate the shipped blades; return whether each has the harts and bridges of its file."""
    rows, holds = [], True
    for name in ["rocket-1"] if experiment.quick else blade_names():
        blade = load_blade(name)
        design = modules(blade_rtl(name))
        harts = design["Blade"].count("FireSimTraceRVBridge")
        holds &= harts == blade.cores.count
        rows.append([name, len(design), harts, ", ".join(sorted(blade.bridges))])
    experiment.table("shipped blades", ["blade", "modules", "harts traced", "bridges"], rows)
    return holds


def _compared(experiment: Experiment) -> bool:
    """Compare variants with rocket-1; return whether each differs in its part and the joints."""
    before = modules(blade_rtl("rocket-1"))
    rows, holds = [], True
    for variant in VARIANTS[:1] if experiment.quick else VARIANTS:
        with tempfile.TemporaryDirectory() as folder:
            after = modules(blade_rtl(str(_write_blade(Path(folder), variant))))
        found = differing(before, after)
        own = below(variant.part, before) | below(variant.part, after)
        joints = AROUND_TILES if variant.part == TILE else JOINTS
        others = found - own - joints
        good = not others and variant.part in found and (variant.part == TILE) != ("Blade" in found)
        holds &= good
        shown = ", ".join(sorted(others)) or "none"
        rows.append([variant.name, len(after), len(found & own), len(found & joints), shown])
    columns = ["rocket-1 ...", "modules", "of the part", "where it is joined", "others"]
    experiment.table("modules that differ", columns, rows)
    return holds


def _page(experiment: Experiment, folder: Path) -> Path:
    """Return the page, without its last part when that is left out."""
    if not experiment.quick:
        return PAGE
    text, found, _ = PAGE.read_text(encoding="utf-8").partition(BEGIN_OF_RTL)
    if not found:
        raise ExperimentError(f"{PAGE}: found no line that begins with {BEGIN_OF_RTL!r}.")
    shorter = folder / PAGE.name
    shorter.write_text(text, encoding="utf-8")
    return shorter


def counted(path: Path, name: str) -> int:
    """Return the last value of the counter whose name ends in `name`, of a node's counters."""
    lines = path.read_text().splitlines()
    rows = list(csv.reader(lines))
    column = next(i for i, title in enumerate(rows[0]) if title.endswith(name))
    return int(rows[-1][column])


def _tutorial(experiment: Experiment) -> dict[str, bool]:
    """Execute the tutorial; return what was found of it."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        try:
            run_page(_page(experiment, experiment.folder), folder)
        except PageError as error:
            raise ExperimentError(str(error)) from error
        return _checked(experiment, folder)


def _checked(experiment: Experiment, folder: Path) -> dict[str, bool]:
    """Check the results that the tutorial left in a folder."""
    checks = {}
    for engine in ["functional"] if experiment.quick else list(HASHES):
        result = json.loads((folder / engine / "result.json").read_text())
        found = result["token_hash"]
        checks[f"{engine}: the token hash is {found}"] = found == HASHES[engine]
        codes = [node["exit_code"] for node in result["nodes"]]
        checks[f"{engine}: both nodes end with 0"] = codes == [0, 0]
    lines = len(page_file(PAGE, "gcd/Gcd.scala").splitlines())
    checks[f"the hardware has {lines} lines"] = lines <= MOST_HARDWARE_LINES
    if not experiment.quick:
        expected = sum(steps(a, b) for a, b in PAIRS)
        for node in ("node0", "node1"):
            found = counted(folder / "rtl" / node / "counters.csv", "gcd_steps")
            checks[f"rtl: {node} takes {found} of {expected} steps"] = found == expected
    return checks


def _coprocessor(experiment: Experiment) -> dict[str, bool]:
    """Execute the page that adds a coprocessor; return what was found of it."""
    checks = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        try:
            run_page(COPROCESSOR_PAGE, folder)
        except PageError as error:
            raise ExperimentError(str(error)) from error
        for engine in ("rtl", "verilator"):
            result = json.loads((folder / engine / "result.json").read_text())
            found = result["token_hash"]
            checks[f"coprocessor, {engine}: the token hash is {found}"] = found == COPROCESSOR_HASH
            for node in ("node0", "node1"):
                pairs = counted(folder / engine / node / "counters.csv", "dot_pairs")
                text = f"{engine}: {node} multiplies {pairs} of {PAIRS_MULTIPLIED} pairs"
                checks[text] = pairs == PAIRS_MULTIPLIED
    lines = len(page_file(COPROCESSOR_PAGE, "dot/Dot.scala").splitlines())
    checks[f"the coprocessor has {lines} lines"] = lines <= MOST_HARDWARE_LINES
    return checks


def _small_cores(experiment: Experiment) -> dict[str, bool]:
    """Run two small cores on both RTL engines; return whether each gave the pinned hash."""
    client = {"program": "quickstart", "args": SMALL_CLIENT}
    config = {
        "name": "small",
        "system": {
            "topology": "two_nodes",
            "link": {"latency": "2us"},
            "node": {"blade": SMALL_BLADE, "memory": {"size_mib": 16}},
        },
        "workload": {
            "nodes": {
                "node0": client,
                "node1": {"program": "quickstart", "args": ["role=server"]},
            }
        },
    }
    checks = {}
    for engine in ENGINES:
        chosen = merged(config, {"simulation": {"rtl_engine": engine}})
        found = run_cluster(experiment, f"small-{engine}", chosen).token_hash
        checks[f"small cores, {engine}: the token hash is {found}"] = found == SMALL_HASH
    return checks


@experiment_named("parts")
def run(experiment: Experiment) -> Verdict:
    """Hold when every check holds."""
    checks = {
        "every blade elaborates with its harts": _elaborated(experiment),
        "a part changes its own modules and the joints": _compared(experiment),
        **_tutorial(experiment),
    }
    if not experiment.quick:
        checks |= _coprocessor(experiment) | _small_cores(experiment)
    for text, holds in checks.items():
        experiment.say(f"{'yes' if holds else 'NO '}  {text}")
    experiment.keep(checks=checks)
    figure = f"{sum(checks.values())} of {len(checks)} checks"
    return Verdict(all(checks.values()), figure, "all of them")
