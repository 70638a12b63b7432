"""From what the user named to the files below it, each with its kernel and its place in the layout."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import TYPE_CHECKING

from compare_kernels.errors import UsageError
from compare_kernels.model import Diagnostic, Severity, SourceFile
from compare_kernels.parsers import BUILTIN
from compare_kernels.text import printable

if TYPE_CHECKING:
    from collections.abc import Sequence

_REPETITION = re.compile(
    r"(?i)(?:run|iter|iteration|rep|repeat|repetition|r|sample|trial|try|pass|loop|round|boot)?[-_. ]?(\d{1,9})"
)
_RUN_FOLDERS = [re.compile(entry.run_folders) for entry in BUILTIN if entry.run_folders]
_MMTESTS_ITERATION = re.compile(r"iter-(\d+)")


@dataclass(frozen=True, slots=True)
class Input:
    """One side of a comparison: a directory or a file, and the name of its column.

    Attributes:
        label: the name.
        path: the path.
        named: whether the user gave the name.
    """

    label: str
    path: str
    named: bool = False


@dataclass(frozen=True, slots=True)
class Discovery:
    """All files below the inputs in a fixed order, and what could not be looked into."""

    kernels: tuple[str, ...]
    files: tuple[SourceFile, ...]
    diagnostics: tuple[Diagnostic, ...]


def natural_key(text: str) -> tuple[tuple[int, int, str], ...]:
    """A key that sorts ``run-2`` before ``run-10``."""
    parts = re.split(r"(\d+)", text)
    return tuple(
        (0, int(part), part) if part.isascii() and part.isdigit() else (1, 0, part) for part in parts if part
    )


def parse_inputs(arguments: list[str]) -> list[Input]:
    """Turn ``PATH`` or ``LABEL=PATH`` into inputs with unique labels.

    A path that exists is a path even if it has an equals sign. Without a label the column is called after the last
    part of the path, and after more parts where two would be alike.

    Raises:
        UsageError: if a path doesn't exist, or two labels given by hand are equal.
    """
    labels: list[str] = []
    paths: list[str] = []
    for argument in arguments:
        label, equals, path = argument.partition("=")
        if not equals or not label or os.path.exists(argument):
            label, path = "", argument
        if not path or not os.path.exists(path):
            raise UsageError(f"{path or 'an empty name'}: no such file or directory")
        if not os.path.isdir(path) and not os.path.isfile(path):
            raise UsageError(f"{path}: neither a directory nor a regular file")
        labels.append(printable(label))
        paths.append(path)
    given = [label for label in labels if label]
    for label in given:
        if given.count(label) > 1:
            raise UsageError(f"two kernels are called {label!r}: give each its own label")
    unique = _unique_labels(labels, paths)
    return [Input(name, path, bool(label)) for name, path, label in zip(unique, paths, labels, strict=True)]


def _unique_labels(labels: list[str], paths: list[str]) -> list[str]:
    """Name a column after the last part of its path in which all differ, or after as many as tell them apart."""
    # A link is called what it is called, not what it leads to.
    parts = [PurePath(os.path.abspath(path)).parts for path in paths]
    if len(set(parts)) < len(parts):
        return _numbered(labels, paths, parts)
    depths = range(1, max(map(len, parts)) + 1)
    for names in (
        *([_name(part[-depth:][:1]) for part in parts] for depth in depths),
        *([_name(part[-depth:]) for part in parts] for depth in depths),
    ):
        chosen = [label or name for label, name in zip(labels, names, strict=True)]
        if len(set(chosen)) == len(chosen):
            return chosen
    # Only names given by hand are in the way of all others.
    return _numbered(labels, paths, parts)


def _numbered(labels: list[str], paths: list[str], parts: list[tuple[str, ...]]) -> list[str]:
    """Names with numbers: one path given twice, for a comparison with itself is a fair question."""
    first = {part: index for index, part in reversed(list(enumerate(parts)))}
    own = sorted(first.values())
    if len(own) < len(parts):
        distinct = _unique_labels(["" for _ in own], [paths[index] for index in own])
    else:
        distinct = [_name(part[-1:]) for part in parts]
    name_of = {parts[index]: name for index, name in zip(own, distinct, strict=True)}
    names: list[str] = []
    for label, part in zip(labels, parts, strict=True):
        plain = label or name_of[part]
        name, number = plain, 2
        while name in names or (name != label and name in labels):
            name = f"{plain}({number})"
            number += 1
        names.append(name)
    return names


def _name(parts: tuple[str, ...]) -> str:
    return printable("/".join(part for part in parts if part != os.sep) or os.sep)


def mmtests_inputs(directory: str, baseline: str | None, others: list[str]) -> list[Input]:
    """Return the kernels of an mmtests log directory, the baseline first.

    Without names these are all kernels found there in natural order; with a baseline alone, all others follow it.

    Raises:
        UsageError: if the directory or a kernel doesn't exist, or none is found.
    """
    root = Path(directory)
    if not root.is_dir():
        raise UsageError(f"{directory}: no such directory")
    found = [entry.name for entry in root.iterdir() if _is_kernel(entry)]
    found.sort(key=natural_key)
    if not found:
        raise UsageError(f"{directory}: no kernel found there (no KERNEL/iter-N directory)")
    names = [baseline] if baseline else []
    names += others or [name for name in found if name != baseline]
    for name in names:
        if name not in found:
            raise UsageError(f"{directory}: no kernel {name!r} there; found: {', '.join(found)}")
        if names.count(name) > 1:
            raise UsageError(f"kernel {name!r} is named twice")
    return [Input(name, os.path.join(directory, name)) for name in names]


def _is_kernel(folder: Path) -> bool:
    try:
        return folder.is_dir() and any(_MMTESTS_ITERATION.fullmatch(child.name) for child in folder.iterdir())
    except OSError as error:
        raise UsageError(f"{folder}: {error.strerror}") from error


def discover(inputs: list[Input]) -> Discovery:
    """Find all files below the inputs.

    Args:
        inputs: the sides of the comparison, the baseline first.

    Returns:
        Files in natural order of their paths, kernel by kernel, and a diagnostic for each directory that could not
        be read or was passed over.
    """
    files: list[SourceFile] = []
    diagnostics: list[Diagnostic] = []
    shared = _shared_name(inputs)
    for kernel, item in enumerate(inputs):
        if not Path(item.path).is_dir():
            hint = tuple(part for part in PurePath(item.path).parts[-2:-1] if part not in {"/", ".", ".."})
            files.append(SourceFile(kernel, item.path, hint))
            continue
        relative = _walk(item.path, diagnostics)
        mmtests = any(_is_mmtests(path.parts) for path in relative)
        files += [_place(kernel, item.path, path, shared, mmtests=mmtests) for path in relative]
    return Discovery(tuple(item.label for item in inputs), tuple(files), tuple(diagnostics))


def _shared_name(inputs: list[Input]) -> tuple[str, ...]:
    """The name that all inputs have (``base/dbench`` and ``patched/dbench``): it tells what was run."""
    paths = {Path(item.path).resolve() for item in inputs}
    names = {path.name for path in paths}
    return tuple(names) if len(names) == 1 < len(paths) else ()


def _walk(root: str, diagnostics: list[Diagnostic]) -> list[PurePath]:
    """All files below a directory; what a link inside it leads to is met at its own place, and counts once."""
    found: list[PurePath] = []
    inside = os.path.realpath(root) + os.sep
    folders_seen: set[tuple[int, int]] = set()
    files_seen: set[tuple[int, int]] = set()

    def report(error: OSError) -> None:
        problem = error.strerror or str(error)
        diagnostics.append(Diagnostic(Severity.ERROR, "unreadable", problem, str(error.filename or root)))

    def leave_out(path: str, slug: str, why: str) -> None:
        diagnostics.append(Diagnostic(Severity.NOTE, slug, why, path))

    for folder, folders, names in os.walk(root, onerror=report, followlinks=True):
        if not _first(folder, folders_seen):
            leave_out(folder, "link", "a link to a folder that was seen before")
            folders.clear()
            continue
        kept = []
        for name in sorted((*folders, *names)):
            path = os.path.join(folder, name)
            if name.startswith("."):
                leave_out(path, "hidden", "hidden, therefore not looked into")
            elif _links_inside(path, inside):
                leave_out(path, "link", f"a link to {os.path.realpath(path)}, which is read at its own place")
            elif name in names and not _first(path, files_seen):
                leave_out(path, "link", "another name of a file that is read")
            else:
                kept.append(name)
        folders[:] = [name for name in kept if name in set(folders)]
        found += [PurePath(folder, name).relative_to(root) for name in kept if name in set(names)]
    return sorted(found, key=lambda path: [natural_key(part) for part in path.parts])


def _links_inside(path: str, folder: str) -> bool:
    if not os.path.islink(path):
        return False
    target = os.path.realpath(path)
    return f"{target}{os.sep}".startswith(folder) and os.path.exists(target)


def _first(path: str, seen: set[tuple[int, int]]) -> bool:
    """Whether this file or folder is met for the first time."""
    try:
        status = os.stat(path)
    except OSError:
        return True
    before = len(seen)
    seen.add((status.st_dev, status.st_ino))
    return len(seen) > before


def _is_mmtests(parts: tuple[str, ...]) -> bool:
    return len(parts) > 3 and _MMTESTS_ITERATION.fullmatch(parts[0]) is not None and parts[2] == "logs"


def _place(kernel: int, root: str, path: PurePath, shared: tuple[str, ...], *, mmtests: bool) -> SourceFile:
    """Tell instance and repetition from the folders between an input and a file."""
    repetition: list[int] = []
    instance: list[str] = []
    folders = path.parts[:-1]
    for folder in without_results(folders):
        number = _repetition(folder)
        if number is not None:
            repetition.append(number)
        elif folder != "logs":
            instance.append(folder)
    return SourceFile(
        kernel,
        os.path.join(root, *path.parts),
        (*shared, *folders),
        "/".join(instance),
        tuple(repetition),
        mmtests,
    )


def without_results(folders: Sequence[str]) -> list[str]:
    """The folders without a ``result`` or ``results`` in which a benchmark keeps the folders of its runs."""
    following = (*folders[1:], "")
    return [
        folder
        for folder, inner in zip(folders, following, strict=False)
        if folder not in {"result", "results"} or not is_run_folder(inner)
    ]


def is_run_folder(name: str) -> bool:
    """Whether a benchmark itself puts the files of a run into folders of such names."""
    return any(pattern.fullmatch(name) for pattern in _RUN_FOLDERS)


def _repetition(folder: str) -> int | None:
    for pattern in (_REPETITION, *_RUN_FOLDERS):
        if found := pattern.fullmatch(folder):
            return int(found[1])
    return None
