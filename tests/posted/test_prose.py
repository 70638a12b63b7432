"""What is no table never becomes one."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from .reading import tables_in

ROOT = Path(__file__).parent.parent.parent
LOGS = [path for path in sorted((ROOT / "tests" / "logs").rglob("*")) if path.is_file()]
SOURCES = sorted((ROOT / "compare").rglob("*.py"))[:60]

PROSE = """\
The change makes the Amean of 1 thread go from 10.00 (0.00%) to 9.00 (10.00%), and
that of 4 threads from 12.5 (+-3%) to 13.5 (+-2%): 8% in all. I measured 5.1 +/-2% and
5.3 +/-1.5%. With 1.00 [baseline] being the norm, 2 of 3 runs (66.66 pct) were slower:

  base       patched
  faster     slower

Difference at 95.0% confidence was what I expected. N Min Max Median Avg Stddev are

what ministat prints. x marks the spot
+ is a plus.
case load baseline compare
testcase base patched
Test : all of them
Units : none
"""
CODE = """\
diff --git a/mm/page_alloc.c b/mm/page_alloc.c
--- a/mm/page_alloc.c
+++ b/mm/page_alloc.c
@@ -12,7 +12,8 @@ static int f(int x)
-\treturn x * 100 / (y);
+\treturn x ? 100 * x / y : 0;  /* 10.00 (5.00%) */
 #define A(x)    ((x) * 3)      /* before   after */
 static const int table[] = { 1, 2, 3 };
|  1  |  2  |
+-----+-----+
| 3 files changed, 12 insertions(+), 4 deletions(-)
 mm/page_alloc.c | 12 +++++++-----
"""
LOG = """\
procs -----------memory---------- ---swap-- -----io---- -system-- ------cpu-----
 r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st
 1  0      0 123456   1234 123456    0    0     1     2    3    4  1  1 98  0  0
Tasks: 100 total, 1 running
%Cpu(s):  1.0 us,  0.3 sy,  0.0 ni, 98.7 id
  PID USER      PR  NI    VIRT    RES    SHR S  %CPU  %MEM     TIME+ COMMAND
    1 root      20   0  168140  11640   8320 S   0.0   0.1   0:01.50 systemd
Filesystem     1K-blocks     Used Available Use% Mounted on
/dev/sda1       41152736 12345678  26692880  32% /
     12.34%  swapper  [kernel.kallsyms]  [k] intel_idle
 Performance counter stats for 'true' (10 runs):
              1.02 msec task-clock                #    0.512 CPUs utilized            ( +-  2.11% )
                 3      context-switches          #    2.941 K/sec                    ( +- 10.00% )
"""


@pytest.mark.parametrize("text", [PROSE, CODE, LOG], ids=["prose", "code", "log"])
def test_no_table(text: str) -> None:
    assert tables_in(text) == []


def test_no_table_in_raw_logs() -> None:
    assert len(LOGS) > 50
    assert [path.name for path in LOGS if tables_in(path.read_bytes())] == []


def test_no_table_in_source_code() -> None:
    found = [path.name for path in SOURCES if tables_in(path.read_bytes())]
    assert found == []


WORDS = st.sampled_from(
    [
        "the",
        "load",
        "Amean",
        "went",
        "from",
        "to",
        "10.00",
        "(5%)",
        "5",
        "1.02",
        "base",
        "patched",
        "%",
        "n/a",
        "+3%",
        "(0.00%)",
        "-",
        "+/-",
        "3.5%",
        "[pct imp]",
        "case",
        "Test:",
        "x",
        "Ops",
        "100%",
        "after",
        "before",
        "change",
        "|",
    ]
)


@given(st.lists(st.lists(WORDS, min_size=5, max_size=14).map(" ".join), min_size=1, max_size=8))
def test_sentences_of_such_words(lines: list[str]) -> None:
    """Sentences end with a word and a full stop, whatever numbers they hold."""
    text = "\n".join(f"We saw {line} here." for line in lines)
    assert tables_in(text) == []
