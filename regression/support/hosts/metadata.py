# SPDX-License-Identifier: BSD-3-Clause
"""The instance metadata service of EC2 in its version 2, as far as spot instances need it.

A program of its own, to be started in a host of a test bed: `metadata.py ADDRESS PORT FILE`. The
host is to be taken away as soon as FILE exists. As EC2's, it answers nobody who has no token.
"""

from __future__ import annotations

import json
import secrets
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

TOKEN = "/latest/api/token"
ACTION = "/latest/meta-data/spot/instance-action"
NOTICE = {"action": "terminate", "time": "2026-11-23T08:22:00Z"}


class Service(ThreadingHTTPServer):
    """One instance's."""

    def __init__(self, address: str, port: int, notice: Path) -> None:
        """Listen; `notice` is the file that says that the instance goes."""
        super().__init__((address, port), _Handler)
        self.notice = notice
        self.tokens: set[str] = set()
        self.asked: list[str] = []


class _Handler(BaseHTTPRequestHandler):
    server: Service

    def do_PUT(self) -> None:
        seconds = self.headers.get("X-aws-ec2-metadata-token-ttl-seconds", "")
        if self.path != TOKEN or not (seconds.isdigit() and 1 <= int(seconds) <= 21600):
            self._answer(400, "")
            return
        token = secrets.token_urlsafe(40)
        self.server.tokens.add(token)
        self._answer(200, token)

    def do_GET(self) -> None:
        if self.headers.get("X-aws-ec2-metadata-token") not in self.server.tokens:
            self._answer(401, "")
        elif self.path == ACTION and self.server.notice.exists():
            self._answer(200, json.dumps(NOTICE))
        else:
            self._answer(404, "")

    def _answer(self, status: int, text: str) -> None:
        self.server.asked.append(f"{self.command} {self.path} {status}")
        self.send_response(status)
        self.send_header("Content-Length", str(len(text.encode())))
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, format: str, *args: Any) -> None:
        """Print nothing."""


if __name__ == "__main__":
    Service(sys.argv[1], int(sys.argv[2]), Path(sys.argv[3])).serve_forever()
