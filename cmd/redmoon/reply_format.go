package main

import (
	"context"
	"log/slog"

	"github.com/redmoon-lua/redmoon/cmd/redmoon/internal/display"
	"github.com/redmoon-lua/redmoon/engine"
)

// format holds the flags that choose how replies are printed.
type format struct {
	Raw   bool `help:"Print strings as they are, the default where output is no terminal." xor:"format"`
	NoRaw bool `help:"Print replies with their types, the default on a terminal." xor:"format"`
	JSON  bool `name:"json" help:"Print replies as JSON, one a line; implies RESP3." xor:"format"`
	Resp3 bool `name:"resp3" short:"3" help:"Talk RESP3, so that replies may be maps, sets, doubles and booleans."`
}

// session opens a session with the chosen protocol.
func (f format) session(ctx context.Context, e *engine.Engine) (*engine.Session, error) {
	sess, err := e.NewSession()
	if err != nil || f.proto() == 2 {
		return sess, err
	}
	_, err = sess.Do(ctx, "HELLO", 3)
	return sess, err
}

// proto returns the chosen protocol, 2 or 3.
func (f format) proto() int {
	if f.Resp3 || f.JSON {
		return 3
	}
	return 2
}

// printer returns a function that appends a reply in the chosen format. args are the command of the
// reply.
func (f format) printer(tty bool) func(b []byte, args []string, v engine.Value) []byte {
	switch {
	case f.JSON:
		return func(b []byte, _ []string, v engine.Value) []byte { return append(display.JSON(b, v), '\n') }
	case f.NoRaw || tty && !f.Raw:
		return func(b []byte, args []string, v engine.Value) []byte {
			if display.IsText(args) && !v.IsError() {
				return display.Text(b, v)
			}
			return display.Standard(b, v)
		}
	}
	return func(b []byte, _ []string, v engine.Value) []byte { return display.Raw(b, v) }
}

// logger returns a logger of all levels that writes to standard error.
func (std *streams) logger() *slog.Logger {
	return slog.New(slog.NewTextHandler(std.err, &slog.HandlerOptions{
		Level: slog.LevelDebug - 8,
		ReplaceAttr: func(groups []string, a slog.Attr) slog.Attr {
			if len(groups) == 0 && a.Key == slog.TimeKey {
				return slog.Attr{}
			}
			return a
		},
	}))
}
