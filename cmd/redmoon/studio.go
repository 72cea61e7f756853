package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/redmoon-lua/redmoon/cmd/redmoon/internal/repl"
	"github.com/redmoon-lua/redmoon/cmd/redmoon/internal/studio"
	"github.com/redmoon-lua/redmoon/cmd/redmoon/internal/studio/web"
	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/base/bundle"
	"github.com/redmoon-lua/redmoon/internal/base/quoting"
	"github.com/redmoon-lua/redmoon/internal/tools/embedded"
)

type studioCommand struct {
	Addr    string   `default:"127.0.0.1:0" placeholder:"HOST:PORT" help:"Address of the page, on this machine only. Default: a free port."`
	NoOpen  bool     `name:"no-open" help:"Only print the address; do not start a browser."`
	Fixture string   `placeholder:"FILE" help:"File of Redis commands or of JSON that is loaded first."`
	Server  string   `placeholder:"NAME" help:"Server to follow, such as valkey-9.1; the page can choose another. Default redis-7.0."`
	Script  string   `arg:"" optional:"" name:"script" help:"File of the script, or a link that the page has made."`
	Args    []string `arg:"" optional:"" passthrough:"" name:"key ... , arg" help:"KEYS, and after a separate comma ARGV."`
}

// Help is the long text of "redmoon studio --help".
func (studioCommand) Help() string {
	return `The page runs and debugs a script: steps forwards and back, breakpoints, variables, the Redis calls with
their replies, and what the script has changed. Without a script it shows an example.

  redmoon studio
  redmoon studio --fixture users.json claim.lua stock:1 , ann

The file of the script, and what it includes, is read once and never written. The server listens on this machine only, and needs
the token that is part of the printed address. It ends at Ctrl-C. docs/debugging.md says more.`
}

func (c *studioCommand) Run(std *streams) error {
	o := studio.Options{Version: lspVersion()}
	if _, ok := engine.CommandsOf(c.Server); !ok {
		return errNoServer(c.Server)
	}
	if c.Script != "" || c.Fixture != "" || c.Server != "" {
		d, err := c.document()
		if err != nil {
			return err
		}
		o.Document = &d
	}
	l, err := web.Listen(c.Addr)
	if err != nil {
		return err
	}
	server, err := web.NewServer(l.Addr(), o)
	if err != nil {
		l.Close()
		return err
	}
	defer server.Close()
	fmt.Fprintln(std.out, server.URL())
	if !c.NoOpen {
		openBrowser(std.interruptible, server.OnceURL())
	}
	return serveUntil(std.interruptible, l, server)
}

// serveUntil serves HTTP until ctx ends.
func serveUntil(ctx context.Context, l net.Listener, h http.Handler) error {
	s := &http.Server{Handler: h, ReadHeaderTimeout: 10 * time.Second, MaxHeaderBytes: 64 << 10}
	defer context.AfterFunc(ctx, func() { s.Close() })()
	if err := s.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// document returns what the page shows first.
func (c *studioCommand) document() (studio.Document, error) {
	if strings.HasPrefix(c.Script, "http://") || strings.HasPrefix(c.Script, "https://") {
		return studio.Unpack(c.Script)
	}
	name, source := "Fixture", []byte("return redis.call('KEYS', '*')\n")
	if c.Script != "" {
		built, err := embedded.Build(c.Script, bundle.Options{})
		if err != nil {
			return studio.Document{}, err
		}
		name, source = filepath.Base(c.Script), []byte(built.Text)
	}
	if c.Script == "" && c.Fixture == "" {
		d := studio.Examples()[0]
		d.Server = c.Server
		return d, nil
	}
	keys, args := repl.SplitKeys(c.Args)
	if err := isText(name, source); err != nil {
		return studio.Document{}, err
	}
	d := studio.Document{Name: name, Source: string(source), Keys: quotedWords(keys), Args: quotedWords(args), Server: c.Server}
	if c.Fixture != "" {
		fixture, err := os.ReadFile(c.Fixture)
		if err != nil {
			return d, err
		}
		if err := isText(c.Fixture, fixture); err != nil {
			return d, err
		}
		d.Fixture = string(fixture)
	}
	return d, nil
}

// isText returns an error if a file has bytes that the page cannot hold.
func isText(name string, data []byte) error {
	for i, line := range bytes.Split(data, []byte("\n")) {
		if !utf8.Valid(line) {
			return fmt.Errorf("%s:%d: the line is not UTF-8, so the page would change it: write its bytes as escapes", name, i+1)
		}
	}
	return nil
}

// quotedWords joins words so that [quoting.Words] finds them again.
func quotedWords(words []string) string {
	var line []string
	for _, w := range words {
		if plain, ok := quoting.Words(w); !ok || len(plain) != 1 || plain[0] != w || !utf8.ValidString(w) {
			w = string(quoting.Append(nil, w))
		}
		line = append(line, w)
	}
	return strings.Join(line, " ")
}

// openBrowser opens a page if there is a program for that. Errors are ignored: the user has the
// address.
func openBrowser(ctx context.Context, url string) {
	var cmd *exec.Cmd
	switch {
	case runtime.GOOS == "darwin":
		cmd = exec.CommandContext(ctx, "open", url)
	case runtime.GOOS == "windows":
		cmd = exec.CommandContext(ctx, "rundll32", "url.dll,FileProtocolHandler", url)
	case os.Getenv("DISPLAY") != "" || os.Getenv("WAYLAND_DISPLAY") != "":
		cmd = exec.CommandContext(ctx, "xdg-open", url)
	default:
		return
	}
	if cmd.Start() == nil {
		go func() { _ = cmd.Wait() }()
	}
}
