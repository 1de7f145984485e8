# Every command of the project; `make help` lists them. Set-up is part of each: nothing has to be installed first but
# Node with npm; on Debian the tests get the rest by themselves (`test/prepare.ts`).
SHELL := /bin/bash
BIN := PATH="$(CURDIR)/node_modules/.bin:$$PATH"
# The code that Node has compiled is kept, for the next file and the next run: every file of the larger tests loads the whole server.
KEPT := NODE_COMPILE_CACHE=$(CURDIR)/node_modules/.cache/node
RUN_TESTS := vitest run --config .config/vitest.config.ts
VITEST := $(BIN) $(KEPT) $(RUN_TESTS)
# Files of which `make test` runs a slice.
SLICED = $$(grep -rlE "rigs/whole.ts|findKubectlsOfSlice|CLIENT_LEVELS" test --include='*.test.ts')
OXLINT := oxlint --type-aware --deny-warnings
# The compiler and the linter's half that knows types are written in Go and short-lived: collecting garbage takes a third of their time.
GO_TOOL := GOGC=off GOMEMLIMIT=2GiB
# The packages that running needs, and all packages. npm writes the first file at its end, make the second one: an interrupted installation has neither.
RUNNABLE := node_modules/.package-lock.json
READY := node_modules/.everything

.DEFAULT_GOAL := help
.PHONY: help run build dev check static tools tools-long types lint lint-changed format test test-unit test-changed test-integration test-security test-conformance test-robustness robustness simulate test-long test-containers soak test-reference bench mutants image pictures up down generate fix

help: ## List the commands
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F':.*## ' '{ printf "  %-18s %s\n", $$1, $$2 }'

$(RUNNABLE): package-lock.json
	@node .config/install.js run
	@touch $@

$(READY): package-lock.json
	@node .config/install.js
	@touch $@

run: $(RUNNABLE) ## Run the server on the embedded store (flags: make run ARGS="--secure-port 7443")
	@npm start --silent -- $(ARGS)

build: $(RUNNABLE) ## Build dist from the sources (make run does so where they have changed)
	npm run --silent build

pictures: $(READY) ## Take the pictures of the console in README and deploy
	$(VITEST) --project integration test/integration/console-pictures.test.ts
	cp node_modules/.cache/console-screenshots/table-1440-light.png deploy/images/console-table.png
	cp node_modules/.cache/console-screenshots/object-1440-light.png deploy/images/console-object.png

dev: $(RUNNABLE) ## Run the sources as they are, in memory, and again at every change
	$(BIN) node --watch src/main.ts serve --in-memory $(ARGS)

# Of lint and unit tests it leaves out what has passed as it is (`.config/unchanged.ts`); the other commands leave out nothing.
check: $(READY) ## Types, lint, format, architecture and unit tests, of what has changed since the last check
	@$(MAKE) --no-print-directory --jobs --output-sync types lint-changed format test-changed

test: static ## All tests but the long ones; the one command that CI runs
	$(VITEST) --project '!reference' --project '!long' --project '!containers'

static: types lint format

tools: $(READY)
	@$(BIN) node test/prepare.ts

tools-long: $(READY)
	@$(BIN) node test/prepare.ts long

types: $(READY)
	$(BIN) $(GO_TOOL) tsc -p .
	$(BIN) $(GO_TOOL) tsc -p src/console/web

lint: $(READY)
	$(BIN) $(GO_TOOL) $(OXLINT) src test deploy .config

lint-changed: $(READY)
	@$(BIN) $(GO_TOOL) node .config/unchanged.ts lint $(OXLINT)

format: $(READY)
	$(BIN) biome format --config-path=.config src test deploy

test-unit: $(READY) ## Unit and architecture tests
	$(VITEST) --project unit

test-changed: $(READY)
	@$(BIN) $(KEPT) node .config/unchanged.ts unit $(RUN_TESTS) --project unit

test-integration: tools ## Contract and integration tests, on a real etcd and with real clients
	$(VITEST) --project integration

test-security: $(READY) ## Hostile requests and clients on the whole server, by the hardening list
	$(VITEST) --project security

test-cost: $(READY) ## The cost of hostile input: the largest bodies, in every list, map and text of every kind (half an hour)
	WHOLE=1 $(VITEST) --project cost
	HOSTILE_BYTES=780000 $(VITEST) --project security test/security/hostile-

test-conformance: tools ## Replay all of the reference server's recorded answers, on every store and with workers
	WHOLE=1 $(VITEST) --project conformance

test-robustness: $(READY) ## Faults: killed, frozen and cut-off stores under load
	$(VITEST) --project robustness

robustness: tools build ## An hour of random faults under clients whose histories are checked (shorter: make robustness SECONDS=180; SEED=2)
	$(BIN) RUN_SECONDS=$(or $(SECONDS),3600) SEED=$(or $(SEED),1) node test/robustness/random/robustness.ts

simulate: $(READY) ## A minute of simulated servers, clocks and faults by fresh seeds (longer: make simulate SECONDS=600; one again: SEED=7)
	@$(BIN) SECONDS=$(or $(SECONDS),60) node test/simulation/simulate.ts

soak: $(READY) build ## Ten minutes of everything that comes and goes: memory must not grow (longer: make soak MINUTES=60)
	$(BIN) MINUTES=$(or $(MINUTES),10) STORE=$(or $(STORE),embedded) node test/robustness/memory-soak.ts

test-long: tools-long ## The long tests, of which the other tests have a slice: older, reopened and full stores, informers and operators under faults, rolling restarts, two versions side by side, every kubectl and TypeScript
	$(VITEST) --project long
	WHOLE=1 $(VITEST) --project integration --project security --project robustness $(SLICED)

test-reference: tools ## Beside the real kube-apiserver and released software (long; builds them with Go)
	$(VITEST) --project reference

bench: $(READY) build ## Measure, side by side in one run (one bench: make bench ONLY=kv)
	$(BIN) node test/bench/run.ts $(ONLY)

image: ## Build the container image
	docker build $$(deploy/images-made-here | sed -n 's/^NODE_IMAGE=/--build-arg &/p') $(NODE_IMAGE:%=--build-arg NODE_IMAGE=%) -f deploy/Dockerfile -t quarterdeck .

up: $(RUNNABLE) ## Start three etcd members and three replicas behind a load balancer with docker compose
	$(BIN) node deploy/make-certificates.ts deploy/pki .env
	@deploy/images-made-here .env
	docker compose up --build --detach --wait
	@echo 'kubectl --kubeconfig deploy/pki/admin.kubeconfig get --raw /readyz'

down: ## Stop them again, Prometheus and Grafana too; the data stays (make down ARGS=--volumes removes it)
	docker compose --profile observe down $(ARGS)

# Nothing of it stays, also where it fails or is interrupted.
test-containers: $(READY) ## Build the image, start a stack of its own, and kill, freeze, move and roll its parts under load (needs docker)
	@trap '$(BIN) node test/containers/clean-up.ts' EXIT; $(VITEST) --project containers

mutants: $(READY) ## Put small faults into the code, one by one, and list those that no test notices (ROOMS="patch cache", PER_FILE=3, SEED=2)
	$(BIN) $(KEPT) node test/mutation/run-mutants.ts $(ROOMS)

generate: $(READY) ## Compile proto/ to the schema table and the client's types; list flags, metrics, and which tests show which behaviour
	$(BIN) node src/schema/compile/write-compiled.ts
	$(BIN) node test/architecture/write-coverage.ts
	$(BIN) node test/architecture/write-reference.ts

fix: $(READY) ## Format and mend what the linter can
	$(BIN) oxlint --type-aware --fix src test deploy .config
	$(BIN) biome format --write --config-path=.config src test deploy
