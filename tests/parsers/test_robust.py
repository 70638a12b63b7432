"""No log, however damaged, makes a parser raise or take a number that isn't there."""

from __future__ import annotations

import os
import random
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from .reading import LOGS, PARSERS, all_logs, load, parse, raw_log

if TYPE_CHECKING:
    from pathlib import Path

    from compare_kernels.parsers.base import Parsed

CASES = [pytest.param(name, path, id=str(path.relative_to(LOGS))) for name, path in all_logs()]
CAMPAIGN = bool(os.environ.get("CAMPAIGN"))

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


@pytest.mark.parametrize(("name", "path"), CASES)
@pytest.mark.parametrize("ending", [b"\r\n", b" \n"], ids=["crlf", "blank"])
def test_line_ends_do_not_matter(name: str, path: Path, ending: bytes) -> None:
    data = path.read_bytes()
    if b"\r" in data or b"\0" in data:
        return
    assert values(parse(name, raw_log(path, data.replace(b"\n", ending)))) == values(parse(name, raw_log(path)))


@pytest.mark.parametrize(("name", "path"), CASES)
@pytest.mark.parametrize(
    "recorder",
    [
        lambda number: b"> > ",
        lambda number: b"2026-01-02T03:04:%02d.123456Z " % (number % 60),
        lambda number: b"[%5d.%06d] " % (number, number * 7919 % 1000000),
    ],
    ids=["quoted", "stamped", "console"],
)
def test_prefixes_of_recorders_do_not_matter(name: str, path: Path, recorder: object) -> None:
    assert callable(recorder)
    data = path.read_bytes()
    if b"\0" in data or b"\r" in data or not data.strip():
        return
    lines = data.split(b"\n")
    marked = b"\n".join(recorder(number) + line for number, line in enumerate(lines[:-1])) + b"\n" + lines[-1]
    if not data.endswith(b"\n"):
        marked = b"\n".join(recorder(number) + line for number, line in enumerate(lines))
    assert values(parse(name, raw_log(path, marked))) == values(parse(name, raw_log(path)))


@pytest.mark.parametrize(("name", "path"), CASES)
@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-be"])
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
