package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"runtime"
	"time"

	"github.com/redmoon-lua/redmoon/debugger/ldb"
	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/resp"
)

type serveCommand struct {
	File     string  `arg:"" optional:"" help:"Configuration file, as redis.conf; flags take precedence over it."`
	Addr     *string `placeholder:"HOST:PORT" help:"Address; port 0 is a free one, empty is no TCP. Default: of the file, or ${addr}."`
	Unix     string  `placeholder:"PATH" help:"Listen on a unix socket too."`
	UnixPerm string  `name:"unixsocketperm" placeholder:"MODE" help:"Octal permissions of the unix socket, for example 700."`
	TLSPort  *int    `name:"tls-port" placeholder:"PORT" help:"Listen for TLS too, on the host of --addr; -1 is a free port."`
	TLSCert  string  `name:"tls-cert-file" placeholder:"PATH" help:"Certificate of the server, PEM."`
	TLSKey   string  `name:"tls-key-file" placeholder:"PATH" help:"Private key of the certificate, PEM."`
	TLSCA    string  `name:"tls-ca-cert-file" placeholder:"PATH" help:"Authorities that have signed clients' certificates, PEM."`

	TLSClients string `name:"tls-auth-clients" enum:",yes,no,optional" default:"" help:"Client certificates: yes (default), no, optional."`

	RequirePass string            `name:"requirepass" placeholder:"PASSWORD" help:"Password that clients must send with AUTH."`
	ACLFile     string            `name:"aclfile" placeholder:"PATH" help:"File of users, as ACL SAVE writes it."`
	Databases   int               `placeholder:"NUMBER" help:"Number of databases. Default 16."`
	Cluster     bool              `help:"Be the only node of a Redis Cluster, which owns all slots."`
	Compat      string            `default:"7.0" placeholder:"VERSION" help:"Version of Redis: 7.0, 7.4 or 8.0. Default ${default}."`
	DAP         string            `name:"dap" placeholder:"HOST:PORT" help:"Let editors debug the scripts of clients (see dap)."`
	DAPRemote   bool              `name:"dap-remote" help:"Allow a --dap address that other machines reach. Nothing is encrypted there."`
	Config      map[string]string `placeholder:"NAME=VALUE" help:"Set a parameter, as CONFIG SET does. May be repeated."`
}

// Help is the long text of "redmoon serve --help".
func (serveCommand) Help() string {
	return `Any Redis client can use the server: redis-cli, redis-benchmark, go-redis. The data is kept in
files as redis-server keeps it: dump.rdb, and appendonlydir if the parameter appendonly is yes. Ctrl-C or
SHUTDOWN ends the server after it has sent all pending replies and saved, if there are save points.

With a configuration file the server listens at the addresses of its parameters bind, port, unixsocket
and tls-port, as redis-server does. CONFIG REWRITE writes the file. A parameter for something that
Redmoon does not have, such as io-threads, is an error at the start.`
}

// readFile reads a configuration file and changes to the folder of its parameter dir.
func readFile(path string) (*engine.ConfigFile, error) {
	file, err := engine.ReadConfigFile(path)
	if err == nil && file.Sets("dir") {
		err = os.Chdir(file.Value("dir"))
	}
	return file, err
}

// shutdownTimeout is how long clients have to receive their last replies.
const shutdownTimeout = 5 * time.Second

func (c *serveCommand) Run(std *streams) error {
	log := slog.New(slog.NewTextHandler(std.err, nil))
	config := map[string]string{}
	for name, value := range c.Config {
		config[name] = value
	}
	if c.RequirePass != "" {
		config["requirepass"] = c.RequirePass
	}
	var file *engine.ConfigFile
	if c.File != "" {
		var err error
		if file, err = readFile(c.File); err != nil {
			fmt.Fprintf(std.err, "\n*** FATAL CONFIG FILE ERROR (Redmoon) ***\n%v\n", err)
			return exitError(1)
		}
	}
	listen := c.listenConfig(file)
	listeners, err := listen.open()
	if err != nil {
		return err
	}
	shutdown := make(chan struct{})
	options := engine.Options{Databases: c.Databases, Compat: c.Compat, Cluster: c.Cluster, Logger: log, Config: config,
		ConfigFile: file, ACLFile: c.ACLFile, Fixed: listen.parameters(), OnShutdown: func() { close(shutdown) }}
	if listen.tlsPort != 0 {
		options.ReloadTLS = listen.reload
	}
	keepFiles(&options)
	e, err := engine.New(options)
	if err != nil {
		closeAll(listeners)
		return err
	}
	defer e.Close()
	stopDAP := func() {}
	if c.DAP != "" {
		l, err := listenDAP(c.DAP, c.DAPRemote, "--dap-remote")
		if err != nil {
			closeAll(listeners)
			return err
		}
		stopDAP = serveDAP(e, l, log)
		defer stopDAP()
		fmt.Fprintf(std.out, "debug adapter on %s\n", l.Addr())
	}
	ballast := newBallast()
	defer runtime.KeepAlive(ballast)
	server := resp.NewServer(e, resp.Options{Logger: log, Debug: ldb.Debug})
	ended := make(chan error, len(listeners)+1)
	go awaitFiles(e, ended)
	for _, l := range listeners {
		go func() { ended <- server.Serve(l) }()
		fmt.Fprintf(std.out, "listening on %s\n", l.Addr())
	}
	select {
	case err = <-ended:
	case <-std.interruptible.Done():
	case <-shutdown:
	}
	stopDAP() // so that a stopped script goes on
	ctx, cancel := context.WithTimeout(context.Background(), shutdownTimeout)
	defer cancel()
	// A client whose script does not end does not disconnect. Closing the engine ends the script.
	context.AfterFunc(ctx, func() { _ = e.Close() })
	if shutdownErr := server.Shutdown(ctx); err == nil && !errors.Is(shutdownErr, context.DeadlineExceeded) {
		err = shutdownErr
	}
	return err
}
