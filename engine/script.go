package engine

import (
	"context"
	"crypto/sha1"
	"encoding/hex"
)

// Script is a Lua script with its SHA1. Make it with [NewScript], usually once, in a package
// variable. It is immutable: any number of goroutines may run it, on any number of engines.
type Script struct {
	source, sha string
	name        string
	readOnly    bool
}

// NewScript returns the script with the given source. It does not compile the source: the first run
// on an engine does, and returns the error reply for a source that does not compile.
func NewScript(source string) *Script {
	sum := sha1.Sum([]byte(source))
	return &Script{source: source, sha: hex.EncodeToString(sum[:])}
}

// ReadOnly returns a copy of s that runs as by EVAL_RO: a command that writes is an error. Only
// engines honor it; package goredis runs the script without this restriction.
func (s *Script) ReadOnly() *Script {
	c := *s
	c.readOnly = true
	return &c
}

// Named returns a copy of s with a name for people, such as the name of its file. [Engine.Stats]
// and traces show it; nothing else depends on it.
func (s *Script) Named(name string) *Script {
	c := *s
	c.name = name
	return &c
}

// Name is the name that [Script.Named] has given to the script, or "".
func (s *Script) Name() string { return s.name }

// Source is the script's Lua text.
func (s *Script) Source() string { return s.source }

// SHA is the SHA1 of the source, in lower-case hexadecimal.
func (s *Script) SHA() string { return s.sha }

// Runner is what a script runs on: an [Engine], a [Session], or a real server (package goredis).
type Runner interface {
	// RunScript runs s once and waits for its result. s need not be in the server's script cache.
	// keys and args become KEYS and ARGV; nil means none. The caller may reuse them when RunScript
	// returns. An error reply is an *[Error].
	RunScript(ctx context.Context, s *Script, keys, args []string) (Value, error)
}

// Doer runs single commands: an [Engine], a [Session], or a real server.
type Doer interface {
	// DoStrings runs one command and waits for its reply. args are its name and its arguments; the
	// caller may reuse them when DoStrings returns. An error reply is an *[Error].
	DoStrings(ctx context.Context, args ...string) (Value, error)
}

// Client runs scripts and commands: an [Engine], a [Cluster], a [Session], or a real server
// (package goredis). The ready scripts (package scripts) take a Client.
type Client interface {
	Runner
	Doer
}

// Run runs the script on r and waits for its result. keys and args become KEYS and ARGV. args are
// converted as by [Engine.Do]. An error reply is an *[Error].
func (s *Script) Run(ctx context.Context, r Runner, keys []string, args ...any) (Value, error) {
	ss, err := appendArgs(make([]string, 0, len(args)), args)
	if err != nil {
		return Value{}, err
	}
	return r.RunScript(ctx, s, keys, ss)
}

// RunScript implements [Runner]. The call itself allocates nothing.
func (e *Engine) RunScript(ctx context.Context, s *Script, keys, args []string) (Value, error) {
	return e.runScript(ctx, e.shared, s, keys, args)
}

// RunScript implements [Runner].
func (s *Session) RunScript(ctx context.Context, script *Script, keys, args []string) (Value, error) {
	return s.e.runScript(ctx, s.s, script, keys, args)
}
