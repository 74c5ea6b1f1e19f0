# SPDX-License-Identifier: BSD-3-Clause
"""`system.gateway`: the door between the simulated network and the host."""

from __future__ import annotations

from ipaddress import IPv4Address
from typing import Annotated, Literal

from firesim_common.base import Name, Strict
from pydantic import Field, field_validator, model_validator

Port = Annotated[int, Field(ge=1, le=65535)]
FreePort = Annotated[int, Field(ge=0, le=65535)]


class Forward(Strict):
    """A port of the host that leads to a port of a node."""

    node: Name
    """The node it leads to."""
    port: Port
    """The node's port."""
    host_port: FreePort = 0
    """Port of the host; 0 takes any free one, which gateway.json then names."""
    host: str = "127.0.0.1"
    """Address of the host that is listened on: by default only this machine itself gets in."""
    name: Name | None = None
    """What it is for, as in gateway.json."""

    @field_validator("host")
    @classmethod
    def an_address(cls, value: str) -> str:
        try:
            return str(IPv4Address(value))
        except ValueError as error:
            text = f'found "{value}", expected an IPv4 address such as 127.0.0.1.'
            raise ValueError(text) from error


class Gateway(Strict):
    """A gateway: lets the host reach the nodes, for `firesim ssh` among others."""

    switch: Name | None = None
    """The switch it is linked to (default: the topmost one)."""
    latency_cycles: Annotated[int, Field(ge=1, lt=2**32)] | None = None
    """Latency of its link (default: that of `system.link`)."""
    mode: Literal["user", "tap"] = "user"
    """user needs no privileges; tap puts a network interface of the host into the network."""
    device: Annotated[str, Field(pattern=r"^[A-Za-z0-9_.-]{1,15}$")] | None = None
    """The interface of mode tap."""
    ssh: bool = True
    """Give every Linux node the user's key and, in mode user, its port 22 a free port of the
    host."""
    forwards: list[Forward] = Field(default_factory=list)
    """More ports to forward (mode user)."""
    outgoing: bool = False
    """Let nodes reach the outside through the host, whose own services stay out of reach."""
    poll_cycles: Annotated[int, Field(ge=1, le=1_000_000_000)] = 32_000
    """Target cycles between two looks at the host."""
    real_time_ratio: Annotated[float, Field(ge=0, le=1e6)] = 1.0
    """Most seconds of target time a second of wall time while somebody is connected; 0: no
    limit."""

    @model_validator(mode="after")
    def one_mode(self) -> Gateway:
        if self.mode == "tap" and self.device is None:
            raise ValueError('found mode "tap" without a device, expected its name, such as tap0.')
        if self.mode == "user" and self.device is not None:
            raise ValueError('found a device in mode "user", expected one only in mode "tap".')
        if self.mode == "tap" and (self.forwards or self.outgoing):
            raise ValueError('found forwards or outgoing in mode "tap", expected mode "user".')
        return self
