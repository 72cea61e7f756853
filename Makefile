# `make test` needs nothing but Go. With redis-server 7.0.15 on the PATH it compares live.

GO ?= go
STATICCHECK_VERSION ?= v0.8.2
MODULES = $(patsubst %/go.mod,%,$(shell find . -name go.mod -not -path './.git/*'))

.PHONY: test record fuzz-oracle bench lint cover

test:
	$(GO) test ./...

# The goldens are written from a real server only.
record:
	REDMOON_ORACLE=require $(GO) test ./internal/difftest -count=1 -run 'TestOracle/|TestLDB' -record

# Random commands on the oracle and on Redmoon; prints how often each command and option was drawn.
SEEDS ?= 1 2 3 4
COMMANDS ?= 1000000
fuzz-oracle:
	for seed in $(SEEDS); do REDMOON_ORACLE=require REDMOON_COVERAGE=1 REDMOON_SEED=$$seed REDMOON_COMMANDS=$(COMMANDS) \
		$(GO) test ./internal/difftest -count=1 -timeout 60m -v -run '^TestRandomCommands$$' || exit 1; done

bench:
	cd bench && $(GO) run .

lint:
	test -z "$$(gofmt -l .)" || { gofmt -l .; exit 1; }
	for m in $(MODULES); do (cd $$m && $(GO) vet ./... && $(GO) run honnef.co/go/tools/cmd/staticcheck@$(STATICCHECK_VERSION) ./...) || exit 1; done

cover:
	$(GO) test -coverpkg=./... -coverprofile=cover.out ./...
	$(GO) tool cover -func=cover.out | tail -1
