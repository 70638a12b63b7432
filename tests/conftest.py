"""Fixtures for all tests: golden files, and where the material lies."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, Phase, settings

if TYPE_CHECKING:
    from collections.abc import Callable

HERE = Path(__file__).parent

# No clock decides about a test; a campaign tries more examples than the everyday run.
# Shrinking a failure takes minutes; it's left to the campaign.
QUICK = (Phase.explicit, Phase.reuse, Phase.generate)
settings.register_profile("daily", deadline=None, max_examples=60, derandomize=True, phases=QUICK)
settings.register_profile(
    "campaign",
    deadline=None,
    max_examples=2000,
    suppress_health_check=[HealthCheck.too_slow],
    print_blob=True,
)
settings.load_profile("campaign" if os.environ.get("CAMPAIGN") else "daily")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="write the golden files anew")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Writing golden files anew runs the tests that have one and no others."""
    if config.getoption("--update-golden"):
        wanted = [item for item in items if "golden" in getattr(item, "fixturenames", ())]
        config.hook.pytest_deselected(items=[item for item in items if item not in wanted])
        items[:] = wanted


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """Compare a text with tests/golden/NAME; on failure the text is left in actual/NAME."""

    def check(name: str, actual: str) -> None:
        path = HERE / "golden" / name
        if request.config.getoption("--update-golden"):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(actual.encode())
            return
        expected = path.read_bytes().decode() if path.exists() else None
        if actual != expected:
            left = HERE.parent / "actual" / name
            left.parent.mkdir(parents=True, exist_ok=True)
            left.write_bytes(actual.encode())
        assert expected is not None, f"no golden file {name}: look at actual/{name}, then run 'make golden'"
        assert actual == expected, f"differs from tests/golden/{name}; the actual text is in actual/{name}"

    return check
