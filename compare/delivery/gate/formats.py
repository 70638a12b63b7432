"""The result of a gate for other programs: texts of the formats by name."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

from compare_kernels.reporting.formats import markdown
from compare_kernels.text import printable
from compare_kernels.version import __version__

if TYPE_CHECKING:
    from collections.abc import Callable

    from compare_kernels.delivery.gate.decision import Decided
    from compare_kernels.delivery.gate.result import GateResult


def _named(item: Decided) -> str:
    return printable(" ".join(part for part in item.name if part))


def text(result: GateResult) -> str:
    """What failed and why, in lines for people; undecided rows are only counted unless they fail."""
    lines = [f"gate {printable(result.headline)}"]
    lines += [
        f"  {item.outcome}: {_named(item)}: {printable(item.reason)}"
        for item in result.items
        if item.status == "fail"
    ]
    return "\n".join([*lines, *(f"  {printable(line)}" for line in result.waivers)]) + "\n"


def junit(result: GateResult) -> str:
    """JUnit XML: a test case for each item; what is only warned about counts as skipped."""
    suite = ET.Element("testsuite", name="compare-kernels gate", tests=str(max(1, len(result.items))))
    for item in result.items:
        benchmark, metric, operation, kernel = map(printable, item.name)
        case = ET.SubElement(suite, "testcase", classname=f"{kernel}.{benchmark}.{metric}", name=operation)
        if item.status == "pass":
            continue
        reason = printable(item.reason)
        kind = "failure" if item.status == "fail" else "skipped"
        ET.SubElement(case, kind, message=reason, type=item.outcome).text = f"{_named(item)}: {reason}"
    if result.refused:
        case = ET.SubElement(suite, "testcase", classname="gate", name="confounded")
        ET.SubElement(case, "failure", message=printable(result.refused), type="refused")
    suite.set("failures", str(len(suite.findall("testcase/failure"))))
    suite.set("skipped", str(len(suite.findall("testcase/skipped"))))
    if result.waivers:
        ET.SubElement(suite, "system-out").text = "\n".join(map(printable, result.waivers))
    suites = ET.Element("testsuites")
    suites.append(suite)
    ET.indent(suites)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ET.tostring(suites, encoding="unicode")}\n'


def sarif(result: GateResult) -> str:
    """SARIF 2.1.0: a result for each item that doesn't pass."""
    found = [(item.outcome, item.status, f"{_named(item)}: {printable(item.reason)}", _named(item)) for item in
             result.items if item.status != "pass"]  # fmt: skip
    if result.refused:
        found.append(("missing", "fail", f"refused: {printable(result.refused)}", "gate"))
    results = [
        {
            "ruleId": outcome,
            "level": "error" if status == "fail" else "warning",
            "message": {"text": message},
            "locations": [{"logicalLocations": [{"fullyQualifiedName": name}]}],
        }
        for outcome, status, message, name in found
    ]
    rules = [{"id": name} for name in sorted({outcome for outcome, *_ in found})]
    driver = {"name": "compare-kernels", "version": __version__, "rules": rules}
    document = {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{"tool": {"driver": driver}, "results": results}],
    }
    return json.dumps(document, indent=1) + "\n"


def github(result: GateResult) -> str:
    """Annotations of a GitHub workflow: an error for each failure, one warning for all that is undecided."""
    lines = [
        f"::error title={_property(f'{item.outcome} {_named(item)}')}::{_message(item.reason)}"
        for item in result.items
        if item.status == "fail"
    ]
    if result.refused:
        lines.append(f"::error title=refused::{_message(result.refused)}")
    warned = sum(item.status == "warn" for item in result.items)
    lines += [f"::warning title=compare-kernels::{warned} not decided"] if warned else []
    lines += [f"::warning title=waiver::{_message(line)}" for line in result.waivers]
    return "".join(f"{line}\n" for line in lines)


def _message(line: str) -> str:
    return printable(line).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(line: str) -> str:
    return _message(line).replace(":", "%3A").replace(",", "%2C")


def openmetrics(result: GateResult) -> str:
    """OpenMetrics, as the metrics reports of GitLab read them: the change of each row in percent."""
    lines = ["# TYPE compare_kernels_change_percent gauge"]
    for item in result.items:
        if not math.isnan(item.change) and item.outcome not in {"confirmed", "not-confirmed"}:
            names = ("benchmark", "metric", "operation", "kernel")
            labels = ",".join(f'{name}="{_label(value)}"' for name, value in zip(names, item.name, strict=True))
            lines.append(f"compare_kernels_change_percent{{{labels}}} {item.change:.6g}")
    lines += ["# TYPE compare_kernels_gate_failures gauge"]
    lines.append(f"compare_kernels_gate_failures {sum(item.status == 'fail' for item in result.items)}")
    return "\n".join([*lines, "# EOF"]) + "\n"


def _label(value: str) -> str:
    return printable(value).replace("\\", "\\\\").replace('"', '\\"')


def verdicts(result: GateResult) -> str:
    """JSON with all items."""
    names = ("benchmark", "metric", "operation", "kernel")
    items: list[dict[str, Any]] = [
        {
            **dict(zip(names, map(printable, item.name), strict=True)),
            "outcome": item.outcome,
            "status": item.status,
            "reason": printable(item.reason),
            **{name: _number(getattr(item, name)) for name in ("change", "limit", "p")},
        }
        for item in result.items
    ]
    document = {
        "format": "compare-kernels-gate",
        "version": 1,
        "tool": __version__,
        "exit_code": result.exit_code,
        "result": printable(result.headline),
        "waivers": list(map(printable, result.waivers)),
        "items": items,
    }
    return json.dumps(document, indent=1, allow_nan=False) + "\n"


def _number(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None


def summary(result: GateResult) -> str:
    """Markdown for a job's summary: a table of what doesn't pass."""
    lines = [f"## Gate {markdown(printable(result.headline))}", ""]
    shown = [item for item in result.items if item.status != "pass"]
    if shown:
        lines += ["| outcome | row | reason |", "| --- | --- | --- |"]
        lines += [
            f"| {item.outcome} | {markdown(_named(item))} | {markdown(printable(item.reason))} |" for item in shown
        ]
    lines += [f"- {markdown(printable(line))}" for line in result.waivers]
    return "\n".join(lines) + "\n"


GATE_FORMATS: dict[str, Callable[[GateResult], str]] = {
    "junit": junit,
    "sarif": sarif,
    "github": github,
    "openmetrics": openmetrics,
    "verdicts": verdicts,
    "gate-summary": summary,
}
