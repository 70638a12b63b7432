"""Text that came through terminals, consoles, CI systems and mailers."""

from __future__ import annotations

import pytest

from compare_kernels.parsers.text import clean_lines, command_name
from compare_kernels.text import printable


@pytest.mark.parametrize(
    ("raw", "lines"),
    [
        (b"a\nb\n", ["a", "b"]),
        (b"a\nb", ["a", "b"]),
        (b"a\r\nb\r\n", ["a", "b"]),
        (b"a\rb\r", ["a", "b"]),
        (b"10%\r50%\r100%\ndone\n", ["100%", "done"]),
        (b"\x1b[31mred\x1b[0m\n\x1b]0;title\x07x\n", ["red", "x"]),
        (b"abd\x08c\n", ["abc"]),
        ("\ufeffé\n".encode(), ["é"]),
        ("é\n".encode("latin-1"), ["é"]),
        ("Time: 1\nx\n".encode("utf-16"), ["Time: 1", "x"]),
        ("Time: 1\nx\n".encode("utf-16-le"), ["Time: 1", "x"]),
        (b"> a\n> \n> b\n", ["a", "", "b"]),
        (b"> > a\n> >  b\n", ["a", " b"]),
        (b"2026-01-02T03:04:05.678Z a\n2026-01-02T03:04:05.679Z   b\n", ["a", "  b"]),
        (b"[   12.345678] a\n[   12.345679] b\n", ["a", "b"]),
        (b"[03:04:05] a\n[03:04:06] b\n", ["a", "b"]),
        (b"Jan  2 03:04:05 host hackbench[12]: a\nJan  2 03:04:05 host hackbench[12]: b\n", ["a", "b"]),
        (b"worker-1  | a\nworker-1  |  b\n", ["a", " b"]),
        # Lines without a prefix in common stay as they are.
        (b"[   12.345678] a\nb\nc\nd\n", ["[   12.345678] a", "b", "c", "d"]),
        (b"", []),
    ],
)
def test_clean_lines(raw: bytes, lines: list[str]) -> None:
    assert clean_lines(raw) == lines


@pytest.mark.parametrize(
    ("text", "safe"),
    [
        ("5.9-vanilla", "5.9-vanilla"),
        ("a\nb", "a?b"),
        ("\x1b[2Jboo", "boo"),
        ("\x07bell", "?bell"),
        ("rtl\u202eevil", "rtl?evil"),
        ("caf\u00e9", "café"),
        ("lone\udc80", "lone?"),
        ("a\u2028b\u00a0c", "a?b?c"),
    ],
)
def test_printable(text: str, safe: str) -> None:
    assert printable(text) == safe


@pytest.mark.parametrize(
    ("command", "name"),
    [
        ("/usr/bin/hackbench -g 2", "hackbench -g 2"),
        ("chrt --batch 0 ./hackbench -g 2", "hackbench -g 2"),
        ("sudo nice -n -5 /usr/bin/taskset -c 0-3 hackbench", "hackbench"),
        ("taskset 0xff numactl --cpunodebind=0 -m 0 hackbench 5", "hackbench 5"),
        ("timeout 10s env LC_ALL=C A=b make -j8", "make -j8"),
        ("chrt", ""),
        ("nicer 5", "nicer 5"),
    ],
)
def test_command_names_know_no_folders_and_no_wrappers(command: str, name: str) -> None:
    assert command_name(command) == name
