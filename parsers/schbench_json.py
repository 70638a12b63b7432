"""The JSON that schbench writes beside its text, or instead of it, since 2023."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from compare_kernels.parsers.schbench_reports import Section, label
from compare_kernels.parsers.schbench_setup import COMMAND

if TYPE_CHECKING:
    from collections.abc import Iterable

BEGIN = re.compile(r'\{\s*"(?:normal|int)"\s*:\s*\{')
_VALUE = re.compile(r'"(?:(wakeup|request)_latency|(rps))_(?:pct(\d{1,3}\.\d{1,4})|max)"\s*:\s*(\d{1,12})\s*(?=[,}])')
_RUNTIME = re.compile(r'"runtime"\s*:\s*(\d{1,9})\s*\}')
_TEXT = re.compile(r'"(version|sched_ext|cmdline)"\s*:\s*"((?:[^"\\]|\\.)*)"')


@dataclass(frozen=True)
class Object:
    """One JSON object, however damaged.

    Attributes:
        line: where it begins.
        sections: its sections, without those that measured nothing.
        command: the arguments of its command line.
        release: the release of the kernel.
        scheduler: the sched_ext scheduler.
        runtime: the seconds of the run, which stand at the end; None if the object stops before.

    """

    line: int
    sections: list[Section]
    command: str
    release: str
    scheduler: str
    runtime: float | None


def read_objects(lines: list[str]) -> list[Object]:
    """Find the objects by patterns: a section without samples leaves ``, ,`` behind, which is no JSON."""
    text = "\n".join(lines)
    starts = [found.start() for found in BEGIN.finditer(text)]
    objects = []
    for start, end in pairwise([*starts, len(text)]):
        part = text[start:end]
        texts = {found[1]: found[2] for found in _TEXT.finditer(part)}
        runtime = _RUNTIME.search(part)
        command = COMMAND.search(texts.get("cmdline", ""))
        objects.append(
            Object(
                line=text.count("\n", 0, start) + 1,
                sections=[section for section in _sections(_VALUE.finditer(part)) if not section.empty],
                command=command[1] if command else "",
                release=texts.get("version", ""),
                scheduler=texts.get("sched_ext", ""),
                runtime=float(runtime[1]) if runtime else None,
            )
        )
    return objects


def _sections(values: Iterable[re.Match[str]]) -> Iterable[Section]:
    sections: dict[str, Section] = {}
    for found in values:
        kind = found[1] or found[2]
        section = sections.setdefault(kind, Section(kind))
        if found[3]:
            section.rows[label(found[3])] = float(found[4])
        else:
            section.maximum = float(found[4])
    return sections.values()
