# All set-up is here: each target makes `.venv` with what it needs, once, and runs.
# pip is used as it is configured on this machine.

PYTHON ?= $(shell for name in python3 python3.14 python3.13 python3.12 python3.11; do \
	$$name -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$name && break; done)
BIN := .venv/bin

# Tests start Python often: where the environment forbids it to keep what it compiled of the sources,
# each start would compile them anew, which takes longer than all else that it does.
unexport PYTHONDONTWRITEBYTECODE

.DELETE_ON_ERROR:
.PHONY: help demo test test-programs test-parts test-long bench lint format clean

help:  ## list the targets
	@sed -n 's/^\([a-z-]*\):.*##/  make \1 \t/p' Makefile | expand -t 20

demo: .venv/ready-models  ## walk a trained network down the tower and read digits with it
	@$(BIN)/python -m examples.digits.demo

test: .venv/ready-dev  ## run every test but the long ones
	@test/install_debian_tools.sh
	@$(MAKE) --no-print-directory --jobs=2 --output-sync test-programs test-parts

# Two halves that take about as long as each other: whole programs on all floors, and the rest.
PROGRAMS := test/numerics test/onnx test/frontend test/conformance test/packaging test/examples \
	test/tuning

test-programs: .venv/ready-dev
	@$(BIN)/python -m pytest -m "not long" $(PROGRAMS)

test-parts: .venv/ready-dev
	@$(BIN)/python -m pytest -m "not long" $(PROGRAMS:%=--ignore=%)

test-long: .venv/ready-dev  ## run every test, the long ones too
	@test/install_debian_tools.sh long
	@$(BIN)/python -m pytest

bench: .venv/ready-dev .venv/ready-peers  ## time the compiler and what it compiles
	@test/install_debian_tools.sh long
	@$(BIN)/python test/bench/digits.py
	@$(BIN)/python test/bench/products.py
	@$(BIN)/python test/bench/rows.py
	@$(BIN)/python test/bench/models.py
	@$(BIN)/python test/bench/driver.py
	@$(BIN)/python test/bench/resnet.py
	@$(BIN)/python test/bench/compile.py
	@$(BIN)/python test/bench/emulator.py
	@$(BIN)/python test/bench/fusion.py
	@$(BIN)/python test/bench/searches.py

lint: .venv/ready-dev  ## ruff (lint and format) and pyright
	@failed=0; \
	$(BIN)/ruff check || failed=1; \
	$(BIN)/ruff format --check || failed=1; \
	$(BIN)/pyright --pythonpath $(BIN)/python || failed=1; \
	exit $$failed

format: .venv/ready-dev  ## let ruff mend what it can
	@$(BIN)/ruff check --fix
	@$(BIN)/ruff format

clean:  ## remove what the targets above made
	rm -rf .venv build dist *.egg-info .pytest_cache .ruff_cache .hypothesis
	find . -name __pycache__ -prune -exec rm -rf {} +

# One environment. A stamp for each extra says that this pyproject.toml is installed in it.
.venv/ready-%: pyproject.toml .venv/pyvenv.cfg
	$(BIN)/python -m pip install --quiet --editable '.[$*]'
	@touch $@

.venv/pyvenv.cfg:
	@test -n '$(PYTHON)' || { echo 'teenyir needs Python 3.11 or later: none found (apt-get install python3)' >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { \
		echo "$(PYTHON) has no venv module: apt-get install python3-venv" >&2; exit 1; }
	$(PYTHON) -m venv --clear .venv
