package engine

import (
	"context"
	"crypto/sha1"
	"encoding/hex"
)

// Script is a Lua script with its SHA1. It is immutable and may be run on any number of engines.
type Script struct {
	source, sha string
	readOnly    bool
}

// NewScript returns the script with the given source. The source is compiled when it is first run.
func NewScript(source string) *Script {
	sum := sha1.Sum([]byte(source))
	return &Script{source: source, sha: hex.EncodeToString(sum[:])}
}

// ReadOnly returns the script as EVAL_RO runs it: it may not write. It holds on engines only, not
// on a real server.
func (s *Script) ReadOnly() *Script { return &Script{source: s.source, sha: s.sha, readOnly: true} }

// Source is the script's Lua text.
func (s *Script) Source() string { return s.source }

// SHA is the SHA1 of the source, in lower-case hexadecimal.
func (s *Script) SHA() string { return s.sha }

// Runner is what a script runs on: an [Engine], a [Session], or a real server (package goredis).
type Runner interface {
	// RunScript runs s once, whether or not it was known before. keys and args may be
	// used again when it returns.
	RunScript(ctx context.Context, s *Script, keys, args []string) (Value, error)
}

// Doer runs single commands: an [Engine], a [Session], or a real server.
type Doer interface {
	// DoStrings runs one command, its name first. args may be used again when it returns. An error
	// reply is an *[Error].
	DoStrings(ctx context.Context, args ...string) (Value, error)
}

// Client runs scripts and commands.
type Client interface {
	Runner
	Doer
}

// Run runs the script on r; keys and args become KEYS and ARGV.
func (s *Script) Run(ctx context.Context, r Runner, keys []string, args ...any) (Value, error) {
	ss, err := appendArgs(make([]string, 0, len(args)), args)
	if err != nil {
		return Value{}, err
	}
	return r.RunScript(ctx, s, keys, ss)
}

// RunScript implements [Runner]; it allocates nothing.
func (e *Engine) RunScript(ctx context.Context, s *Script, keys, args []string) (Value, error) {
	return e.runScript(ctx, e.shared, s, keys, args)
}

// RunScript implements [Runner].
func (s *Session) RunScript(ctx context.Context, script *Script, keys, args []string) (Value, error) {
	return s.e.runScript(ctx, s.s, script, keys, args)
}
