"""Mail addresses: read from options and from strangers' headers, and written so that they are nothing else."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from compare_kernels.delivery.headers import decoded, encoded, one_line
from compare_kernels.errors import UsageError
from compare_kernels.text import printable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

_TOKEN = re.compile(
    r'"(?P<quoted>(?:[^"\\]|\\.)*+)"?|<(?P<angle>[^<>]*)>|(?P<mark>[,;:()])|(?P<plain>[^"<,;:()]+)|.', re.DOTALL
)
_SPEC = re.compile(
    r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~.-]{1,64}@"
    r"(?:[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?)*|\[[A-Fa-f0-9IPv.:]+\])"
)
_LONGEST_SPEC = 254
_LONGEST_NAME = 120
_LONGEST_QUOTED = 60
_ATOMS = re.compile(r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~ -]+")


@dataclass(frozen=True, slots=True)
class Address:
    """Somebody who gets or sends mail.

    Attributes:
        name: one line of text; may be empty.
        spec: the bare address in ASCII, such as ``developer@example.org``.
    """

    name: str
    spec: str

    @property
    def key(self) -> str:
        """What is equal for addresses that are the same, as far as anybody but their server can tell."""
        return self.spec.lower()

    @property
    def domain(self) -> str:
        """What stands behind the ``@``."""
        return self.spec.rpartition("@")[2]

    def __str__(self) -> str:
        return f"{self.name} <{self.spec}>" if self.name else self.spec

    def words(self) -> list[str]:
        """The address as the words of a header."""
        if not self.name:
            return [self.spec]
        if not self.name.isascii() or "=?" in self.name or len(self.name) > _LONGEST_QUOTED:
            return [*encoded(self.name), f"<{self.spec}>"]
        if _ATOMS.fullmatch(self.name):
            return [*self.name.split(" "), f"<{self.spec}>"]
        escaped = re.sub(r'(["\\])', r"\\\1", self.name)
        return [f'"{escaped}"', f"<{self.spec}>"]


def list_words(addresses: Sequence[Address]) -> list[str]:
    """Several addresses as the words of a header, with commas between them."""
    found: list[str] = []
    for address in addresses:
        if found:
            found[-1] += ","
        found += address.words()
    return found


def given(texts: Iterable[str], option: str) -> tuple[Address, ...]:
    """The addresses in texts such as ``A <a@example.org>, b@example.org`` that a user gave, each once.

    Raises:
        UsageError: if one of them is no address; names the option.
    """
    found: list[Address] = []
    for text in texts:
        parts = list(_split(text))
        wrong = [spec for name, spec in parts if not _is_address(spec)]
        if wrong or not parts:
            raise UsageError(f"{option}: {printable(' '.join(wrong) or text)!r} is no mail address in ASCII")
        found += [Address(one_line(name), spec) for name, spec in parts]
    return each_once(found)


def found_in(raw: str) -> tuple[tuple[Address, ...], tuple[str, ...]]:
    """The addresses in a stranger's header, each once, and what else stands in their places."""
    good: list[Address] = []
    wrong: list[str] = []
    for name, spec in _split(raw):
        if _is_address(spec):
            good.append(Address(one_line(decoded(name[: 20 * _LONGEST_NAME]))[:_LONGEST_NAME].strip(), spec))
        else:
            wrong.append(one_line(spec or name)[:_LONGEST_NAME])
    return each_once(good), tuple(wrong)


def each_once(addresses: Iterable[Address], but: Iterable[Address] = ()) -> tuple[Address, ...]:
    """The addresses without those that came before or are excepted."""
    seen = {address.key for address in but}
    found = []
    for address in addresses:
        if address.key not in seen:
            seen.add(address.key)
            found.append(address)
    return tuple(found)


def _is_address(spec: str) -> bool:
    return len(spec) <= _LONGEST_SPEC and bool(_SPEC.fullmatch(spec))


def _split(text: str) -> Iterator[tuple[str, str]]:
    """Name and address of each entry of a list; comments and the names of groups are left out."""
    name, angle, depth = "", "", 0
    for token in _TOKEN.finditer(text):
        mark = token["mark"]
        if mark == "(" or (mark == ")" and depth):
            depth += 1 if mark == "(" else -1
        elif depth:
            continue
        elif mark in {",", ";"}:
            yield from _entry(name, angle)
            name, angle = "", ""
        elif mark == ":" and "@" not in name:
            name = ""
        elif token["angle"] is not None:
            angle = token["angle"].strip()
        else:
            quoted = token["quoted"]
            name += token[0] if quoted is None else re.sub(r"\\(.)", r"\1", quoted)
    yield from _entry(name, angle)


def _entry(name: str, angle: str) -> Iterator[tuple[str, str]]:
    name = name.strip()
    if name or angle:
        yield (name, angle) if angle else ("", name)
