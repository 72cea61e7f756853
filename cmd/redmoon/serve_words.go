package main

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/redmoon-lua/redmoon/cmd/redmoon/internal/cmdline"
	"github.com/redmoon-lua/redmoon/cmd/redmoon/internal/process"
	"github.com/redmoon-lua/redmoon/cmd/redmoon/internal/serverlog"
	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/base/files"
)

// serverVersion is the line of redis-server --version. The allocator is Go's; the build is the
// revision of Redmoon.
func serverVersion() string {
	build := "0"
	if info, ok := debug.ReadBuildInfo(); ok {
		if revision := setting(info, "vcs.revision"); revision != "" {
			build = revision[:min(len(revision), 15)]
		}
	}
	return fmt.Sprintf("Redis server v=%s sha=00000000:0 malloc=%s bits=%d build=%s", engine.RedisVersion, runtime.Version(),
		32<<(^uint(0)>>63), build)
}

// serverHelp is the text of redis-server --help.
const serverHelp = `Usage: ./redis-server [/path/to/redis.conf] [options] [-]
       ./redis-server - (read config from stdin)
       ./redis-server -v or --version
       ./redis-server -h or --help
       ./redis-server --test-memory <megabytes>
       ./redis-server --check-system

Examples:
       ./redis-server (run the server with default conf)
       echo 'maxmemory 128mb' | ./redis-server -
       ./redis-server /etc/redis/6379.conf
       ./redis-server --port 7777
       ./redis-server --port 7777 --replicaof 127.0.0.1 8888
       ./redis-server /etc/myredis.conf --loglevel verbose -
       ./redis-server /etc/myredis.conf --loglevel verbose

This redis-server is redmoon, which has no Sentinel mode. See also: redmoon serve --help
`

// testMemory answers --test-memory, which Redmoon does not have.
func (std *streams) testMemory(mode cmdline.Mode) int {
	if mode == cmdline.TestMemoryBad {
		fmt.Fprint(std.err, "Please specify the amount of memory to test in megabytes.\nExample: ./redis-server --test-memory 4096\n\n")
		return 1
	}
	fmt.Fprintln(std.err, "redmoon does not test memory: it runs in Go's heap and cannot reach every page of the machine. "+
		"Use memtester or a boot-time test such as memtest86.")
	return 1
}

// refuseSentinel answers --sentinel.
func (std *streams) refuseSentinel() int {
	out := serverlog.New(serverlog.Options{Out: std.out, Now: time.Now, PID: os.Getpid()})
	out.SetRole(serverlog.Sentinel)
	out.Logger().Warn("Redmoon has no Sentinel mode. Run the redis-sentinel of Redis: it watches redmoon servers as it does " +
		"others. Exiting...")
	return 1
}

// checkSystem answers --check-system with the checks that mean something for a Go program.
func (std *streams) checkSystem() int {
	fmt.Fprint(std.out, "[overcommit]...skipped: redmoon does not fork\n[THP]...")
	if process.AlwaysTHP() {
		fmt.Fprintln(std.out, "OK (always; disable-thp turns it off for the server)")
	} else {
		fmt.Fprintln(std.out, "OK")
	}
	return 0
}

// configError prints an error of the configuration as Redis does and returns the exit code.
func (s *server) configError(err error) int {
	var line *engine.ConfigFileError
	var open *engine.ConfigOpenError
	switch {
	case errors.As(err, &line):
		fmt.Fprint(s.std.err, line.Block(engine.RedisVersion))
	case errors.As(err, &open):
		if s.file != nil {
			s.useLog()
		}
		s.log.Warn("Fatal error, " + open.Error())
	default:
		return s.fail(err)
	}
	return 1
}

func errnoText(err error) string { return files.Strerror(err) }
