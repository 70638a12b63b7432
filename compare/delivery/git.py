"""What git knows of a developer: name, address, mail server, passwords."""

from __future__ import annotations

import subprocess


def setting(name: str) -> str:
    """A value of git's configuration, such as ``user.email``; empty without git or without such a value."""
    try:
        done = subprocess.run(["git", "config", "--get", name], check=False, capture_output=True, timeout=10)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.decode(errors="replace").strip() if done.returncode == 0 else ""


def password(server: str, user: str) -> str:
    """The password that git's credential helper has for a user of a mail server; empty if it has none."""
    request = f"protocol=smtp\nhost={server}\nusername={user}\n\n"
    if any("\n" in part for part in (server, user)):
        return ""
    try:
        done = subprocess.run(
            ["git", "credential", "fill"],
            check=False,
            capture_output=True,
            input=request.encode(),
            timeout=60,
            env=_without_prompt(),
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    answers = dict(line.partition("=")[::2] for line in done.stdout.decode(errors="replace").splitlines())
    return answers.get("password", "") if done.returncode == 0 else ""


def _without_prompt() -> dict[str, str]:
    import os

    return {**os.environ, "GIT_TERMINAL_PROMPT": "0"}
