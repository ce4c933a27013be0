# make demo     a cart-pole on both engines: what agrees and what differs
# make test     everything
# make check    formatting, lint and types
# make conform  what the suite shows of every backend and solver, for docs/support.md: what is not known yet, in minutes;
#               LABELS="physx newton:steel" those again, QUICK=1 fewer scenes, MUTANTS=1 counts mutants too
# make docs     the generated pages of docs/
# make bench    side-by-side costs

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
PROJECTS := pyproject.toml backends/physx/pyproject.toml backends/newton/pyproject.toml conformance/pyproject.toml

.PHONY: demo test check conform docs bench clean

demo: $(READY)
	$(BIN)/python -m ovread.demo

test: $(READY)
	$(BIN)/python -m pytest --numprocesses auto --maxprocesses 4 --dist loadgroup

check: $(READY)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

conform: $(READY)
	$(BIN)/python docs/evidence.py $(LABELS) $(if $(QUICK),--quick) $(if $(MUTANTS),--mutants); status=$$?; \
	  $(BIN)/python docs/generate.py && exit $$status

docs: $(READY)
	$(BIN)/python docs/generate.py
	$(BIN)/python docs/measure.py
	$(BIN)/mkdocs build --quiet

bench: $(READY)
	$(BIN)/python benchmarks/reads.py
	$(BIN)/python benchmarks/writes.py

$(READY): $(PROJECTS) constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "ovread needs Python 3.11 or newer; run make PYTHON=python3.11"; exit 1; }
	@echo "Creating $(VENV): downloads both engines, about 2 GB installed"
	$(PYTHON) -m venv --clear $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt \
	  --editable '.[dev]' --editable ./backends/physx --editable ./backends/newton --editable ./conformance
	@touch $@

clean:
	rm -rf $(VENV)
