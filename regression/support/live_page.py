# SPDX-License-Identifier: BSD-3-Clause
"""The live page as its tests need it: its server, a guest that echoes, requests of a page."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

from firesim.pipeline.beside import Beside
from firesim.pipeline.load import load_text
from firesim.pipeline.run import run
from firesim.results.outcome import Outcome
from firesim.view.server import ViewServer
from firesim.view.viewed import ViewedRun
from firesim.watch.local_server import ADDRESS
from rich.console import Console

from regression.support import waiting

LIMIT_S = 900.0
ECHO = """\
// Shows a colour, markup and a link, and asks its terminal where it is; prints what is typed, and
// ends with q.
#include "platform.h"
#include "runtime.h"

enum { RXDATA = 0x04, RXCTRL = 0x0c };

int main(int hart, const struct arguments *arguments) {
  (void)hart, (void)arguments;
  write32(FIRESIM_UART + RXCTRL, 1);
  print("\\x1b[31mred\\x1b[0m <img src=x> \\x1b[6n\\x1b]8;;https://a.example\\x07link\\x1b]8;;\\x07\\n");
  print("type\\n");
  for (;;) {
    const uint32_t typed = read32(FIRESIM_UART + RXDATA);
    if (typed >> 31) continue;
    if (typed == 'q') break;
    print("<%x>\\n", typed);
  }
  return 0;
}
"""


@contextmanager
def going(folder: Path, config: str, *overrides: str) -> Iterator[list[Outcome]]:
    """Run a configuration beside the block, to its end; its outcome is in the list by then."""
    outcomes: list[Outcome] = []
    loaded, beside = load_text(config, list(overrides)), Beside()

    def work() -> None:
        quiet = Console(quiet=True)
        outcomes.append(run(loaded, results=folder, console=quiet, beside=beside))

    thread = threading.Thread(target=work)
    thread.start()
    status = folder / "status.jsonl"
    try:
        until(lambda: status.exists() or not thread.is_alive(), "the first status")
        yield outcomes
    finally:
        beside.stopped.set()
        thread.join(LIMIT_S)
    assert not thread.is_alive()


@contextmanager
def serving(folder: Path, eta_cycle: int = 0) -> Iterator[ViewServer]:
    """Serve the page of a run."""
    with ViewServer(ViewedRun(folder, eta_cycle), 0) as server:
        yield server


until = partial(waiting.until, limit_s=LIMIT_S)
"""Wait for a condition, which may need a model that has to be built."""


def raw(server: ViewServer, request: bytes) -> bytes:
    """Return all that is answered to some bytes, to the end that the server makes."""
    answer = b""
    with (
        socket.create_connection((ADDRESS, server.server_port), timeout=30) as client,
        suppress(OSError),  # A server may close before it has read all of a huge request.
    ):
        client.sendall(request)
        while part := client.recv(65536):
            answer += part
    return answer


def posted(
    server: ViewServer, name: str, body: bytes, *headers: str, token: str = ""
) -> tuple[int, str]:
    """Return status and body of a message; what `headers` say takes the place of a page's own."""
    here = f"{ADDRESS}:{server.server_port}"
    own = {
        "Host": here,
        "Origin": f"http://{here}",
        "Content-Type": "application/json",
        "Content-Length": str(len(body)),
        "Connection": "close",
    }
    said = {line.partition(":")[0] for line in headers}
    lines = [f"POST /{token or server.token}/{name} HTTP/1.1", *headers]
    lines += [f"{key}: {value}" for key, value in own.items() if key not in said]
    lines = [line for line in lines if not line.endswith(": -")]  # "Origin: -" leaves it out.
    answer = raw(server, "\r\n".join([*lines, "", ""]).encode() + body).decode()
    head, _, text = answer.partition("\r\n\r\n")
    return int(head.split()[1]), text


def act(server: ViewServer, name: str, /, **message: Any) -> str:
    """Act as a page does; return the sentence of a refusal, "" when it was done."""
    status, text = posted(server, name, json.dumps(message).encode())
    if status == 200:
        return ""
    assert status == 409, (status, text)
    return str(json.loads(text)["error"])
