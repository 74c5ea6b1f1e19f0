# SPDX-License-Identifier: BSD-3-Clause
"""The generated reference pages say what the code does."""

import re

import pytest
from firesim.cli.reference import PAGES, REFERENCE
from firesim.config.system import Topology
from firesim.config.workload import Workload


@pytest.mark.parametrize("name", sorted(PAGES))
def test_page_is_up_to_date(name: str) -> None:
    written = (REFERENCE / name).read_text(encoding="utf-8")
    assert written == PAGES[name](), "run: .venv/bin/python -m firesim.cli.reference"


def test_every_mapping_of_the_configuration_has_a_table() -> None:
    page = PAGES["configuration.md"]()
    keys: dict[str, list[str]] = {}
    for part in re.split(r"^#{2,3} ", page, flags=re.MULTILINE)[1:]:
        keys[part.partition("\n")[0]] = re.findall(r"^\| `(\w+)` \|", part, re.MULTILINE)
    assert keys["Topology"] == list(Topology.model_fields)
    assert keys["Workload"] == list(Workload.model_fields)
    assert keys["A workload: `deploy/workloads/NAME.yaml`"] == list(Workload.model_fields)
    empty = [name for name, found in keys.items() if not found]
    assert empty == [
        "A run farm: `--farm FILE`, or `deploy/farms/NAME.yaml`",  # It is one of four.
        "A hardware database: `hwdb.yaml`",  # Its keys are the names of its entries.
    ]
    linked = set(re.findall(r"\]\(#(\w+)\)", page))
    assert linked <= {name.lower() for name in keys}


def test_every_configuration_key_is_explained() -> None:
    rows = [line for line in PAGES["configuration.md"]().splitlines() if line.startswith("| `")]
    unexplained = [row for row in rows if row.endswith("|  |")]
    assert rows and not unexplained
