module github.com/redmoon-lua/redmoon

go 1.26.0

require (
	github.com/HdrHistogram/hdrhistogram-go v1.4.0
	github.com/alecthomas/kong v1.17.0
	github.com/anishathalye/porcupine v1.3.1
	github.com/go-redsync/redsync/v4 v4.15.0
	github.com/google/go-dap v0.12.0
	github.com/redis/go-redis/v9 v9.23.0
	github.com/reeflective/readline v1.3.0
	github.com/rogpeppe/go-internal v1.16.0
	github.com/stretchr/testify v1.12.1
	github.com/yuin/gopher-lua v1.1.2 // no other version: engine.New answers an error (luabridge/internal/machine/supported.go)
	go.uber.org/goleak v1.3.0
	golang.org/x/term v0.43.0
	layeh.com/gopher-json v0.0.0-20190114024228-97fed8db8427
	pgregory.net/rapid v1.3.0
)

require (
	github.com/BurntSushi/toml v1.6.0
	github.com/sourcegraph/jsonrpc2 v0.2.3
	github.com/zeebo/xxh3 v1.1.0
)

require github.com/klauspost/cpuid/v2 v2.4.0 // indirect

require (
	github.com/cespare/xxhash/v2 v2.3.0 // indirect
	github.com/hashicorp/errwrap v1.1.0 // indirect
	github.com/hashicorp/go-multierror v1.1.1 // indirect
	github.com/rivo/uniseg v0.4.7 // indirect
	go.uber.org/atomic v1.12.0 // indirect
	go.yaml.in/yaml/v3 v3.0.5
	golang.org/x/sys v0.48.0 // indirect
	golang.org/x/tools v0.45.0 // indirect
)
