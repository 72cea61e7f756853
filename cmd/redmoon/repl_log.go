package main

import (
	"context"
	"log/slog"
	"sync/atomic"
)

// mutedHandler drops log records while off is set, because something else shows them.
type mutedHandler struct {
	slog.Handler
	off *atomic.Bool
}

// Enabled implements [slog.Handler].
func (m mutedHandler) Enabled(ctx context.Context, level slog.Level) bool {
	return !m.off.Load() && m.Handler.Enabled(ctx, level)
}

// WithAttrs implements [slog.Handler].
func (m mutedHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return mutedHandler{m.Handler.WithAttrs(attrs), m.off}
}

// WithGroup implements [slog.Handler].
func (m mutedHandler) WithGroup(name string) slog.Handler {
	return mutedHandler{m.Handler.WithGroup(name), m.off}
}
