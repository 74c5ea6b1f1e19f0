# SPDX-License-Identifier: BSD-3-Clause
"""JSON Schema of the YAML files, for editors."""

from __future__ import annotations

from typing import Any

from firesim_common.errors import InputError, unknown
from pydantic import BaseModel

from firesim.config.bitstream import BuildFile
from firesim.config.hwdb import Hwdb
from firesim.config.run_config import RunConfig
from firesim.config.workload import Workload
from firesim.farm.file import farm_schema

KINDS: dict[str, type[BaseModel]] = {
    "run": RunConfig,
    "workload": Workload,
    "farm": farm_schema(),
    "builds": BuildFile,
    "hwdb": Hwdb,
}


def schema(kind: str) -> dict[str, Any]:
    """Return the JSON Schema of a kind of file: "run", "workload", "farm", "builds" or "hwdb".

    Raises:
        InputError: another kind.
    """
    if kind not in KINDS:
        raise InputError(f"schema: {unknown(kind, 'a kind of file', list(KINDS))}")
    result = KINDS[kind].model_json_schema()
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **result}
