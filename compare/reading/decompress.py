"""The content of a file, whatever compressed it: recognised by magic bytes, never by name."""

from __future__ import annotations

import bz2
import lzma
import stat
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, cast

if TYPE_CHECKING:
    from collections.abc import Callable

LARGEST = 4 << 30
"""A file that unpacks to more bytes is refused: it's a mistake or an attack."""
_STEP = 1 << 20


@dataclass(frozen=True, slots=True)
class Content:
    """What a file holds.

    Attributes:
        data: the bytes, decompressed as far as they go.
        problem: what went wrong, in words; empty if nothing did.
        readable: False if nothing could be read at all.
    """

    data: bytes
    problem: str = ""
    readable: bool = True


class _Decompressor(Protocol):
    @property
    def eof(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...
    def decompress(self, data: bytes, /) -> bytes: ...


def read_content(path: str) -> Content:
    """Return the decompressed content of a regular file.

    A truncated or damaged archive gives what it holds and a ``problem``. Devices and pipes are not opened, since
    reading them may never end.
    """
    try:
        if not stat.S_ISREG(Path(path).stat().st_mode):
            return Content(b"", "not a regular file", readable=False)
        raw = Path(path).read_bytes()
    except OSError as error:
        return Content(b"", error.strerror or str(error), readable=False)
    return unpack(raw)


def unpack(raw: bytes) -> Content:
    """Return what bytes hold, compressed or not, with all members.

    Appending to a compressed log makes archives of several members, even of several formats.
    """
    parts: list[bytes] = []
    size = 0
    rest = raw
    problem = ""
    while rest and not problem:
        known = next((known for known in _FORMATS if rest.startswith(known[0])), None)
        if known is None:
            # What isn't compressed stands for itself; padding between members is none of it.
            parts.append(rest)
            break
        unpacked, rest, problem = _unpack_member(rest, known[1], known[2])
        parts += unpacked
        size += sum(map(len, unpacked))
        if size > LARGEST:
            return Content(b"", f"unpacks to more than {LARGEST >> 30} GiB", readable=False)
        rest = rest.lstrip(b"\0")
    if problem == _NO_ZSTD:
        return Content(b"", problem, readable=False)
    return Content(b"".join(parts), problem)


_NO_ZSTD = "zstd archives need the package zstandard: install compare-kernels[zstd]"


def _unpack_member(data: bytes, name: str, make: Callable[[], _Decompressor]) -> tuple[list[bytes], bytes, str]:
    """Return what a member holds, what follows it, and what is wrong with it."""
    parts: list[bytes] = []
    try:
        unpacker = make()
        given = _collect(unpacker, data, parts)
    except ImportError:
        return [], b"", _NO_ZSTD
    except (zlib.error, lzma.LZMAError, OSError, EOFError, ValueError) as error:
        return parts, b"", f"the {name} archive is damaged: {error}"
    except Exception as error:  # zstandard has an exception of its own
        if type(error).__name__ != "ZstdError":
            raise
        return parts, b"", f"the {name} archive is damaged: {error}"
    if not unpacker.eof:
        return parts, b"", f"the {name} archive is truncated"
    return parts, unpacker.unused_data + data[given:], ""


def _collect(unpacker: _Decompressor, data: bytes, parts: list[bytes]) -> int:
    """Unpack one member in steps, so that a bomb is noticed before it has filled the memory.

    Returns:
        How many bytes the unpacker was given; what it didn't need of them is its ``unused_data``.
    """
    size = 0
    view = memoryview(data)
    for start in range(0, len(data), _STEP):
        chunk = unpacker.decompress(bytes(view[start : start + _STEP]))
        parts.append(chunk)
        size += len(chunk)
        if unpacker.eof or size > LARGEST:
            return min(start + _STEP, len(data))
    return len(data)


class _Gzip:
    """zlib's object with the interface of the others."""

    def __init__(self) -> None:
        self._unpacker = zlib.decompressobj(wbits=31)
        self.eof = False
        self.unused_data = b""

    def decompress(self, data: bytes) -> bytes:
        chunk = self._unpacker.decompress(data)
        self.eof = self._unpacker.eof
        self.unused_data = self._unpacker.unused_data
        return chunk


def _zstd() -> _Decompressor:
    try:
        from compression import zstd
    except ImportError:
        import zstandard

        return cast("_Decompressor", zstandard.ZstdDecompressor().decompressobj())
    return cast("_Decompressor", zstd.ZstdDecompressor())


_FORMATS: tuple[tuple[bytes, str, Callable[[], _Decompressor]], ...] = (
    (b"\x1f\x8b", "gzip", _Gzip),
    (b"BZh", "bzip2", bz2.BZ2Decompressor),
    (b"\xfd7zXZ\x00", "xz", lzma.LZMADecompressor),
    (b"\x28\xb5\x2f\xfd", "zstd", _zstd),
)
