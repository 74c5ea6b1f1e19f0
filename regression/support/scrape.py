# SPDX-License-Identifier: BSD-3-Clause
"""Reads the metrics of a run as Prometheus does, while it lasts and once it is over."""

from __future__ import annotations

import io
import re
import threading
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from firesim.watch.metrics_server import close_all
from prometheus_client.parser import text_string_to_metric_families
from rich.console import Console

LIMIT_S = 120.0
SCRAPE_S = 0.05
URL = re.compile(r"metrics: (http://127\.0\.0\.1:\d+/metrics)")


@dataclass(frozen=True)
class Scraped:
    """All samples of one answer."""

    values: dict[tuple[str, frozenset[tuple[str, str]]], float]
    """By name and labels."""

    def value(self, name: str, **labels: str) -> float:
        """Return the one sample of a name whose labels contain these."""
        (found,) = self.by(name, **labels)
        return found

    def by(self, name: str, **labels: str) -> list[float]:
        """Return all samples of a name whose labels contain these."""
        wanted = labels.items()
        return [v for (n, found), v in self.values.items() if n == name and wanted <= set(found)]

    def labels(self, name: str, label: str) -> set[str]:
        """Return the values that a label of a name has."""
        found = (dict(labels).get(label) for known, labels in self.values if known == name)
        return {value for value in found if value is not None}


def scrape(url: str) -> Scraped:
    """Return what an address answers.

    Raises:
        ValueError: it is not the text that Prometheus reads, or a metric lacks HELP or TYPE.
    """
    with urllib.request.urlopen(url, timeout=LIMIT_S) as answer:
        text = answer.read().decode()
    values: dict[tuple[str, frozenset[tuple[str, str]]], float] = {}
    for family in text_string_to_metric_families(text):
        if not family.documentation or family.type == "unknown":
            raise ValueError(f"found no HELP or TYPE of {family.name}, expected both")
        for sample in family.samples:
            key = (sample.name, frozenset(sample.labels.items()))
            if key in values:
                raise ValueError(f"found {sample} twice, expected it once")
            values[key] = sample.value
    return Scraped(values)


@dataclass
class Scraper:
    """Scrapes a run again and again, in a thread, as soon as `console` has said where."""

    console: Console = field(default_factory=lambda: Console(file=io.StringIO(), width=80))
    answers: list[Scraped] = field(default_factory=list)
    """All answers, oldest first; the last one is of the run that is over."""
    error: Exception | None = None
    enough: threading.Event = field(default_factory=threading.Event)

    def until_over(self) -> None:
        """Scrape until the run says that it is over, or nobody wants to know any more."""
        try:
            while not self.enough.wait(SCRAPE_S):
                output = self.console.file
                assert isinstance(output, io.StringIO)
                if (found := URL.search(output.getvalue())) is not None:
                    self.answers.append(scrape(found[1]))
                    if self.answers[-1].by("firesim_run_over") == [1.0]:
                        return
        except Exception as error:  # Told to the test, whose thread this is not.
            self.error = error


@contextmanager
def scraping() -> Iterator[Scraper]:
    """Scrape the run that the block makes with the console of the scraper; ends when it is over."""
    scraper = Scraper()
    thread = threading.Thread(target=scraper.until_over, daemon=True)
    thread.start()
    try:
        yield scraper
        thread.join(LIMIT_S)
        if scraper.error is not None:
            raise scraper.error
    finally:
        scraper.enough.set()
        thread.join()
        close_all()
