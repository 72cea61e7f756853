package engine_test

import (
	"context"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/core/enginedoor"
	"github.com/redmoon-lua/redmoon/internal/testing/patience"
)

// panicking is a context whose methods panic from the n-th call on.
type panicking struct {
	context.Context
	left int
}

func (p *panicking) count() {
	if p.left--; p.left < 0 {
		panic("a method of the context")
	}
}

func (p *panicking) Done() <-chan struct{} { p.count(); return p.Context.Done() }
func (p *panicking) Err() error            { p.count(); return p.Context.Err() }

// A context that is nil, or whose methods panic, keeps no engine from its end.
func TestBadContexts(t *testing.T) {
	e, err := engine.New(engine.Options{})
	require.NoError(t, err)
	s, err := e.NewSession()
	require.NoError(t, err)
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	live, cancelLive := context.WithCancel(context.Background())
	defer cancelLive()
	for name, call := range map[string]func(ctx context.Context) error{
		"DoStrings":         func(ctx context.Context) error { _, err := e.DoStrings(ctx, "PING"); return err },
		"Do":                func(ctx context.Context) error { _, err := e.Do(ctx, "PING"); return err },
		"Eval":              func(ctx context.Context) error { _, err := e.Eval(ctx, "return 1", nil); return err },
		"View":              func(ctx context.Context) error { return e.View(ctx, func(engine.Keyspace) error { return nil }) },
		"Check":             e.Check,
		"Session.DoStrings": func(ctx context.Context) error { _, err := s.DoStrings(ctx, "PING"); return err },
		"RunBatch": func(ctx context.Context) error {
			return enginedoor.Of(s).RunBatch(ctx, &enginedoor.Batch{Commands: [][]string{{"PING"}}})
		},
		"LoadRDB": func(ctx context.Context) error {
			_, err := e.LoadRDB(ctx, strings.NewReader(""), engine.LoadOptions{})
			return err
		},
	} {
		require.ErrorContains(t, call(nil), "the context is nil", name) //nolint:staticcheck // what this tests
		for n := range 4 {
			for _, ctx := range []context.Context{ended, live} {
				func() {
					defer func() { _ = recover() }()
					_ = call(&panicking{ctx, n})
				}()
			}
		}
	}
	v, err := e.DoStrings(context.Background(), "PING")
	require.NoError(t, err)
	require.Equal(t, "PONG", v.Text())
	closed := make(chan error, 1)
	go func() { closed <- e.Close() }()
	require.NoError(t, patience.Receive(t, closed))
}

// LoadRDB ends with its context, and with the engine, also while its reader waits for data.
func TestLoadRDBDoesNotWaitForItsReader(t *testing.T) {
	e, err := engine.New(engine.Options{})
	require.NoError(t, err)
	for _, head := range []string{"", "REDIS0010", "REDIS0010\xfe\x00\x00\x01a"} {
		r, w := io.Pipe()
		ctx, cancel := context.WithCancel(context.Background())
		done := make(chan error, 1)
		go func() {
			_, err := e.LoadRDB(ctx, r, engine.LoadOptions{})
			done <- err
		}()
		_, err = w.Write([]byte(head))
		require.NoError(t, err)
		cancel()
		require.ErrorIs(t, patience.Receive(t, done), context.Canceled, "%q", head)
		require.NoError(t, w.Close())
		_, err = e.DoStrings(context.Background(), "SET", "a", "1")
		require.NoError(t, err, "the engine goes on")
	}
	r, w := io.Pipe()
	defer w.Close()
	done, closed := make(chan error, 1), make(chan error, 1)
	go func() {
		_, err := e.LoadRDB(context.Background(), r, engine.LoadOptions{})
		done <- err
	}()
	_, err = w.Write([]byte("REDIS"))
	require.NoError(t, err)
	go func() { closed <- e.Close() }()
	require.ErrorIs(t, patience.Receive(t, done), engine.ErrClosed)
	require.NoError(t, patience.Receive(t, closed))
}

// reentrantReader calls the engine that reads from it.
type reentrantReader struct{ e *engine.Engine }

func (r reentrantReader) Read([]byte) (int, error) {
	_, err := r.e.DoStrings(context.Background(), "PING")
	return 0, err
}

func TestAReaderOfLoadRDBCannotCallTheEngine(t *testing.T) {
	e, err := engine.New(engine.Options{})
	require.NoError(t, err)
	defer e.Close()
	_, err = e.LoadRDB(context.Background(), reentrantReader{e}, engine.LoadOptions{})
	require.ErrorIs(t, err, engine.ErrReentrant)
	_, err = e.LoadRDB(context.Background(), io.MultiReader(strings.NewReader("REDIS"), panickingReader{}), engine.LoadOptions{})
	require.ErrorContains(t, err, "a reader that panics")
	_, err = e.DoStrings(context.Background(), "PING")
	require.NoError(t, err)
}

type panickingReader struct{}

func (panickingReader) Read([]byte) (int, error) { panic("a reader that panics") }
