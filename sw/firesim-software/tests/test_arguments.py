# SPDX-License-Identifier: BSD-3-Clause
"""How programs without a system read IPv4 addresses, compiled for this machine."""

from __future__ import annotations

import ctypes
import shutil
import subprocess

import pytest
from firesim_software.builder import LIBRARY

HARNESS = """\
#include <setjmp.h>

#include "arguments.h"
#include "console.h"
#include "platform.h"

const char firesim_default_arguments[] = "ip=10.0.0.1";
static jmp_buf refused;

void finish(int code) { longjmp(refused, code); }
void print(const char *format, ...) { (void)format; }
void console_character(char c) { (void)c; }

long read_ip(const char *words) {
  const struct arguments arguments = {words, firesim_default_arguments};
  return setjmp(refused) ? -1 : (long)ip_argument(&arguments, "ip");
}
"""


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    compiler = shutil.which("gcc")
    if compiler is None:
        pytest.skip("no compiler for this machine")
    folder = tmp_path_factory.mktemp("arguments")
    harness, built = folder / "harness.c", folder / "arguments.so"
    harness.write_text(HARNESS)
    flags = ["-std=gnu11", "-Wall", "-Werror", "-shared", "-fPIC", f"-I{LIBRARY}"]
    sources = [str(harness), str(LIBRARY / "arguments.c")]
    subprocess.run([compiler, *flags, "-o", str(built), *sources], check=True)
    loaded = ctypes.CDLL(str(built))
    loaded.read_ip.restype = ctypes.c_long
    return loaded


@pytest.mark.parametrize(
    ("words", "value"),
    [
        ("ip=172.16.0.2", 0xAC100002),
        ("count=1 ip=255.255.255.255 size=2", 0xFFFFFFFF),
        ("", 0x0A000001),
        ("ip=0.0.0.0", 0),
    ],
)
def test_addresses_are_read(library: ctypes.CDLL, words: str, value: int) -> None:
    assert library.read_ip(words.encode()) == value


@pytest.mark.parametrize(
    "text", ["", "1.2.3", "1.2.3.4.5", "256.0.0.1", "1.2.3.", "1..2.3", "1.2.3.4/16", "1.2.3.0004"]
)
def test_what_is_no_address_is_refused(library: ctypes.CDLL, text: str) -> None:
    assert library.read_ip(f"ip={text}".encode()) == -1
