# The tiers of tests are test, .ci/run and nightly; quick is a part of test. docs/testing.md says what
# each has. quick and test need only Go. The targets below them name what else they need.

GO ?= go
STATICCHECK_VERSION ?= v0.8.2
MODULES = $(patsubst %/,%,$(dir $(shell git ls-files '*go.mod')))
GOTEST = $(GO) run ./internal/testing/gotest
DIFFTEST = ./internal/testing/difftest
# Nothing but Go is needed: what needs more skips, also where a service sets CI.
ONLY_GO = CI= REDMOON_ORACLE=off

.PHONY: quick test slow stress all nightly doors servers packages goldens race-all directives walk wild pages gopher-lua arm64 systems seeds record crash \
	fuzz-files damage fuzz-oracle fuzz-aof fuzz-effects fuzz-hostile soak-hostile soak-replica soak-sentinel rollback mutants bench lint cover demo \
	studio-static studio-editor release-snapshot

# While you work: vet, the rules of the repository, the small packages, the scripts of the program, and
# each case file through one door, from goldens.
quick:
	$(GO) vet ./...
	$(ONLY_GO) $(GOTEST) -skip '^(TestRandom|TestHostile|TestDamaged|TestExplore|TestReduction|TestBoundedReduction)' \
		./internal/testing/repo ./internal/testing/tier ./datastore/internal/... ./debugger/... ./redmoontest \
		$$($(GO) list ./internal/... | grep -v /internal/testing) ./luabridge/cjson ./luabridge/cmsgpack ./luabridge/structlib
	$(ONLY_GO) $(GOTEST) -run '^(TestOracle|TestScripts)$$' $(DIFFTEST) ./cmd/redmoon

# All tests of the main module that need only Go, with recorded answers in place of redis-server.
test:
	$(ONLY_GO) $(GOTEST) -timeout 20m ./...

# The same, measured: the dearest packages and tests, with their time of the processor.
slow:
	$(ONLY_GO) $(GOTEST) -dearest 40 -count=1 -timeout 20m ./...

# make test and the tests of .ci/run, three times, in random orders, beside eight busy processes.
ROUNDS ?= 3
BUSY ?= 8
stress:
	.ci/stress $(ROUNDS) $(BUSY)

# The tests of every module, as make test has them.
all:
	for m in $(MODULES); do (cd $$m && $(ONLY_GO) $(GO) test -timeout 30m ./...) || exit 1; done

# The long campaigns, one after the other. Each is a target of its own. Hours.
NIGHTLY = doors servers packages goldens race-all directives seeds fuzz-aof fuzz-effects rollback damage fuzz-files soak-replica soak-sentinel crash \
	fuzz-hostile soak-hostile wild pages gopher-lua walk systems arm64
nightly:
	.ci/nightly $(NIGHTLY)

# Every case file through all of its doors, in both protocols, and the other comparisons with
# redis-server with ten times as many random inputs as in .ci/run.
doors:
	REDMOON_TIER=nightly .ci/test oracle
	REDMOON_TIER=nightly .ci/test difftest

# Every case file on the servers of other versions, and on an engine that follows each; then random
# commands, programs, calls and JSON texts.
servers:
	CI=true REDMOON_TIER=nightly $(GOTEST) -count=1 -timeout 3h -v -run '^TestServers$$' $(DIFFTEST)
	CI=true REDMOON_TIER=nightly $(GOTEST) -count=1 -timeout 3h -v -run 'OnServers$$' $(DIFFTEST)

# The tests of the packages, with ten times as many random inputs as in .ci/run.
packages:
	REDMOON_TIER=nightly .ci/test packages

# Every case file through all of its doors, as on a machine without redis-server.
goldens:
	REDMOON_ORACLE=off REDMOON_TIER=nightly $(GOTEST) -count=1 -run '^(TestOracle|TestWatchedCases|TestSteppedCases)$$' $(DIFFTEST)

# The race detector over all tests of the packages.
race-all:
	REDMOON_STORM=60s REDMOON_TIER=landing $(GOTEST) -race -count=1 -timeout 60m \
		-skip '^(TestDirectivesOfRedis|TestRecursionIsBounded|TestInitScript)$$' $$($(GO) list ./... | grep -v /internal/testing/)

# Every directive of Debian's redis.conf, on both servers.
directives:
	CI=true REDMOON_TIER=nightly $(GOTEST) -count=1 -timeout 30m -run '^TestDirectivesOfRedis$$' ./cmd/redmoon

# The random comparisons with redis-server from many seeds.
seeds:
	for seed in $(SEEDS); do \
		REDMOON_SEED=$$seed .ci/test difftest || exit 1; \
	done

# The packages and client libraries of others.
wild:
	REDMOON_TIER=nightly .ci/modules

# The pages, in Chromium: also the studio that is compiled to WebAssembly.
pages:
	CI=true REDMOON_TIER=nightly $(GOTEST) -count=1 -timeout 30m ./cmd/redmoon/internal/studio/... ./internal/core/coverage/... ./internal/core/profile/...

# Programs with a changed gopher-lua, which must not start.
gopher-lua:
	CI=true REDMOON_TIER=nightly $(GOTEST) -count=1 -timeout 30m -run '^TestAnotherGopherLuaIsRefused$$' ./luabridge/internal/machine

# Other systems compile; some tests on emulated arm64.
systems:
	.ci/systems
arm64:
	.ci/arm64

# The first steps of three new users, with a new home folder and empty caches: seconds and lines.
walk:
	log=$$(mktemp); REDMOON_TIER=nightly REDMOON_WALK=fresh $(GOTEST) ./internal/testing/walk -count=1 -timeout 60m -v -parallel 1 >$$log; \
		code=$$?; grep -E ' s  | lines in |^(ok|FAIL|---)' $$log; rm $$log; exit $$code

# Only the replies of a real server become goldens.
record:
	REDMOON_ORACLE=require $(GO) test ./internal/testing/difftest -count=1 -run 'TestOracle/|TestLDB' -record

# Kills an engine that keeps its data under the red-packet load, so many times; prints figures.
KILLS ?= 1000
crash:
	REDMOON_TIER=nightly REDMOON_KILLS=$(KILLS) $(GOTEST) ./internal/testing/crash -count=1 -timeout 4h -v -run '^TestKilled'

# Fuzzes the readers of the files, each for so long.
FUZZTIME ?= 10m
fuzz-files:
	$(GO) test ./datastore -run '^$$' -fuzz '^FuzzLoadFile$$' -fuzztime $(FUZZTIME)
	$(GO) test ./persist/internal/aof -run '^$$' -fuzz '^FuzzReader$$' -fuzztime $(FUZZTIME)
	$(GO) test ./persist/internal/manifest -run '^$$' -fuzz '^FuzzParse$$' -fuzztime $(FUZZTIME)
	$(GO) test ./internal/tools/recording -run '^$$' -fuzz '^FuzzReader$$' -fuzztime $(FUZZTIME)

# Random commands on redis-server and on Redmoon; prints how often each command and option was drawn.
SEEDS ?= 1 2 3 4
COMMANDS ?= 1000000
fuzz-oracle:
	for seed in $(SEEDS); do \
		REDMOON_ORACLE=require REDMOON_COVERAGE=1 REDMOON_SEED=$$seed REDMOON_COMMANDS=$(COMMANDS) \
		$(GOTEST) ./internal/testing/difftest -count=1 -timeout 60m -v -run '^TestRandomCommands$$' || exit 1; \
	done

# Random commands on both sides: what they append to the append-only files is compared.
AOF_COMMANDS ?= 100000
fuzz-aof:
	for seed in $(SEEDS); do \
		REDMOON_ORACLE=require REDMOON_SEED=$$seed REDMOON_COMMANDS=$(AOF_COMMANDS) \
		$(GOTEST) ./internal/testing/difftest -count=1 -timeout 60m -v -run '^TestRandomAppendOnlyFile$$' || exit 1; \
	done

# Every truncation of sample files, and every byte changed by ten patterns, with the verdict of Redis.
damage:
	REDMOON_TIER=nightly REDMOON_ORACLE=require REDMOON_MASKS=10 $(GOTEST) ./persist ./datastore/rdbfile -count=1 -timeout 4h -v -run '^TestDamaged'

# Random commands, and what they send to replicas, from each of several seeds.
EFFECTS ?= 200000
fuzz-effects:
	for seed in $(SEEDS); do \
		REDMOON_ORACLE=require REDMOON_SEED=$$seed REDMOON_COMMANDS=$(EFFECTS) \
		$(GOTEST) ./internal/testing/difftest -count=1 -timeout 60m -v -run '^TestRandomEffects$$' || exit 1; \
	done

# Hostile programs on an engine with little memory, half of the time one after another on the same
# engine. Programs that break something are written to FOUND.
HOSTILE ?= 1h
FOUND ?= $(shell mktemp -d)
fuzz-hostile:
	REDMOON_HOSTILE=$(HOSTILE) REDMOON_SEED=$$(date +%s) REDMOON_FOUND=$(FOUND) \
		$(GOTEST) ./engine -count=1 -timeout 0 -v -run '^TestHostilePrograms$$'

# Four clients run hostile programs against redmoon serve; a fifth measures PING.
SOAK ?= 10m
soak-hostile:
	REDMOON_TIER=nightly REDMOON_HOSTILE=$(SOAK) $(GOTEST) ./cmd/redmoon -count=1 -timeout 0 -v -run '^TestServeSurvivesHostileClients$$'

# Cuts the connection between a master and its replica at random, in both directions between Redmoon
# and redis-server; in the end both have the same data.
CUTS ?= 200
soak-replica:
	for seed in $(SEEDS); do \
		REDMOON_ORACLE=require REDMOON_SEED=$$seed REDMOON_CUTS=$(CUTS) \
		$(GOTEST) ./internal/testing/difftest -count=1 -timeout 60m -v -run '^(TestOracleFollows|TestFollowsOracle)$$' || exit 1; \
	done

# Three Sentinels fail over between Redmoon and redis-server while a client writes with WAIT 1.
FAILOVERS ?= 10
soak-sentinel:
	REDMOON_TIER=nightly REDMOON_ORACLE=require REDMOON_FAILOVERS=$(FAILOVERS) $(GOTEST) ./cmd/redmoon -count=1 -timeout 60m -v -run '^TestSentinel$$'

# Lets scripts, functions and transactions fail on engines that undo them; prints figures.
ROLLBACKS ?= 1000000
rollback:
	REDMOON_ROLLBACKS=$(ROLLBACKS) $(GOTEST) ./internal/testing/difftest -count=1 -timeout 4h -v -run '^TestRollbackIsExact$$'

# Changes one token at each of so many places, and prints the mutants that make test does not find.
MUTANTS ?= 200
mutants:
	$(GO) run ./internal/testing/mutants -count $(MUTANTS)

bench:
	cd bench && $(GO) run .

# gofmt, vet and staticcheck of every module, as .ci/run has them.
lint:
	.ci/lint code

cover:
	$(GO) test -coverpkg=./... -coverprofile=cover.out ./...
	$(GO) tool cover -func=cover.out | tail -1

# The animated picture of README.md. Needs tmux.
demo:
	$(GO) run ./internal/devtools/termsvg docs/images/demo.tape docs/images/demo.svg

# The page of redmoon studio without a server, in dist/studio: files for any host.
STUDIO ?= dist/studio
studio-static:
	rm -rf $(STUDIO)
	mkdir -p $(STUDIO)
	cp cmd/redmoon/internal/studio/site/static/* $(STUDIO)
	GOOS=js GOARCH=wasm $(GO) build -trimpath -ldflags='-s -w' -o $(STUDIO)/redmoon.wasm ./cmd/redmoon/internal/studio/wasm
	cp "$$($(GO) env GOROOT)/lib/wasm/wasm_exec.js" $(STUDIO)
	cp LICENSE $(STUDIO)
	@echo "$(STUDIO)/redmoon.wasm: $$(wc -c <$(STUDIO)/redmoon.wasm) bytes, $$(gzip -9c $(STUDIO)/redmoon.wasm | wc -c) with gzip"

# The editor of that page, which is committed. Needs node.js and npm.
studio-editor:
	cd cmd/redmoon/internal/studio/site/editor && npm ci --ignore-scripts --loglevel=error && npm run -s build

# Everything that a release has, without publishing it: archives for six systems and the cask, in dist.
GORELEASER_VERSION ?= v2.16.0
release-snapshot:
	$(GO) run github.com/goreleaser/goreleaser/v2@$(GORELEASER_VERSION) release --snapshot --clean --skip=docker
