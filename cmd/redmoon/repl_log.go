package main

import (
	"context"
	"log/slog"
	"sync/atomic"
)

// muted is a handler that drops what it is given while somebody else shows it.
type muted struct {
	slog.Handler
	off *atomic.Bool
}

// Enabled implements [slog.Handler].
func (m muted) Enabled(ctx context.Context, level slog.Level) bool {
	return !m.off.Load() && m.Handler.Enabled(ctx, level)
}

// WithAttrs implements [slog.Handler].
func (m muted) WithAttrs(attrs []slog.Attr) slog.Handler {
	return muted{m.Handler.WithAttrs(attrs), m.off}
}

// WithGroup implements [slog.Handler].
func (m muted) WithGroup(name string) slog.Handler { return muted{m.Handler.WithGroup(name), m.off} }
