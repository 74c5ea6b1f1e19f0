# SPDX-License-Identifier: BSD-3-Clause
"""Linux from reset to its first process: instructions, wall time, and the same image in RTL.

A node with one core and 64 MiB boots Linux with all our drivers; counted are the instructions
before the first one of user space (functional blade) and those of a boot with a shell at its prompt
(QEMU, one instruction a nanosecond). A blade with four cores boots, and a node with Debian's root
disk on the block device. Then the same image boots from reset in the cycle-exact RTL of the Rocket
blade, with 64 MiB (memory is what takes the RTL long to set up): its console must say what the
functional blade's says, line for line. --quick leaves Debian out, gives the RTL a quick
memory, and lets no time decide.
"""

from __future__ import annotations

import argparse
import re
from dataclasses import dataclass

from firesim.report.console import WHOLE_NUMBER
from firesim_software import linux

from regression.support.cluster import Config, run_cluster
from regression.support.experiment import Experiment, ExperimentError, Verdict, experiment_named
from regression.support.linux import one_boot
from regression.support.simulate import Run

MILLION = 1_000_000
MOST_BEFORE_INIT, MOST_AT_PROMPT = 5_050_000, 6_200_000
"""A little over what was reached; the goals were 6 and 10 million."""
GOAL_S = 2.0
DEBIAN_LIMIT_CYCLES = 6_400 * MILLION
QUICK_LATENCY_CYCLES = 2
"""A quick memory in place of the usual 40 cycles: fewer cycles to simulate for the same boot."""
TIMEOUT_S = 7200
COUNTED = re.compile(rf"^firesim: instructions (.*): ({WHOLE_NUMBER})$", re.MULTILINE)
DEBIAN_COMMAND = "grep -w / /proc/mounts; . /etc/os-release; echo $PRETTY_NAME; exit 0"


@dataclass(frozen=True)
class Boot:
    """One boot: its console, and the instructions before init and with the command."""

    run: Run
    console: str
    before_init: int
    with_command: int

    @property
    def cycles(self) -> int:
        """Target cycles from reset to power off."""
        return int(self.run.result["nodes"][0]["ended_at_cycle"])

    @property
    def comparable(self) -> list[str]:
        """What the console says apart from instructions, which polling makes differ a little."""
        return [line for line in self.console.splitlines() if not COUNTED.match(line)]


def boot(experiment: Experiment, name: str, configuration: Config) -> Boot:
    """Boot and power off.

    Raises:
        ExperimentError: it does not come that far.
    """
    run = run_cluster(experiment, name, configuration, timeout_s=TIMEOUT_S)
    console = run.console("node0").replace("\r\n", "\n")
    counts = [int(found) for _, found in COUNTED.findall(console)]
    if len(counts) != 2 or run.result["nodes"][0]["exit_code"] != 0:
        tail = "\n".join(console.splitlines()[-5:])
        raise ExperimentError(f"{name}: Linux did not boot and power off; it last said:\n{tail}")
    return Boot(run, console, *counts)


def prompt_instructions() -> int:
    """Return the instructions of a boot to busybox' prompt, where a shell's input ends.

    They include the start of another shell, so as not to hang on when somebody types.
    """
    shell = 'firesim.run="exec sh -il < /dev/null"'
    arguments = f"quiet firesim.instructions=1 {shell}"
    console, _ = linux.boot("linux-base", bootargs=arguments, exact=True)
    return int(COUNTED.findall(console)[-1][1])


def _boots(experiment: Experiment) -> dict[str, Boot]:
    quiet = {"workload": {"node": {"args": ["quiet", "firesim.instructions=1"]}}}
    wanted = {
        "functional, quiet": one_boot("functional", "rocket-1", 64, quiet),
        "functional, 64 MiB": one_boot("functional", "rocket-1", 64),
        "functional, 4 cores": one_boot("functional", "rocket-4", 64),
    }
    if not experiment.quick:
        node = {"linux": "linux-debian", "command": DEBIAN_COMMAND}
        debian = {"workload": {"node": node}, "simulation": {"max_cycles": DEBIAN_LIMIT_CYCLES}}
        wanted["functional, Debian on a disk"] = one_boot("functional", "rocket-1", 64, debian)
    if experiment.arguments.rtl:
        timing = {"memory": {"timing": {"model": "fixed", "latency_cycles": QUICK_LATENCY_CYCLES}}}
        over = {"system": {"node": timing}} if experiment.quick else {}
        wanted["rtl, 64 MiB"] = one_boot("rtl", "rocket-1", 64, over)
    return {
        name: boot(experiment, re.sub(r"\W+", "_", name), wanted) for name, wanted in wanted.items()
    }


def _checks(experiment: Experiment, boots: dict[str, Boot], prompt: int) -> dict[str, bool]:
    quiet, functional = boots["functional, quiet"], boots["functional, 64 MiB"]
    checks = {
        f"{quiet.before_init:,} instructions before init, at most {MOST_BEFORE_INIT:,}": (
            quiet.before_init <= MOST_BEFORE_INIT
        ),
        f"{prompt:,} instructions with a shell's prompt, at most {MOST_AT_PROMPT:,}": (
            prompt <= MOST_AT_PROMPT
        ),
        "four cores run": "on 4 core(s)" in boots["functional, 4 cores"].console,
    }
    if not experiment.quick:
        seconds = quiet.run.wall_s
        checks[f"{seconds:.2f} s on a functional node, under {GOAL_S:g} s"] = seconds < GOAL_S
    if (debian := boots.get("functional, Debian on a disk")) is not None:
        words = ("Debian GNU/Linux", "/dev/root / ext4 rw")
        checks["Debian's root is on the block device"] = all(x in debian.console for x in words)
    if (rtl := boots.get("rtl, 64 MiB")) is not None:
        lines = functional.comparable
        text = f"the RTL says the same {len(lines)} lines as the functional blade"
        checks[text] = rtl.comparable == lines
    return checks


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--no-rtl", dest="rtl", action="store_false", help="leave the RTL out")


@experiment_named("linux-boot", _arguments)
def run(experiment: Experiment) -> Verdict:
    """Hold when every check holds."""
    prompt = prompt_instructions()
    boots = _boots(experiment)
    rows = []
    for name, found in boots.items():
        counts = [f"{found.before_init:,}", f"{found.with_command:,}", f"{found.cycles:,}"]
        per = found.cycles / found.with_command
        times = [f"{found.run.wall_s:.2f}", f"{found.run.process_cpu_s:.2f}"]
        rows.append([name, *counts, f"{per:.2f}", *times])
    columns = ["boot", "instructions before init", "with command", "cycles to power off"]
    columns += ["cycles per instruction", "wall time (s)", "processor time (s)"]
    experiment.table("boots (measured)", columns, rows)
    checks = _checks(experiment, boots, prompt)
    for text, holds in checks.items():
        experiment.say(f"{'yes' if holds else 'NO '}  {text}")
    experiment.keep(
        prompt_instructions=prompt,
        before_init={name: found.before_init for name, found in boots.items()},
        cycles={name: found.cycles for name, found in boots.items()},
        checks=checks,
    )
    short = [text for text, holds in checks.items() if not holds]
    figure = f"{sum(checks.values())} of {len(checks)} checks"
    return Verdict(not short, f"{figure}; not: {'; '.join(short)}," if short else figure, "all")
