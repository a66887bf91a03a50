# Everything happens in .venv, which is made on first use. PYTHON=python3.12 make test picks another Python.
.DEFAULT_GOAL := help
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
export PATH := $(CURDIR)/.venv/bin:$(PATH)
# Tests start hundreds of processes, which must not compile everything anew.
unexport PYTHONDONTWRITEBYTECODE
PORT ?= 6006
SECONDS ?= 600
# A worker that dies ends the tests: what it had still to run would be waited for without an end.
PYTEST := python -m pytest -n 2 --dist loadfile --max-worker-restart 0
PYTHON_SOURCES := setup.py tfperf_plugin demo tests

.PHONY: help demo dev test test-all test-python check check-python check-frontend golden recorded pages accuracy bench bench-tab tuned matrix audit lock fuzz dist bundle pictures screenshot clean setup-demo setup-test setup-frameworks

help: ## Show what there is to make
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-11s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

demo: setup-demo ## Serve the first demo runs and build others behind them (PORT=6006, 0: any free one)
	python -m demo .demo --port $(PORT)

dev: setup-test ## Work on the tab: every state of it on recorded reports, reloaded when a file is saved
	npm --prefix frontend run dev -- --open

test: check ## Run what guards each change: check, then all tests but slow ones (some 15 minutes on two cores)
	said=$$(mktemp -d); \
	TFPERF_SAID=$$said $(PYTEST) -p tests.policy.said -m "not slow"; \
	python -m tests.policy.said $$said; rm -r $$said

test-all: test setup-frameworks ## Run everything: test, then the slow tests (within an hour on two cores)
	$(PYTEST) -m "slow and not alone"
	python -m pytest -m "slow and alone"

test-python: ## Run the unit tests with another Python, in an environment of its own (PYTHON=python3.13)
	.ci/test-python "$${PYTHON:-python3}"

check: setup-test ## Check style and types, test the front end, compare the committed bundle
	$(MAKE) --no-print-directory -j 2 --output-sync=target check-python check-frontend

check-python:
	ruff check $(PYTHON_SOURCES)
	ruff format --check $(PYTHON_SOURCES)
	mypy

check-frontend:
	npm --prefix frontend run check
	npm --prefix frontend test
	.ci/compare-bundle

golden: setup-test ## Write the golden reports anew; look at the difference before committing it
	TFPERF_UPDATE_GOLDEN=1 python -m pytest -q tests/golden

recorded: setup-test ## Record anew what the tests of the tab and its dev page show; look at the difference before committing it
	python -m demo.recorded

pages: setup-test ## Write the examples on the rules' pages and the index anew; look at the difference before committing it
	python -m demo.pages

accuracy: setup-test ## Measure how often the rules are right, on some 1,230 simulated runs, and write the page
	python -m demo.accuracy

bench: setup-test ## Measure reports of up to 20 million events beside XProf, of a PyTorch trace beside HTA, of 256 hosts, and how fast things start
	python -m tests.benchmarks

bench-tab: setup-test ## Measure how long a cached report takes to open in the tab
	python -m tests.benchmarks.opening

tuned: setup-frameworks ## Tune trainings that are slow for one cause each, beside the fix by hand (20 calm minutes)
	python -m tests.proof.tuned

matrix: setup-test ## Try the wheel with the oldest and newest of what it depends on (CELLS="oldest newest")
	python -m tests.matrix $(CELLS)

audit: setup-test ## Ask a public database for known weaknesses in what the package needs at run time
	python -m tests.matrix.audit

lock: setup-test ## Write .ci/locks anew, with the newest that setup.py admits
	.ci/lock

fuzz: setup-test ## Look for files that break something or cost too much (SECONDS=600 for each kind)
	python -m tests.fuzz $(SECONDS)

dist: setup-test ## Build wheels, with and without compiled code, and sdist into dist/ and try each in a clean environment
	python -m tests.matrix.dist dist

bundle: setup-test ## Build the front end into tfperf_plugin/tensorboard/static
	npm --prefix frontend run build

pictures: setup-test ## Take the pictures of all states anew; look at the difference before committing it
	TFPERF_UPDATE_PICTURES=1 python -m pytest -q tests/e2e/test_pictures.py

screenshot: setup-test ## Take the pictures of README and guide anew
	python .ci/screenshot

clean: ## Remove everything that was made here
	rm -rf .venv .venv-* .demo .pictures .hypothesis .mypy_cache .pytest_cache .ruff_cache build dist *.egg-info frontend/node_modules
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

setup-demo:
	@.ci/setup demo

setup-test:
	@.ci/setup test

setup-frameworks: setup-test
	@.ci/setup frameworks
