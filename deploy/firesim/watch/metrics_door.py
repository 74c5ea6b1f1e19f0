# SPDX-License-Identifier: BSD-3-Clause
"""What Prometheus is answered, whatever version of its text it asks for."""

from __future__ import annotations

import re
from typing import Any

from prometheus_client import CollectorRegistry, make_asgi_app

_VERSION = re.compile(r"version\s*=([^,;]*)", re.IGNORECASE)
_NUMBERS = re.compile(r"[0-9]{1,3}\.[0-9]{1,3}\.[0-9]{1,3}")


def metrics_app(registry: CollectorRegistry) -> Any:
    """Return the ASGI application that answers with the figures of a registry.

    Who asks for a version that is none gets plain text, and bytes that are no text are left out:
    prometheus_client ends in an exception there.
    """
    told = make_asgi_app(registry)

    async def answer(scope: dict[str, Any], receive: Any, send: Any) -> None:
        headers = [_understood(*header) for header in scope["headers"]]
        await told({**scope, "headers": headers}, receive, send)

    return answer


def _understood(name: bytes, value: bytes) -> tuple[bytes, bytes]:
    """Return a header of a request, and plain text in place of a version that is none."""
    text = value.decode("ascii", "ignore")
    if name == b"accept" and not all(map(_NUMBERS.fullmatch, _VERSION.findall(text))):
        text = "text/plain"
    return name, text.encode()
