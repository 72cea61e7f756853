package main

import (
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"github.com/redmoon-lua/redmoon/cmd/redmoon/internal/cmdline"
	"github.com/redmoon-lua/redmoon/cmd/redmoon/internal/serverlog"
	"github.com/redmoon-lua/redmoon/engine"
)

// linkedName returns "redis-server" or "redis-sentinel" if the program was called by that name,
// else "".
func linkedName(path string) string {
	name := strings.TrimSuffix(filepath.Base(path), ".exe")
	if name == "redis-server" || name == "redis-sentinel" {
		return name
	}
	return ""
}

// serveAs is the whole program under the name of one of Redis's.
func (std *streams) serveAs(name string, args []string) int {
	if name == "redis-sentinel" {
		return std.refuseSentinel()
	}
	return std.serve(args, nil)
}

// ownFlags are the flags of serveCommand. Hidden ones are directives of redis-server, which take
// their value after = only. So is --tls-port, except for -1.
func (std *streams) ownFlags() map[string]cmdline.Own {
	own := map[string]cmdline.Own{}
	commands := newParser(std, func(int) {}).Model.Children
	at := slices.IndexFunc(commands, func(c *kong.Node) bool { return c.Name == "serve" })
	for _, f := range commands[at].Flags {
		own[f.Name] = cmdline.Own{Value: !f.Hidden && !f.IsBool(), Joined: f.Hidden}
	}
	own["tls-port"] = cmdline.Own{Value: true, Only: "-1"}
	return own
}

// serve is "redmoon serve" with args, or redis-server if there are no flags of our own. It returns
// the exit code.
func (std *streams) serve(args []string, own map[string]cmdline.Own) int {
	line := cmdline.Parse(args, own)
	switch line.Mode {
	case cmdline.Version:
		fmt.Fprintln(std.out, serverVersion())
		return 0
	case cmdline.Help:
		if own == nil {
			fmt.Fprint(std.err, serverHelp)
			return 1
		}
		newParser(std, func(int) {}).Parse([]string{"serve", "--help"})
		return 0
	case cmdline.TestMemory, cmdline.TestMemoryBad:
		return std.testMemory(line.Mode)
	case cmdline.CheckSystem:
		return std.checkSystem()
	case cmdline.Sentinel:
		return std.refuseSentinel()
	}
	s := &server{std: std, line: line, linked: own == nil}
	if own != nil {
		var c commands
		if _, err := newParserInto(&c, std, func(int) {}).Parse(append([]string{"serve"}, joined(line.Own)...)); err != nil {
			fmt.Fprintf(std.err, "redmoon: %v\n", err)
			return 2
		}
		s.own = c.Serve
	} else {
		s.own.Server = "redis-7.0"
	}
	return s.run()
}

// joined puts a flag and a negative number behind it into one argument, which cannot be taken for
// another flag.
func joined(args []string) []string {
	if i := slices.Index(args, "--tls-port"); i >= 0 && i+1 < len(args) {
		return slices.Concat(args[:i], []string{args[i] + "=" + args[i+1]}, args[i+2:])
	}
	return args
}

// directives are the own flags as lines of a configuration.
func (c *serveCommand) directives() (string, error) {
	var b strings.Builder
	add := func(name string, values ...string) { b.WriteString(cmdline.Directive(name, values...)) }
	if c.Addr != nil {
		host, port, err := net.SplitHostPort(or(*c.Addr, "x:0"))
		if err != nil {
			return "", fmt.Errorf("--addr: %w", err)
		}
		add("port", port)
		switch {
		case *c.Addr == "":
		case host == "":
			add("bind", "*", "-::*")
		default:
			add("bind", host)
		}
	}
	if c.Unix != "" {
		add("unixsocket", c.Unix)
	}
	if c.Cluster {
		add("cluster-enabled", "yes")
	}
	if c.TLSPort != nil && *c.TLSPort >= 0 {
		add("tls-port", strconv.Itoa(*c.TLSPort))
	}
	c.directiveFlags.each(add)
	for name, value := range c.Config {
		add(name, value)
	}
	return b.String(), nil
}

// free reports whether a free port is asked for.
func (c *serveCommand) free() (tcp, tls bool) {
	return c.Addr != nil && strings.HasSuffix(*c.Addr, ":0"), c.TLSPort != nil && *c.TLSPort < 0
}

func or(s, other string) string {
	if s == "" {
		return other
	}
	return s
}

// configure reads the configuration and opens the log. It returns the exit code if it fails.
func (s *server) configure() int {
	out := s.std.out
	if s.own.announces() {
		out = s.std.err
	}
	s.out = serverlog.New(serverlog.Options{Out: out, Now: time.Now, PID: os.Getpid()})
	s.log = s.out.Logger()
	s.home, _ = os.Getwd()
	if err := s.prepareWatch(); err != nil {
		return s.fail(err)
	}
	source := engine.ConfigSource{Path: s.line.File, Options: s.line.Options, Server: s.own.Server}
	own, err := s.own.directives()
	if err != nil {
		return s.fail(err)
	}
	if own != "" && source.Options != "" {
		source.Options += "\n"
	}
	source.Options += own
	if s.line.Stdin {
		s.log.Warn("Reading config from stdin")
		text, err := io.ReadAll(s.std.in)
		if err != nil {
			return s.fail(err)
		}
		source.Stdin, s.stdin = string(text), string(text)
	}
	s.file, err = engine.ReadConfig(source)
	if err != nil {
		return s.configError(err)
	}
	if s.file.Sets("dir") {
		if err := os.Chdir(s.file.Value("dir")); err != nil {
			return s.fail(err)
		}
	}
	if path := s.file.Value("logfile"); path != "" {
		if err := serverlog.CheckFile(path); err != nil {
			return s.configError(&engine.ConfigFileError{Problem: "Can't open the log file: " + errnoText(err)})
		}
	}
	s.useLog()
	return 0
}

// useLog applies the parameters of the log.
func (s *server) useLog() {
	s.out.SetFile(s.file.Value("logfile"))
	s.out.SetLevel(s.file.Value("loglevel"))
}
