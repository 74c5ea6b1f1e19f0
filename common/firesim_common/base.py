# SPDX-License-Identifier: BSD-3-Clause
"""What every configuration model shares: strict types, no unknown keys, names."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, GetJsonSchemaHandler, StringConstraints
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from firesim_common.field_docs import field_docs


class Strict(BaseModel):
    """A mapping of a YAML file: exact types, every key known, keys documented by their fields."""

    model_config = ConfigDict(strict=True, extra="forbid", validate_default=True)

    @classmethod
    def __get_pydantic_json_schema__(
        cls, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        found = handler(schema)
        fields = handler.resolve_ref_schema(found).get("properties", {})
        for name, text in field_docs(cls).items():
            field = cls.model_fields.get(name)
            given = fields.get(field.alias or name) if field is not None else None
            if given is not None:
                given.setdefault("description", text)
        return found


class StrictOrName(Strict):
    """A mapping for which a file may also give a name; the class says what the name stands for."""

    @classmethod
    def __get_pydantic_json_schema__(
        cls, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        mapping = handler.resolve_ref_schema(super().__get_pydantic_json_schema__(schema, handler))
        return {"anyOf": [{"type": "string"}, mapping], "description": cls.__doc__}


NAME_RULE = r"^[A-Za-z][A-Za-z0-9_]*(?:-[A-Za-z0-9_]+)*$"
Name = Annotated[str, StringConstraints(pattern=NAME_RULE, max_length=64)]
"""A node, switch, program or blade: it becomes a folder, so letters, digits, _ and single -."""

MOST_PORTS = 64
"""Of a node: its blade has as many links, at most."""
LinkEnd = Annotated[
    str, StringConstraints(pattern=NAME_RULE[:-1] + r"(?::[0-9]{1,2})?$", max_length=67)
]
"""An end of a link: a node or switch, or a port of a node as in node0:1."""

BLADE_RULE = rf"(?:{NAME_RULE[:-1]}(?:\+htif)?$)|^[^\n]+\.yaml$"
BladeName = Annotated[str, StringConstraints(pattern=BLADE_RULE, max_length=1024)]
"""A blade of target-design/blades, or a user's blade file, from the folder of the recipe."""

MacAddress = Annotated[str, StringConstraints(pattern=r"^[0-9A-Fa-f]{2}(?::[0-9A-Fa-f]{2}){5}$")]
