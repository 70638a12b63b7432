"""Reads drawings back: points by their classes, values by the numbers at the axes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

SVG = "{http://www.w3.org/2000/svg}"


class Picture:
    """A drawing whose panels all have the same scales, or that has one panel."""

    def __init__(self, svg: str) -> None:
        self.root = ET.fromstring(svg)

    def of_class(self, name: str) -> list[ET.Element]:
        wanted = set(name.split())
        return [element for element in self.root.iter() if wanted <= set(element.get("class", "").split())]

    def texts(self, name: str) -> list[str]:
        return [element.text or "" for group in self.of_class(name) for element in group.iter(f"{SVG}text")]

    def all_texts(self) -> list[str]:
        return [element.text or "" for element in self.root.iter(f"{SVG}text")]

    def dots(self, name: str) -> np.ndarray:
        """Places of the markers, a row for each."""
        uses = [use for group in self.of_class(name) for use in group.iter(f"{SVG}use")]
        return np.array([[float(use.get(key, "0")) for key in "xy"] for use in uses]).reshape(-1, 2)

    def path(self, name: str) -> np.ndarray:
        """Corners of the path, a row for each."""
        (group,) = self.of_class(name)
        numbers = [float(text) for path in self.paths(group) for text in re.findall(r"-?[\d.]+", path)]
        return np.array(numbers).reshape(-1, 2)

    @staticmethod
    def paths(group: ET.Element) -> Iterator[str]:
        for element in group.iter(f"{SVG}path"):
            yield element.get("d", "")

    def along(self, axis: str, places: np.ndarray, *, log: bool = False) -> np.ndarray:
        """The values at places in points, by the first and the last number at the axis ``x`` or ``y``."""
        known = []
        for group in self.of_class(f"{axis}-tick"):
            (text,) = group.iter(f"{SVG}text")
            value = float(text.text or "")
            # Texts stand 2.9 points below their tick.
            place = float(text.get("x", "")) if axis == "x" else float(text.get("y", "")) - 2.9
            known.append((place, np.log10(value) if log else value))
        (p, v), (q, w) = known[0], known[-1]
        values = v + (places - p) * (w - v) / (q - p)
        return 10**values if log else values


def described(svg: str) -> str:
    """The structure as text: tags, classes, texts, colours, and numbers rounded to whole points."""
    lines = []

    def visit(element: ET.Element, depth: int) -> None:
        kept = {"class", "fill", "stroke", "d", "x", "y", "width", "height"}
        attributes = " ".join(
            f"{key}={_rounded(value)}" for key, value in sorted(element.attrib.items()) if key in kept
        )
        text = f" {element.text.strip()!r}" if element.text and element.text.strip() else ""
        lines.append(f"{'  ' * depth}{element.tag.removeprefix(SVG)} {attributes}{text}".rstrip())
        for child in element:
            if child.tag != f"{SVG}defs":
                visit(child, depth + 1)

    visit(ET.fromstring(svg), 0)
    return "\n".join(lines) + "\n"


def _rounded(text: str) -> str:
    if text.startswith("#"):
        return text
    return re.sub(r"(?<![\w-])-?\d+\.\d+", lambda found: f"{float(found[0]):.0f}", text)
