package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"

	"github.com/redmoon-lua/redmoon/cmd/redmoon/internal/display"
	"github.com/redmoon-lua/redmoon/debugger/dap"
	"github.com/redmoon-lua/redmoon/engine"
)

type dapCommand struct {
	Listen string `placeholder:"HOST:PORT" help:"Serve editors over TCP; port 0 is a free one. Default: standard input and output."`
	Remote bool   `help:"Allow a --listen address that other machines reach. The token gives full access to your files."`
	Token  string `env:"REDMOON_DAP_TOKEN" help:"Token that clients of --listen must send. Default: a random one, which is printed."`
}

// Help is the long text of "redmoon dap --help".
func (dapCommand) Help() string {
	return `Editors start this command, or connect to it, to debug scripts. They launch a script on an
engine of its own, or attach to the scripts that clients of "redmoon serve --dap ADDR" run. Clients of
--listen send the token as the attribute "token". docs/editors.md has settings for VS Code and Neovim.`
}

func (c *dapCommand) Run(std *streams) error {
	log := slog.New(slog.NewTextHandler(std.err, nil))
	if c.Listen == "" {
		server := newDAP(nil, log, "")
		defer server.Close()
		return server.Serve(std.interruptible, std.in, std.out)
	}
	l, err := listenDAP(c.Listen, c.Remote, "--remote")
	if err != nil {
		return err
	}
	fmt.Fprintf(std.out, "listening on %s\n", l.Addr())
	server := newDAP(nil, log, tokenOf(c.Token, std.out))
	defer server.Close()
	if err := server.Listen(std.interruptible, l); !errors.Is(err, dap.ErrClosed) {
		return err
	}
	return nil
}

// tokenOf returns the token that clients must send: the given one, or a random one, which it
// prints.
func tokenOf(given string, out io.Writer) string {
	if given != "" {
		return given
	}
	token := rand.Text()
	fmt.Fprintf(out, "launch and attach need \"token\": %q\n", token)
	return token
}

// newDAP returns a server for debug adapter clients. They attach to e, or launch scripts if e is
// nil. They must send the token unless it is empty.
func newDAP(e *engine.Engine, log *slog.Logger, token string) *dap.Server {
	return dap.NewServer(dap.Options{Engine: e, Logger: log, Token: token, Format: func(v engine.Value) string {
		return string(display.Standard(nil, display.Shape(v, 2)))
	}})
}

// listenDAP listens for debug adapter clients. Only this machine may reach the address, unless
// remote is set; flag is the name of the flag that sets it.
func listenDAP(addr string, remote bool, flag string) (net.Listener, error) {
	if !remote {
		if err := dap.CheckLoopback(addr); err != nil {
			return nil, fmt.Errorf("%w; %s allows it", err, flag)
		}
	}
	return net.Listen("tcp", addr)
}

// serveDAP lets clients that send the token attach to the scripts of e until stop is called. stop
// resumes stopped scripts.
func serveDAP(e *engine.Engine, l net.Listener, log *slog.Logger, token string) (stop func()) {
	server := newDAP(e, log, token)
	go func() {
		if err := server.Listen(context.Background(), l); !errors.Is(err, dap.ErrClosed) {
			log.Error("the debug adapter has stopped listening", "err", err)
		}
	}()
	return server.Close
}
