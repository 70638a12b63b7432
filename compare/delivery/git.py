"""What git knows of a developer: name, address, mail server, passwords."""

from __future__ import annotations

import os
import subprocess

from compare_kernels.text import printable


def setting(name: str) -> str:
    """A value of git's configuration, such as ``user.email``; empty without git or without such a value."""
    return _ask(["config", "--get", name], "").strip()


def password(server: str, port: int, user: str) -> str:
    """The password that git's credential helper has for a user of a mail server; empty if it has none.

    `git send-email` stores it under server and port, people often under the server alone. Nobody is asked for it.
    """
    for host in (f"{server}:{port}", server):
        if printable(host + user) != host + user:
            return ""
        answer = _ask(["credential", "fill"], f"protocol=smtp\nhost={host}\nusername={user}\n\n")
        fields = dict(line.partition("=")[::2] for line in answer.split("\n"))
        if fields.get("username") == user and fields.get("password"):
            return fields["password"]
    return ""


def _ask(arguments: list[str], request: str) -> str:
    """What git answers; empty if it fails, isn't there, or takes longer than a minute."""
    # No terminal and no window asks for a password: without an answer there is none.
    environment = {**os.environ, "GIT_TERMINAL_PROMPT": "0", "GIT_ASKPASS": "", "GCM_INTERACTIVE": "never"}
    try:
        done = subprocess.run(
            ["git", *arguments],
            check=False,
            capture_output=True,
            input=request.encode(errors="replace"),
            timeout=60,
            env=environment,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.decode(errors="replace") if done.returncode == 0 else ""
