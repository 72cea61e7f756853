// Package safelog keeps the panics of a program's log handler out of this module's goroutines.
package safelog

import (
	"context"
	"log/slog"
)

// New returns a logger like l. It drops a record if the handler of l panics: an engine serves
// others than the one who has given it the logger, and a panic would end the process.
func New(l *slog.Logger) *slog.Logger {
	if _, ok := l.Handler().(handler); ok {
		return l
	}
	return slog.New(handler{l.Handler()})
}

type handler struct{ h slog.Handler }

func (s handler) Enabled(ctx context.Context, level slog.Level) (on bool) {
	defer drop()
	return s.h.Enabled(ctx, level)
}

func (s handler) Handle(ctx context.Context, r slog.Record) error {
	defer drop()
	return s.h.Handle(ctx, r)
}

func (s handler) WithAttrs(attrs []slog.Attr) (with slog.Handler) {
	with = s
	defer drop()
	return handler{s.h.WithAttrs(attrs)}
}

func (s handler) WithGroup(name string) (with slog.Handler) {
	with = s
	defer drop()
	return handler{s.h.WithGroup(name)}
}

func drop() { _ = recover() }
