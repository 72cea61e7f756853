package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"reflect"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/redmoon-lua/redmoon/cmd/redmoon/internal/cmdline"
	"github.com/redmoon-lua/redmoon/cmd/redmoon/internal/listen"
	"github.com/redmoon-lua/redmoon/cmd/redmoon/internal/process"
	"github.com/redmoon-lua/redmoon/cmd/redmoon/internal/serverlog"
	"github.com/redmoon-lua/redmoon/debugger/ldb"
	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/resp"
)

// serveCommand holds the flags that redis-server does not have, and forms of its directives that
// earlier versions of Redmoon had as flags. The command line of redis-server itself is read by
// package cmdline.
type serveCommand struct {
	File string  `arg:"" optional:"" help:"Configuration file, as redis.conf; - reads standard input."`
	Addr *string `placeholder:"HOST:PORT" help:"Address; port 0 is a free one, empty is no TCP. Short for --bind and --port."`
	Unix string  `placeholder:"PATH" help:"Listen on a unix socket too. Short for --unixsocket."`

	Cluster bool `help:"Be the only node of a Redis Cluster, which owns all slots."`
	serverFlag
	OnError   string            `name:"on-script-error" default:"keep" enum:"keep,rollback" help:"A failed script's writes: keep or rollback."`
	Strict    strictKeys        `name:"strict-keys" help:"Refuse to scripts keys that are not in KEYS; --strict-keys=warn only logs them."`
	DAP       string            `name:"dap" placeholder:"HOST:PORT" help:"Let editors debug the scripts of clients (see dap)."`
	DAPToken  string            `name:"dap-token" env:"REDMOON_DAP_TOKEN" help:"Token that editors must send. Default: a random one, printed."`
	DAPRemote bool              `name:"dap-remote" help:"Allow a --dap address that other machines reach. Nothing is encrypted there."`
	Metrics   string            `placeholder:"[HOST:]PORT" help:"Serve metrics for Prometheus at /metrics. Default host: 127.0.0.1."`
	Config    map[string]string `placeholder:"NAME=VALUE" help:"Set a directive, as --NAME VALUE does. May be repeated."`

	watchFlags
	Sources []string `placeholder:"FOLDER" help:"Folders with the files of scripts, for --coverage and --profile. Default: this folder."`

	TLSPort *int `name:"tls-port" placeholder:"PORT" help:"Listen for TLS too; -1 is a free port."`
	directiveFlags
}

// directiveFlags are directives of redis-server that the help does not show. With = in place of the
// space they are flags, as in earlier versions of Redmoon.
type directiveFlags struct {
	UnixPerm    *string `name:"unixsocketperm" hidden:""`
	TLSCert     *string `name:"tls-cert-file" hidden:""`
	TLSKey      *string `name:"tls-key-file" hidden:""`
	TLSCA       *string `name:"tls-ca-cert-file" hidden:""`
	TLSClients  *string `name:"tls-auth-clients" hidden:""`
	RequirePass *string `name:"requirepass" hidden:""`
	ACLFile     *string `name:"aclfile" hidden:""`
	Databases   *string `name:"databases" hidden:""`
}

// each calls add for the directives that are given.
func (f *directiveFlags) each(add func(name string, values ...string)) {
	v := reflect.ValueOf(f).Elem()
	for i := range v.NumField() {
		if value := v.Field(i).Interface().(*string); value != nil {
			add(v.Type().Field(i).Tag.Get("name"), *value)
		}
	}
}

// Help is the long text of "redmoon serve --help".
func (serveCommand) Help() string {
	return `Any Redis client can use the server: redis-cli, redis-benchmark, go-redis. The command line is that of
redis-server 7.0, with the flags below where it takes a directive:

  redmoon serve /etc/redis/redis.conf
  redmoon serve --port 7000 --save "" --appendonly yes
  redmoon serve redis.conf --loglevel verbose -

A program named redis-server that is a link to redmoon does the same without these flags. docs/dropin.md
says what each directive does. The files of --coverage and --profile are written when the server ends, and on
SIGUSR2 while it runs. With --addr, --unix or --dap the log goes to standard error, and standard
output has a line for each address.`
}

// Run is not called: package cmdline reads the command line. See serve.
func (*serveCommand) Run() error { return errors.New("the command line of serve is read elsewhere") }

// shutdownTimeout is how long clients have to receive their last replies.
const shutdownTimeout = 5 * time.Second

// server is a server from its start to its end.
type server struct {
	std  *streams
	own  serveCommand
	line cmdline.Line
	home string // the working directory at the start

	stdin string // the configuration from standard input
	file  *engine.ConfigFile

	out        *serverlog.Log
	log        *slog.Logger // writes to out
	supervisor *process.Supervisor
	listeners  *listen.Set
	oom        process.OOM
	linked     bool     // called redis-server: its command line and defaults
	shutdowns  sync.Map // the values of shutdown-on-sigint and -sigterm that CONFIG SET has set
	maxclients int64

	value    func(name string) string // of a parameter, for TLS
	crashLog atomic.Bool              // crash-log-enabled
	stopping atomic.Bool              // a signal has asked for a shutdown
	loaded   chan struct{}            // closed when the files are loaded

	watch    *watcher
	engine   *engine.Engine
	clients  *resp.Server
	ended    chan error    // a listener has failed
	shutdown chan struct{} // a client has sent SHUTDOWN
}

// run starts the server and returns its exit code when it has ended.
func (s *server) run() int {
	if code := s.configure(); code != 0 {
		return code
	}
	if done, code := s.detach(); done {
		return code
	}
	s.greet()
	if err := s.open(); err != nil {
		return 1
	}
	defer s.listeners.Close()
	var editors net.Listener
	if s.own.DAP != "" {
		var err error
		if editors, err = listenDAP(s.own.DAP, s.own.DAPRemote, "--dap-remote"); err != nil {
			return s.fail(err)
		}
		defer editors.Close()
	}
	var scrapers net.Listener
	if s.own.Metrics != "" {
		var err error
		if scrapers, err = listenMetrics(s.own.Metrics); err != nil {
			return s.fail(err)
		}
		defer scrapers.Close()
	}
	if err := s.startEngine(); err != nil {
		return 1
	}
	defer s.engine.Close()
	defer s.writeWatched()
	stopDAP := s.debugging(editors)
	defer stopDAP()
	defer s.measuring(scrapers)()
	ballast := newBallast()
	defer runtime.KeepAlive(ballast)
	s.serveClients()
	s.watchCrashes()
	go func() {
		awaitFiles(s.engine, s.ended)
		close(s.loaded)
	}()
	if code := s.await(); code >= 0 {
		return code
	}
	stopDAP() // so that a stopped script goes on
	return s.end()
}

// fail reports an error that Redis does not have.
func (s *server) fail(err error) int {
	fmt.Fprintf(s.std.err, "redmoon: %v\n", err)
	return 1
}

// announces reports whether standard output has a line for each address, and no log.
func (c *serveCommand) announces() bool { return c.Addr != nil || c.Unix != "" || c.DAP != "" }

// debugging serves the editors that connect to l; nil: none do.
func (s *server) debugging(l net.Listener) (stop func()) {
	if l == nil {
		return func() {}
	}
	fmt.Fprintf(s.std.out, "debug adapter on %s\n", l.Addr())
	return serveDAP(s.engine, l, s.log, tokenOf(s.own.DAPToken, s.std.out))
}

// serveClients serves the listeners. The connections come from now on.
func (s *server) serveClients() {
	s.clients = resp.NewServer(s.engine, resp.Options{Logger: s.log, Debug: ldb.Debug})
	s.ended, s.loaded = make(chan error, 1), make(chan struct{})
	s.listeners.Run(func(l net.Listener) {
		go func() {
			if err := s.clients.Serve(l); !errors.Is(err, net.ErrClosed) && !errors.Is(err, resp.ErrServerClosed) {
				select {
				case s.ended <- err:
				default: // one is enough
				}
			}
		}()
	}, func(l net.Listener) { _ = s.clients.StopListening(l) })
}

// end stops the clients and the engine after a shutdown that nothing has refused.
func (s *server) end() int {
	s.removeFiles()
	ctx, cancel := context.WithTimeout(context.Background(), shutdownTimeout)
	defer cancel()
	// A client whose script does not end does not disconnect. Closing the engine ends the script.
	context.AfterFunc(ctx, func() { _ = s.engine.Close() })
	if err := s.clients.Shutdown(ctx); err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return s.fail(err)
	}
	_ = s.engine.Close()
	s.log.Warn("Redis is now ready to exit, bye bye...")
	return 0
}

// removeFiles removes the files that say that the server runs.
func (s *server) removeFiles() {
	if path := s.pidFile(); path != "" {
		s.log.Info("Removing the pid file.")
		_ = os.Remove(path)
	}
	if s.listeners.Config().Unix != "" {
		s.log.Info("Removing the unix socket file.")
	}
}
