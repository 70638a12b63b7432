"""An SVG of matplotlib made small and fit to stand in a page among others."""

from __future__ import annotations

import hashlib
import re
from xml.etree import ElementTree as ET

from compare_kernels.plotting.sheet import CLASS

_SVG = "http://www.w3.org/2000/svg"
_LINK = "http://www.w3.org/1999/xlink"
_FONTS = "DejaVu Sans,Verdana,Helvetica,Arial,sans-serif"
_FRACTION = re.compile(r"-?\d*\.\d{2,}(?:e-?\d+)?")
_REFERENCE = re.compile(r"#([^)\s]+)")
_NUMBERS = {"d", "x", "y", "transform", "width", "height", "viewBox", "points"}
_DEFAULTS = {"stroke-linejoin": "round", "stroke-linecap": "butt", "opacity": "1"}


def minimised(source: str, slug: str, title: str, description: str) -> str:
    """Return the SVG with rounded coordinates, without style sheet and document type.

    Identifiers are made from ``slug``, so that several drawings fit into one page.

    Args:
        source: what matplotlib wrote.
        slug: the plot's.
        title: its title, for screen readers and as a tooltip.
        description: its alternative text.
    """
    # Written by matplotlib a moment ago: no input from outside, no entities.
    root = ET.fromstring(source)  # noqa: S314
    for parent in list(root.iter()):
        for child in list(parent):
            if child.find(f"{{{_SVG}}}style") is not None:
                parent.remove(child)
    _rename(root, "p" + hashlib.sha256(slug.encode()).hexdigest()[:7])
    for element in root.iter():
        _shorten(element)
    _share_styles(root)
    _unwrap(root)
    root.attrib = {
        "width": root.attrib["width"].removesuffix("pt"),
        "height": root.attrib["height"].removesuffix("pt"),
        "viewBox": root.attrib["viewBox"],
        "role": "img",
        "font-family": _FONTS,
        "stroke-linejoin": "round",
    }
    for tag, text in (("desc", description), ("title", title)):
        element = ET.Element(f"{{{_SVG}}}{tag}")
        element.text = text
        root.insert(0, element)
    ET.register_namespace("", _SVG)
    # In texts and attributes there is no ">" any more.
    return ET.tostring(root, encoding="unicode").replace(" />", "/>") + "\n"


def _rename(root: ET.Element, prefix: str) -> None:
    """Turn our own identifiers into classes, drop those that nothing refers to, and prefix the others."""
    names: dict[str, str] = {}
    for element in root.iter():
        if link := element.attrib.pop(f"{{{_LINK}}}href", ""):
            element.set("href", link)
            names.setdefault(link[1:], f"{prefix}-{len(names)}")
        for value in (element.get("style", ""), element.get("clip-path", "")):
            for found in re.findall(r"url\(#([^)]+)\)", value):
                names.setdefault(found, f"{prefix}-{len(names)}")
    for element in root.iter():
        identifier = element.attrib.pop("id", "")
        if identifier.startswith(CLASS):
            element.set("class", identifier.removeprefix(CLASS))
        elif identifier in names:
            element.set("id", names[identifier])
        for key, value in element.attrib.items():
            if "#" in value and ("url(#" in value or key == "href"):
                element.set(key, _REFERENCE.sub(lambda found: f"#{names.get(found[1], found[1])}", value))


def _shorten(element: ET.Element) -> None:
    """Round coordinates to hundredths, and drop what is the default."""
    for key in _NUMBERS & element.attrib.keys():
        text = _FRACTION.sub(_rounded, element.attrib[key])
        text = re.sub(r"\s+", " ", text).strip()
        element.set(key, _without_repeats(text) if key == "d" else text)
    if element.get("transform") == "rotate(-0)" or element.get("transform", "").startswith("rotate(-0 "):
        del element.attrib["transform"]
    if style := element.attrib.pop("style", ""):
        pairs = [pair.partition(":")[::2] for pair in style.split(";") if ":" in pair]
        _style(element, {key.strip(): value.strip() for key, value in pairs})
    if element.text is not None and not element.text.strip():
        element.text = None
    element.tail = None


def _without_repeats(path: str) -> str:
    """The path without the letters of lines that follow a line: a pair of numbers means the same."""
    parts = [part for part in re.split(r"(?=[A-Za-z])", path) if part]
    before = [" ", *(part[0] for part in parts)]
    bare = (
        part[1:] if part[0] == last == "L" else part[0] + part[1:].lstrip()
        for part, last in zip(parts, before, strict=False)
    )
    return re.sub(r" (?=[A-Za-z])", "", "".join(bare).replace("  ", " ").strip())


def _style(element: ET.Element, style: dict[str, str]) -> None:
    """Turn a style into attributes, which are shorter and can be inherited."""
    if font := style.pop("font", ""):
        style["font-size"] = font.split()[0]
    style.pop("font-family", None)
    for key, value in style.items():
        if _DEFAULTS.get(key) != value:
            element.set(key, _FRACTION.sub(_rounded, value))


def _rounded(found: re.Match[str]) -> str:
    text = f"{round(float(found[0]), 2) + 0.0:.2f}".rstrip("0").rstrip(".")
    return text or "0"


def _share_styles(root: ET.Element) -> None:
    """What all markers of a group have in common stands once, at the group."""
    for group in root.iter(f"{{{_SVG}}}g"):
        uses = list(group)
        if len(uses) < 2 or any(child.tag != f"{{{_SVG}}}use" for child in uses):
            continue
        for key in ("fill", "stroke", "stroke-width", "stroke-linejoin", "fill-opacity"):
            values = {child.get(key) for child in uses}
            if len(values) == 1 and None not in values:
                group.set(key, values.pop() or "")
                for child in uses:
                    del child.attrib[key]


def _unwrap(root: ET.Element) -> None:
    """Remove groups that say nothing, and empty ones."""
    for parent in list(root.iter()):
        children: list[ET.Element] = []
        for child in parent:
            children += _without_wrapping(child)
        parent[:] = children


def _without_wrapping(element: ET.Element) -> list[ET.Element]:
    if element.tag == f"{{{_SVG}}}g":
        inner = [part for child in element for part in _without_wrapping(child)]
        if not element.attrib or not inner:
            return inner
        element[:] = inner
    return [element]
