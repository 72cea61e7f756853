package main

import (
	"flag"
	"fmt"
	"strings"
	"testing"

	"github.com/redmoon-lua/redmoon/cmd/redmoon/internal/cmdline"
	"github.com/redmoon-lua/redmoon/internal/core/config"
	"github.com/redmoon-lua/redmoon/internal/testing/document"
)

//go:generate go test -run TestDropInDocument . -write

var writeDocument = flag.Bool("write", false, "write docs/dropin.md again")

// TestDropInDocument checks that docs/dropin.md is what the tables of directives and of command
// lines give.
func TestDropInDocument(t *testing.T) {
	document.Check(t, "../../docs/dropin.md", "go generate ./cmd/redmoon", *writeDocument,
		func(string) string { return dropInDocument() })
}

func dropInDocument() string {
	var b strings.Builder
	b.WriteString(dropInBegin)
	for _, f := range cmdline.Forms() {
		fmt.Fprintf(&b, "| `%s` | %s |\n", strings.TrimSpace("redis-server "+f.Text), f.Does)
	}
	b.WriteString(dropInMiddle)
	for _, r := range config.Rows() {
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", r.Name, r.Default, r.Values, r.Does)
	}
	b.WriteString("\nNext: [operate a server](running.md)\n")
	return b.String()
}

const dropInBegin = `# Serve in place of redis-server

` + "`redmoon serve`" + ` takes the command line and the redis.conf of redis-server 7.0.15, and so does a link
with the name redis-server to the program:

` + "```" + `
ln -s "$(command -v redmoon)" /usr/local/bin/redis-server
redis-server /etc/redis/redis.conf --port 7000
` + "```" + `

The clients of a program change one URL. In Go, ` + "`goredis.Open(os.Getenv(\"REDIS_URL\"))`" + ` takes
redis://, rediss:// and unix://, redis+cluster:// and redis+sentinel:// (` + "`go doc ./goredis Open`" + `).

This file is written by ` + "`go generate ./cmd/redmoon`" + ` from the tables of command lines
(cmd/redmoon/internal/cmdline/forms.go) and of directives (internal/core/config/params.go,
params_kept.go, params_cluster.go and directives.go). A test fails if the table claims an effect that
no code has.

## Command line

` + "`redmoon serve`" + ` takes these forms too, and its own flags (` + "`redmoon serve --help`" + `).

| form | what it does |
|---|---|
`

const dropInMiddle = `
## The process

| what | as redis-server |
|---|---|
| wrong directive | ` + "`*** FATAL CONFIG FILE ERROR`" + ` with the number and text of the line; exit code 1 |
| log | lines with PID, role (M master, S replica, C before the start) and level, to standard output, ` + "`logfile`" + ` and syslog |
| ` + "`daemonize yes`" + ` | the process starts itself again in a session of its own, because a Go program cannot fork |
| ` + "`supervised systemd`" + ` | STATUS, READY=1 and STOPPING=1 go to NOTIFY_SOCKET; ` + "`auto`" + ` looks for UPSTART_JOB and NOTIFY_SOCKET |
| SIGTERM, SIGINT | a shutdown by the rules of shutdown-on-sigterm, -sigint and shutdown-timeout; a second SIGINT ends immediately with exit code 1 |
| SIGUSR1 | ends the process immediately; SIGHUP and SIGPIPE are ignored |

## Directives

CONFIG GET and SET know every parameter of Redis 7.0.15, with its aliases, default, range and error
texts. CONFIG SET cannot change a parameter that is fixed, or one that is protected unless
enable-protected-configs allows it. The last column of the table says what a directive does:

- *effect*: what it does in Redis, or what the table says. "with files" means package persist, which
  ` + "`redmoon serve`" + ` always uses.
- *no effect*: the value is only kept. If it is not the default, the log has a line:
  ` + "`The directive NAME has no effect in redmoon: REASON.`" + `
- *stops the start*: the program ends with the number of the line.

An unknown directive stops the start, as in Redis.

| directive | default | values | what it does |
|---|---|---|---|
`
