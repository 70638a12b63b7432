"""What a copy of a machine's description must not tell: names of hosts and people, addresses, identifiers."""

from __future__ import annotations

import re

from compare_kernels.environment.kernel import words_of

REMOVED = "removed"

_IDENTIFIERS = re.compile(
    r"\b[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}\b"
    r"|\b[0-9a-fA-F]{2}(?:[:-][0-9a-fA-F]{2}){5}(?:[:-][0-9a-fA-F]{2}){0,14}\b"
    r"|\b\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}\b(?!\.\d)(?!-)"
    r"|\b[0-9a-fA-F]{1,4}(?::[0-9a-fA-F]{0,4}){3,7}\b"
    r"|\b[0-9a-fA-F]{32}\b"
)
_PEOPLE = re.compile(r"[\w.+-]{1,64}@[\w.-]{1,255}")
_SERIAL = re.compile(r"(?i)\bserial(?:\s?(?:number|no\.?))?\s*[:=]")

# Options of the command line that name disks, volumes, hosts, networks or secrets.
_OPTIONS = re.compile(
    r"(?i)root|resume|rd[._].*|ip|ifname|bootif|nfsroot|nfsaddrs|netconsole|netroot|systemd\.(?:hostname|machine_id)"
    r"|hostname|domain(?:name)?|crypt.*|luks.*|ostree|ds|iscsi.*|netdev|inst\..*|ks(?:device)?|fetch|url|autoinstall"
    r"|.*(?:token|passw|secret|serial|uuid|cred|key).*|user(?:name)?"
)


def without_identifiers(text: str, host: str = "") -> str:
    """Return the text without addresses, UUIDs, mail addresses, the host's name and lines with serial numbers.

    Args:
        text: any text.
        host: the machine's own name; empty if it isn't known.
    """
    text = "".join(line for line in text.splitlines(keepends=True) if not _SERIAL.search(line))
    text = _PEOPLE.sub(REMOVED, _IDENTIFIERS.sub(REMOVED, text))
    short = host.partition(".")[0]
    for name in (host, short):
        if name and name.lower() not in {"localhost", "(none)", "linux"}:
            text = re.sub(rf"(?<![\w-]){re.escape(name)}(?![\w-])", REMOVED, text)
    return text


def without_host_in_values(text: str, host: str) -> str:
    """Return lines of ``key = value`` without the host's name in values; a key that is called so stays."""
    rows = (line.partition("=") for line in text.splitlines(keepends=True))
    return "".join(f"{key}{equals}{without_identifiers(value, host)}" for key, equals, value in rows)


def cmdline(text: str, host: str = "") -> str:
    """Return a kernel's command line without what identifies disks, hosts or users, and without what is for init."""
    own, _, _ = f"{text.strip()} ".partition(" -- ")
    words = []
    for word in words_of(own):
        name, equals, _ = word.partition("=")
        words.append(f"{name}={REMOVED}" if equals and _OPTIONS.fullmatch(name) else word)
    return without_identifiers(" ".join(words), host) + "\n"
