# SPDX-License-Identifier: BSD-3-Clause
"""What refuses a case: its files are written, and read as `firesim runworkload` reads them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from firesim.build.names import blade_names, linux_names, program_names
from firesim.build.register_map import read_map
from firesim.config.layers import yaml_names
from firesim.config.loaded import WORKLOADS
from firesim.pipeline.bind import bind
from firesim.pipeline.build import check_by_tools
from firesim.pipeline.load import load_file
from firesim.pipeline.resolve import resolve
from firesim.sampling.folder import make
from firesim.sampling.settings import Settings
from firesim.work.steps import Steps
from firesim_common.errors import InputError, listed
from firesim_software.protobuf import generate
from goldengate import GoldenGateError, Request, lower
from rich.console import Console

from regression.robustness.bad_input.case import CONFIG, Case
from regression.robustness.bad_input.fingerprint import FINGERPRINT, fingerprint
from regression.support.rdma_cases import read_case


def expected(case: Case) -> str:
    """Return the message the case must give, with today's blades and programs."""
    names: dict[str, Callable[[], list[str]]] = {
        "{blades}": lambda: [*blade_names(), "traffic"],
        "{own}": lambda: [*blade_names(), "mine", "traffic"],
        "{programs}": program_names,
        "{linux}": linux_names,
        "{workloads}": lambda: yaml_names(WORKLOADS),
    }
    message = case.message.replace("{fingerprint}", _fingerprint(case.message))
    for word, known in names.items():
        if word in message:
            message = message.replace(word, listed(sorted(known())))
    return message


def _fingerprint(text: str) -> str:
    """Return the fingerprint that a text speaks of; "" when it speaks of none."""
    return fingerprint() if FINGERPRINT in text else ""


def write_case(case: Case, folder: Path) -> Path:
    """Write the case's files into `folder`; return the path of its configuration."""
    path = folder / CONFIG
    if case.text is not None:
        path.write_bytes(case.text if isinstance(case.text, bytes) else case.text.encode())
    for name, content in case.files.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        text = content.decode(errors="ignore")
        file.write_bytes(content.replace(b"{fingerprint}", _fingerprint(text).encode()))
    return path


@contextmanager
def _inside(folder: Path) -> Iterator[None]:
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


def message_of(case: Case, folder: Path) -> str:
    """Read the case as `firesim runworkload` does before it starts anything.

    Returns the message that refuses it, or "" when it is accepted.
    """
    write_case(case, folder)
    with _inside(folder):
        try:
            if case.register_map:
                read_map(Path(CONFIG))
                return ""
            if case.rdma_case:
                read_case(Path(CONFIG))
                return ""
            if case.proto:
                generate(Path(CONFIG), folder / "made")
                return ""
            loaded = load_file(Path(CONFIG), case.overrides)
            if case.sampled is not None:
                make(loaded, Settings(**case.sampled), folder / "sample")
            bound = bind(resolve(loaded))
            bound.close()
            check_by_tools(bound, Steps(Console(quiet=True)))
            if case.verilog:
                lower(Request(sorted(case.files), "A", str(folder / "out")).absolute())
        except (InputError, GoldenGateError) as error:
            return str(error).replace(f"{folder}/", "")
    return ""
