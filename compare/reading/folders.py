"""The files behind a path: itself, or the mails of a folder."""

from __future__ import annotations

from pathlib import Path

_MAILDIR = ("cur", "new")


def is_maildir(folder: Path) -> bool:
    """Whether a folder is a maildir."""
    return all((folder / name).is_dir() for name in _MAILDIR)


def mail_files(path: str) -> list[str]:
    """Return the files of a maildir (``cur`` and ``new``), of a folder of mails, or the path of a file itself.

    Hidden files are left out; the order is that of the names.

    Raises:
        OSError: if the folder can't be read.
    """
    folder = Path(path)
    if not folder.is_dir():
        return [path]
    boxes = [folder / name for name in _MAILDIR if (folder / name).is_dir()] or [folder]
    files = [file for box in boxes for file in box.iterdir() if file.is_file() and not file.name.startswith(".")]
    return [str(file) for file in sorted(files)]
