package safelog

import (
	"bytes"
	"context"
	"log/slog"
	"testing"

	"github.com/stretchr/testify/require"
)

// bad panics in all its methods, or in all but Enabled.
type bad struct{ enabled bool }

func (b bad) Enabled(context.Context, slog.Level) bool {
	if b.enabled {
		return true
	}
	panic("enabled")
}
func (bad) Handle(context.Context, slog.Record) error { panic("handle") }
func (bad) WithAttrs([]slog.Attr) slog.Handler        { panic("attrs") }
func (bad) WithGroup(string) slog.Handler             { panic("group") }

func TestPanicsAreDropped(t *testing.T) {
	for _, h := range []slog.Handler{bad{}, bad{enabled: true}} {
		l := New(slog.New(h))
		l.Info("a")
		l.With("k", "v").WithGroup("g").Error("b")
	}
}

func TestEverythingElsePasses(t *testing.T) {
	var b bytes.Buffer
	l := New(slog.New(slog.NewTextHandler(&b, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}})))
	require.Same(t, l, New(l))
	l.Debug("no")
	l.With("k", 1).WithGroup("g").Info("yes", "n", 2)
	require.Equal(t, "level=INFO msg=yes k=1 g.n=2\n", b.String())
}
