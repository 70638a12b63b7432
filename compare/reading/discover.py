"""From what the user named to the files below it, each with its kernel and its place in the layout."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path, PurePath

from compare_kernels.errors import UsageError
from compare_kernels.model import Diagnostic, Severity, SourceFile
from compare_kernels.parsers import BUILTIN

_REPETITION = re.compile(
    r"(?i)(?:run|iter|iteration|rep|repeat|repetition|r|sample|trial|try|pass|loop|round|boot)?[-_. ]?(\d{1,9})"
)
_RUN_FOLDERS = [re.compile(entry.run_folders) for entry in BUILTIN if entry.run_folders]
_MMTESTS_ITERATION = re.compile(r"iter-(\d+)")


@dataclass(frozen=True, slots=True)
class Input:
    """One side of a comparison: a directory or a file, and the name of its column."""

    label: str
    path: str


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
        if not equals or not label or Path(argument).exists():
            label, path = "", argument
        if not Path(path).exists():
            raise UsageError(f"{path}: no such file or directory")
        labels.append(label)
        paths.append(path)
    given = [label for label in labels if label]
    for label in given:
        if given.count(label) > 1:
            raise UsageError(f"two kernels are called {label!r}: give each its own label")
    return [Input(label, path) for label, path in zip(_unique_labels(labels, paths), paths, strict=True)]


def _unique_labels(labels: list[str], paths: list[str]) -> list[str]:
    """Name a column after the last part of its path in which all differ, or after as many as tell them apart."""
    parts = [Path(path).resolve().parts for path in paths]
    depths = range(1, max(map(len, parts)) + 1)
    for names in (
        *([_name(part[-depth:][:1]) for part in parts] for depth in depths),
        *([_name(part[-depth:]) for part in parts] for depth in depths),
    ):
        chosen = [label or name for label, name in zip(labels, names, strict=True)]
        if len(set(chosen)) == len(chosen):
            return chosen
    # One path given twice: a comparison with itself is a fair question.
    chosen = [label or _name(part[-1:]) for label, part in zip(labels, parts, strict=True)]
    return [name if chosen.index(name) == index else f"{name}({index + 1})" for index, name in enumerate(chosen)]


def _name(parts: tuple[str, ...]) -> str:
    return "/".join(part for part in parts if part != os.sep) or os.sep


def mmtests_inputs(directory: str, baseline: str | None, others: list[str]) -> list[Input]:
    """Return the kernels of an mmtests log directory, the baseline first.

    Without names these are all kernels found there in natural order; with a baseline alone, all others follow it.

    Raises:
        UsageError: if the directory or a kernel doesn't exist, or none is found.
    """
    root = Path(directory)
    if not root.is_dir():
        raise UsageError(f"{directory}: no such directory")
    found = [
        entry.name
        for entry in root.iterdir()
        if entry.is_dir() and any(_MMTESTS_ITERATION.fullmatch(child.name) for child in entry.iterdir())
    ]
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
    return [Input(name, os.path.join(directory, name)) for name in names]  # noqa: PTH118 (the path as typed)


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
    found: list[PurePath] = []
    seen: set[tuple[int, int]] = set()

    def report(error: OSError) -> None:
        diagnostics.append(
            Diagnostic(Severity.ERROR, "unreadable", error.strerror or str(error), str(error.filename or root))
        )

    for folder, folders, names in os.walk(root, onerror=report, followlinks=True):
        status = os.stat(folder)  # noqa: PTH116 (a Path for each folder costs more than the call)
        if (status.st_dev, status.st_ino) in seen:
            diagnostics.append(Diagnostic(Severity.NOTE, "link-loop", "a link to a folder seen before", folder))
            folders.clear()
            continue
        seen.add((status.st_dev, status.st_ino))
        diagnostics += [
            Diagnostic(Severity.NOTE, "hidden", "hidden, therefore not looked into", str(Path(folder, name)))
            for name in sorted((*folders, *names))
            if name.startswith(".")
        ]
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        found += [PurePath(folder, name).relative_to(root) for name in names if not name.startswith(".")]
    return sorted(found, key=lambda path: [natural_key(part) for part in path.parts])


def _is_mmtests(parts: tuple[str, ...]) -> bool:
    return len(parts) > 3 and _MMTESTS_ITERATION.fullmatch(parts[0]) is not None and parts[2] == "logs"


def _place(kernel: int, root: str, path: PurePath, shared: tuple[str, ...], *, mmtests: bool) -> SourceFile:
    """Tell instance and repetition from the folders between an input and a file."""
    repetition: list[int] = []
    instance: list[str] = []
    folders = path.parts[:-1]
    for folder in folders:
        number = _repetition(folder)
        if number is not None:
            repetition.append(number)
        elif folder != "logs":
            instance.append(folder)
    return SourceFile(
        kernel,
        os.path.join(root, *path.parts),  # noqa: PTH118 (the path as typed)
        (*shared, *folders),
        "/".join(instance),
        tuple(repetition),
        mmtests,
    )


def is_run_folder(name: str) -> bool:
    """Whether a benchmark itself puts the files of a run into folders of such names."""
    return any(pattern.fullmatch(name) for pattern in _RUN_FOLDERS)


def _repetition(folder: str) -> int | None:
    for pattern in (_REPETITION, *_RUN_FOLDERS):
        if found := pattern.fullmatch(folder):
            return int(found[1])
    return None
