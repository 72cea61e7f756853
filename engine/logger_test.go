package engine_test

import (
	"context"
	"log/slog"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/testing/patience"
)

// panicHandler is the handler of a logger that always panics.
type panicHandler struct{ panics *atomic.Int64 }

func (h panicHandler) fail() { h.panics.Add(1); panic("logger") }

func (h panicHandler) Enabled(context.Context, slog.Level) bool  { return true }
func (h panicHandler) Handle(context.Context, slog.Record) error { h.fail(); return nil }
func (h panicHandler) WithAttrs([]slog.Attr) slog.Handler        { h.fail(); return nil }
func (h panicHandler) WithGroup(string) slog.Handler             { h.fail(); return nil }

// A logger that panics loses records, and nothing else.
func TestALoggerThatPanicsChangesNothing(t *testing.T) {
	h := panicHandler{new(atomic.Int64)}
	e, err := engine.New(engine.Options{Logger: slog.New(h), StrictKeys: engine.WarnKeys,
		Config: map[string]string{"busy-reply-threshold": "1"}})
	require.NoError(t, err)
	v, err := e.Eval(t.Context(), "redis.log(redis.LOG_WARNING, 'w') redis.call('SET', 'k', 'v') return redis.call('GET', 'k')", nil)
	require.NoError(t, err)
	require.Equal(t, "v", v.Text())
	require.Equal(t, int64(2), h.panics.Load(), "redis.log, and an undeclared key")

	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		_, err := e.Eval(ctx, "while true do end", nil)
		done <- err
	}()
	patience.Until(t, func() bool { return h.panics.Load() == 3 }, "the script is busy")
	cancel()
	require.ErrorIs(t, patience.Receive(t, done), context.Canceled)
	require.NoError(t, e.Close())
}
