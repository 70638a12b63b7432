# Every target makes its own virtual environment first; nothing has to be installed by hand.
PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin

.DEFAULT_GOAL := help
.PHONY: help demo dev test check lint types imports browser pytest golden campaign bench wheel clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "  %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

demo: $(VENV)/.installed ## install, then compare sample-results/base with sample-results/patched
	$(BIN)/compare-kernels sample-results/base sample-results/patched

dev: $(VENV)/.installed-dev ## install with all that developers need

test: check pytest ## everything that must pass: linters, types, layers, tests

check: lint types imports ## the checks that run no code

lint: $(VENV)/.installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/.installed-dev
	$(BIN)/mypy

imports: $(VENV)/.installed-dev
	$(BIN)/lint-imports

# The tests of the page want a real browser; elsewhere than on Debian as root they use the one that is there, or skip.
browser:
	@{ command -v chromium && command -v chromedriver; } >/dev/null || ! command -v apt-get >/dev/null || test "$$(id -u)" != 0 || \
	  { apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium chromium-driver >/dev/null; } || \
	  test -z "$$CI"

pytest: $(VENV)/.installed-dev browser
	$(BIN)/python -m pytest -n auto

golden: $(VENV)/.installed-dev ## write the golden files anew (those of NAME with K=NAME); read the diff
	$(BIN)/python -m pytest --update-golden -q $(if $(K),-k $(K))

campaign: $(VENV)/.installed-dev ## long tests: truncation at every byte, more random examples, large data
	CAMPAIGN=1 $(BIN)/python -m pytest -n auto

bench: $(VENV)/.installed-dev ## speed and memory, as ratios within one run
	$(BIN)/python benchmarks/run.py

wheel: $(VENV)/.installed-dev ## build the wheel and the source archive into dist/
	$(BIN)/python -m build

clean: ## remove what the other targets made
	rm -rf $(VENV) dist actual .mypy_cache .pytest_cache .ruff_cache .import_linter_cache

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e .
	touch $@

$(VENV)/.installed-dev: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev]'
	touch $@ $(VENV)/.installed
