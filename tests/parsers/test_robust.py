"""No log, however damaged, makes a parser raise or take a number that isn't there."""

from __future__ import annotations

import os
import random
import zlib
from typing import TYPE_CHECKING, TypeVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from .reading import LOGS, PARSERS, all_logs, load, parse, raw_log

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from _pytest.mark import ParameterSet

    from compare_kernels.parsers.base import Parsed

CASES = [pytest.param(name, path, id=str(path.relative_to(LOGS))) for name, path in all_logs()]
CAMPAIGN = bool(os.environ.get("CAMPAIGN"))

T = TypeVar("T")


def one_of_each(variants: Mapping[str, T]) -> list[ParameterSet]:
    """Each log with all variants in a campaign, and with one of them, always the same, in the everyday run."""
    return [
        pytest.param(name, path, variant, id=f"{word}-{path.relative_to(LOGS)}")
        for name, path in all_logs()
        for index, (word, variant) in enumerate(variants.items())
        if CAMPAIGN or zlib.crc32(str(path.relative_to(LOGS)).encode()) % len(variants) == index
    ]


Values = dict[tuple[str, str], list[float]]


def values(parsed: Parsed) -> Values:
    found: Values = {}
    for block in parsed.blocks:
        found.setdefault((block.metric.name, block.operation.name), []).extend(float(v) for v in block.values)
    return found


@pytest.mark.parametrize(("name", "path"), CASES)
def test_cut_short_anywhere(name: str, path: Path) -> None:
    """A log that stops at any byte gives only values that the whole log has too."""
    data = path.read_bytes()
    whole = values(parse(name, raw_log(path)))
    known = {value for numbers in whole.values() for value in numbers}
    derived = {metric.name for metric in load(name).METRICS if metric.name in getattr(load(name), "DERIVED", ())}
    cuts = range(len(data)) if CAMPAIGN else sorted({*range(0, len(data), max(1, len(data) // 60)), *_ends(data)})
    for cut in cuts:
        log = raw_log(path, data[:cut])
        load(name).recognise(log)
        for (metric, operation), numbers in values(parse(name, log)).items():
            if metric not in derived:
                assert set(numbers) <= known, f"cut at byte {cut}: {metric} {operation} {set(numbers) - known}"


def _ends(data: bytes) -> list[int]:
    """Cuts where they hurt most: inside the last number of the first and last lines with digits."""
    places = [index for index in range(1, len(data)) if data[index - 1 : index].isdigit()]
    return places[:20] + places[-40:]


@pytest.mark.parametrize(("name", "path", "ending"), one_of_each({"crlf": b"\r\n", "blank": b" \n"}))
def test_line_ends_do_not_matter(name: str, path: Path, ending: bytes) -> None:
    data = path.read_bytes()
    if b"\r" in data or b"\0" in data:
        return
    assert values(parse(name, raw_log(path, data.replace(b"\n", ending)))) == values(parse(name, raw_log(path)))


RECORDERS: dict[str, Callable[[int], bytes]] = {
    "quoted": lambda number: b"> > ",
    "stamped": lambda number: b"2026-01-02T03:04:%02d.123456Z " % (number % 60),
    "console": lambda number: b"[%5d.%06d] " % (number, number * 7919 % 1000000),
}


@pytest.mark.parametrize(("name", "path", "recorder"), one_of_each(RECORDERS))
def test_prefixes_of_recorders_do_not_matter(name: str, path: Path, recorder: Callable[[int], bytes]) -> None:
    data = path.read_bytes()
    if b"\0" in data or b"\r" in data or not data.strip():
        return
    lines = data.split(b"\n")
    marked = b"\n".join(recorder(number) + line for number, line in enumerate(lines[:-1])) + b"\n" + lines[-1]
    if not data.endswith(b"\n"):
        marked = b"\n".join(recorder(number) + line for number, line in enumerate(lines))
    assert values(parse(name, raw_log(path, marked))) == values(parse(name, raw_log(path)))


ENCODINGS = {name: name for name in ("utf-8-sig", "utf-16", "utf-16-be")}


@pytest.mark.parametrize(("name", "path", "encoding"), one_of_each(ENCODINGS))
def test_encodings_do_not_matter(name: str, path: Path, encoding: str) -> None:
    data = path.read_bytes()
    if b"\0" in data or not data.strip() or b"<?xml" in data:
        # XML says itself how it is encoded.
        return
    text = data.decode("latin-1")
    assert values(parse(name, raw_log(path, text.encode(encoding)))) == values(parse(name, raw_log(path)))


@pytest.mark.parametrize("name", PARSERS)
@given(data=st.data())
def test_noise_never_raises(name: str, data: st.DataObject) -> None:
    """Random lines between the real ones, in any encoding, shuffled or doubled: a result or a diagnostic."""
    paths = [path for parser, path in all_logs() if parser == name]
    path = data.draw(st.sampled_from(paths))
    lines = path.read_bytes().split(b"\n")[:400]
    noise = data.draw(st.lists(st.one_of(st.binary(max_size=60), st.text(max_size=60).map(str.encode)), max_size=8))
    for line in noise:
        lines.insert(data.draw(st.integers(0, len(lines))), line)
    if data.draw(st.booleans()):
        random.Random(data.draw(st.integers(0, 1000))).shuffle(lines)
    log = raw_log(path, b"\n".join(lines))
    load(name).recognise(log)
    parsed = parse(name, log)
    assert parsed.status in {"read", "truncated"} or parsed.diagnostics


@pytest.mark.parametrize("name", PARSERS)
@given(noise=st.binary(max_size=3000))
def test_any_bytes_never_raise(name: str, noise: bytes) -> None:
    log = raw_log(LOGS / name / "noise.txt", noise)
    load(name).recognise(log)
    parse(name, log)
