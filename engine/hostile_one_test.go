//go:build linux

package engine_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/testing/hostile"
	"github.com/redmoon-lua/redmoon/internal/testing/patience"
)

// hostileRemains is the greatest live heap that a program may leave behind, besides what the engine
// had before it.
const hostileRemains = 24 << 20

// oneEngine runs hostile programs one after another on one engine.
type oneEngine struct {
	e     *engine.Engine
	made  int   // engines so far
	begin int64 // live heap when e had run its first script
}

// open makes an engine. Every second one undoes what failing scripts have written.
func (o *oneEngine) open(t *testing.T) {
	options := hostileOptions()
	if o.made++; o.made%2 == 0 {
		options.OnScriptError = engine.Rollback
	}
	e, err := engine.New(options)
	require.NoError(t, err)
	o.e = e
	o.modest(t)
	o.begin = liveHeap()
}

func (o *oneEngine) close() error {
	if o.e == nil {
		return nil
	}
	e := o.e
	o.e = nil
	return e.Close()
}

// modest runs a script that needs a third of the memory that it may have.
func (o *oneEngine) modest(t *testing.T) {
	v, err := o.e.Eval(context.Background(), "local t = {} for i = 1, 100 do t[i] = ARGV[1] .. i end redis.call('rpush', KEYS[1], unpack(t)) "+
		"local l = redis.call('lrange', KEYS[1], 0, -1) redis.call('del', KEYS[1]) return #l", []string{"modest"}, string(make([]byte, 100e3)))
	require.NoError(t, err)
	n, err := v.Int()
	require.NoError(t, err)
	require.EqualValues(t, 100, n)
}

// play runs a program, orders it to end, and returns the time until it ended. Afterwards the memory
// of the program must be free, and an ordinary script must run.
func (o *oneEngine) play(t *testing.T, p hostile.Program, n int) (after time.Duration) {
	if o.e == nil {
		o.open(t)
	}
	background := context.Background()
	ctx, cancel := context.WithCancel(background)
	defer cancel()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for _, args := range p.Commands() {
			_, _ = o.e.DoStrings(ctx, args...)
		}
	}()
	select {
	case <-ended:
	case <-time.After(hostileRuns):
		ordered := time.Now()
		orderEnd(o.e, cancel, ended, n%4)
		<-ended
		after = time.Since(ordered)
	}
	_, err := o.e.Do(background, "PING")
	if err != nil { // the script had written: only closing the engine has ended it
		require.ErrorIs(t, err, engine.ErrClosed)
		o.e = nil
		return after
	}
	for _, args := range [][]any{{"FLUSHALL"}, {"SCRIPT", "FLUSH"}, {"FUNCTION", "FLUSH"}} {
		_, err := o.e.Do(background, args...)
		require.NoError(t, err)
	}
	require.NoError(t, o.e.Check(background))
	// The compiler of a long text may still be on its way out.
	patience.Until(t, func() bool { return liveHeap()-o.begin < hostileRemains }, "memory of the program is not free")
	o.modest(t)
	_, err = o.e.Do(background, "SCRIPT", "FLUSH")
	require.NoError(t, err)
	return after
}
