package engine

import (
	"bytes"
	"context"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/internal/core/server"
)

// An image shows the keyspace as it was when it began, while commands change it, and it goes on by
// itself.
func TestImageWhileCommandsRun(t *testing.T) {
	e := newInternal(t)
	ctx := context.Background()
	for i := range 20_000 {
		_, err := e.DoStrings(ctx, "SET", "key:"+strconv.Itoa(i), "before")
		require.NoError(t, err)
	}
	var file bytes.Buffer
	done := make(chan error, 2)
	var job *server.RunningImage
	require.NoError(t, e.onLoop(func() {
		var err error
		job, err = e.server.StartImage(server.ImageJob{
			Purpose: server.ImageForDump, Out: &file, Done: func(err error) { done <- err },
		})
		require.NoError(t, err)
		_, err = e.server.StartImage(server.ImageJob{Out: &file})
		require.ErrorIs(t, err, server.ErrImageRunning)
	}))
	for i := range 20_000 {
		_, err := e.DoStrings(ctx, "SET", "key:"+strconv.Itoa(i), "after")
		require.NoError(t, err)
	}
	require.NoError(t, <-done)
	next := make(chan struct{})
	require.NoError(t, e.onLoop(func() { e.server.AfterImage(func() { close(next) }) }))
	select {
	case <-next:
		t.Fatal("the job has not been released")
	default:
	}
	require.NoError(t, e.onLoop(job.Release))
	<-next

	other := newInternal(t)
	loaded, err := other.LoadRDB(ctx, &file, LoadOptions{})
	require.NoError(t, err)
	require.Equal(t, 20_000, loaded.Keys)
	for i := range 20_000 {
		v, err := other.DoStrings(ctx, "GET", "key:"+strconv.Itoa(i))
		require.NoError(t, err)
		require.Equal(t, "before", v.Text())
	}
}

// While the receiver of an image is slow, nothing is written, until it says so.
func TestImageWaitsForReceiver(t *testing.T) {
	e := newInternal(t)
	var file bytes.Buffer
	slow, asked, done := true, make(chan struct{}, 10), make(chan error, 1)
	require.NoError(t, e.onLoop(func() {
		_, err := e.server.StartImage(server.ImageJob{
			Purpose: server.ImageForReplicas, Out: &file, Done: func(err error) { done <- err },
			Wait: func() bool { asked <- struct{}{}; return slow },
		})
		require.NoError(t, err)
	}))
	<-asked
	require.NoError(t, e.onLoop(func() { slow = false; e.server.ContinueImage() }))
	require.NoError(t, <-done)
}

// Close ends an image.
func TestCloseEndsImage(t *testing.T) {
	e := newInternal(t)
	done := make(chan error, 1)
	require.NoError(t, e.onLoop(func() {
		_, err := e.server.StartImage(server.ImageJob{
			Purpose: server.ImageForDump, Out: &bytes.Buffer{}, Done: func(err error) { done <- err },
			Wait: func() bool { return true },
		})
		require.NoError(t, err)
	}))
	require.NoError(t, e.Close())
	require.ErrorIs(t, <-done, server.ErrImageAborted)
}

// While the data set is being loaded, commands that need it are refused and others run.
func TestRequestsWhileLoading(t *testing.T) {
	e := newInternal(t)
	ctx := context.Background()
	sess, err := e.NewSession()
	require.NoError(t, err)
	begun, served := make(chan struct{}), make(chan struct{})
	ended := make(chan error, 1)
	go func() {
		ended <- e.onLoop(func() {
			e.server.StartLoading(100, false)
			close(begun)
			for open := true; open; {
				e.server.LoadingProgress(25)
				select {
				case <-served:
					open = false
				default:
				}
			}
			e.server.EndLoading()
		})
	}()
	<-begun
	_, err = sess.DoStrings(ctx, "GET", "key")
	require.EqualError(t, err, "LOADING Redis is loading the dataset in memory")
	_, err = e.DoStrings(ctx, "EVAL", "return 1", "0")
	require.EqualError(t, err, "LOADING Redis is loading the dataset in memory")
	_, err = sess.DoStrings(ctx, "MULTI")
	require.NoError(t, err)
	_, err = sess.DoStrings(ctx, "SET", "key", "1")
	require.EqualError(t, err, "LOADING Redis is loading the dataset in memory")
	_, err = sess.DoStrings(ctx, "EXEC")
	require.EqualError(t, err, "EXECABORT Transaction discarded because of previous errors.")
	v, err := sess.DoStrings(ctx, "INFO", "persistence")
	require.NoError(t, err)
	for _, field := range []string{"loading:1", "loading_total_bytes:100", "loading_loaded_bytes:25", "loading_loaded_perc:25.00"} {
		require.Contains(t, v.Text(), "\n"+field+"\r")
	}
	require.EqualError(t, e.View(ctx, func(Keyspace) error { return nil }), "LOADING Redis is loading the dataset in memory")
	close(served)
	require.NoError(t, <-ended)
	v, err = sess.DoStrings(ctx, "INFO", "persistence")
	require.NoError(t, err)
	require.Contains(t, v.Text(), "\nloading:0\r")
	require.NotContains(t, v.Text(), "loading_total_bytes")
}

// newInternal returns an engine for tests inside the package.
func newInternal(t *testing.T) *Engine {
	t.Helper()
	e, err := New(Options{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, e.Close()) })
	return e
}
