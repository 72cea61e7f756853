package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"time"

	"github.com/redmoon-lua/redmoon/debugger/ldb"
	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/resp"
)

type serveCommand struct {
	File        string            `arg:"" optional:"" help:"Configuration file, in the form of redis.conf; flags go before it."`
	Addr        *string           `placeholder:"HOST:PORT" help:"Where to listen; port 0 takes a free one. Empty: no TCP. Default ${addr}, or what the file says."`
	Unix        string            `placeholder:"PATH" help:"Listen on a unix socket as well."`
	UnixPerm    string            `name:"unixsocketperm" placeholder:"MODE" help:"Permissions of the unix socket, in octal digits, such as 700."`
	TLSPort     *int              `name:"tls-port" placeholder:"PORT" help:"Listen for TLS as well, on the host of --addr; -1 takes a free port."`
	TLSCert     string            `name:"tls-cert-file" placeholder:"PATH" help:"Certificate of the server, PEM."`
	TLSKey      string            `name:"tls-key-file" placeholder:"PATH" help:"Private key of the certificate, PEM."`
	TLSCA       string            `name:"tls-ca-cert-file" placeholder:"PATH" help:"Certificates of the authorities whose clients are trusted, PEM."`
	TLSClients  string            `name:"tls-auth-clients" default:"" enum:",yes,no,optional" help:"Whether TLS clients must show a certificate: yes (the default), no, optional."`
	RequirePass string            `name:"requirepass" placeholder:"PASSWORD" help:"Password that clients must give with AUTH."`
	ACLFile     string            `name:"aclfile" placeholder:"PATH" help:"File of users, as ACL SAVE writes it."`
	Databases   int               `placeholder:"NUMBER" help:"How many databases SELECT knows. Default 16."`
	Cluster     bool              `help:"Cluster mode: the one node of a Redis Cluster, which owns all slots."`
	Compat      string            `default:"7.0" placeholder:"VERSION" help:"Version of Redis to follow: 7.0, 7.4 or 8.0. Default ${default}."`
	DAP         string            `name:"dap" placeholder:"HOST:PORT" help:"Let editors attach there, by the Debug Adapter Protocol, to the scripts that clients run; port 0 takes a free one."`
	DAPRemote   bool              `name:"dap-remote" help:"Let --dap take an address that other machines reach. What is said there is not encrypted."`
	Config      map[string]string `placeholder:"NAME=VALUE" help:"Set a parameter, as CONFIG SET does; may be repeated."`
}

// Help is the long text of "redmoon serve --help".
func (serveCommand) Help() string {
	return `Any Redis client can use it: redis-cli, redis-benchmark, go-redis. The data lives in memory and is gone when the server ends. Ctrl-C or SHUTDOWN ends it: no more connections are taken, replies on their way are sent first.

With a configuration file it listens where redis-server would: by bind, port, unixsocket and tls-port. CONFIG REWRITE writes the file anew. What a file asks for and Redmoon does not have (such as appendonly yes) is an error at the start.`
}

// readFile reads a configuration file, and goes to the folder that it names.
func readFile(path string) (*engine.ConfigFile, error) {
	file, err := engine.ReadConfigFile(path)
	if err == nil && file.Sets("dir") {
		err = os.Chdir(file.Value("dir"))
	}
	return file, err
}

// drain is how long clients have to take their last replies.
const drain = 5 * time.Second

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
	where := c.where(file)
	listeners, err := where.listen()
	if err != nil {
		return err
	}
	shutdown := make(chan struct{})
	options := engine.Options{Databases: c.Databases, Compat: c.Compat, Cluster: c.Cluster, Logger: log, Config: config,
		ConfigFile: file, ACLFile: c.ACLFile, Fixed: where.fixed(), OnShutdown: func() { close(shutdown) }}
	if where.tlsPort != 0 {
		options.ReloadTLS = where.reload
	}
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
	server := resp.NewServer(e, resp.Options{Logger: log, Debug: ldb.Debug})
	ended := make(chan error, len(listeners))
	for _, l := range listeners {
		go func() { ended <- server.Serve(l) }()
		fmt.Fprintf(std.out, "listening on %s\n", l.Addr())
	}
	select {
	case err = <-ended:
	case <-std.interruptible.Done():
	case <-shutdown:
	}
	stopDAP() // a script that stands still goes on
	ctx, cancel := context.WithTimeout(context.Background(), drain)
	defer cancel()
	// A client whose script does not end does not end either, unless the engine stops that.
	context.AfterFunc(ctx, func() { _ = e.Close() })
	if shutdownErr := server.Shutdown(ctx); err == nil && !errors.Is(shutdownErr, context.DeadlineExceeded) {
		err = shutdownErr
	}
	return err
}
