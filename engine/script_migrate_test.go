package engine_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/testing/patience"
)

// silentTarget is a server that takes connections and says nothing.
func silentTarget(t *testing.T) (host, port string) {
	return "127.0.0.1", target(t, func(string) string { return "" })
}

const migrating = "return redis.call('MIGRATE', ARGV[1], ARGV[2], KEYS[1], 0, 2000000000)"

func TestScriptsCannotMigrate(t *testing.T) {
	e, err := engine.New(engine.Options{})
	require.NoError(t, err)
	defer e.Close()
	_, err = e.Do(context.Background(), "SET", "k", "v")
	require.NoError(t, err)
	for _, command := range []string{"EVAL", "EVAL_RO"} {
		_, err = e.DoStrings(context.Background(), command, migrating, "1", "k", "127.0.0.1", "1")
		require.ErrorContains(t, err, "MIGRATE is refused in scripts", command)
	}
	const library = "#!lua name=m\nredis.register_function('m', function(KEYS, ARGV) " + migrating + " end)"
	_, err = e.DoStrings(context.Background(), "FUNCTION", "LOAD", library)
	require.NoError(t, err)
	_, err = e.DoStrings(context.Background(), "FCALL", "m", "1", "k", "127.0.0.1", "1")
	require.ErrorContains(t, err, "MIGRATE is refused in scripts")
	v, err := e.DoStrings(context.Background(), "MIGRATE", "127.0.0.1", "1", "nokey", "0", "10")
	require.NoError(t, err)
	require.Equal(t, "NOKEY", v.Text(), "a client may")
}

// While a script waits for the target of MIGRATE, others are served, and the script can be ended.
func TestAScriptThatWaitsForATargetCanBeEnded(t *testing.T) {
	host, port := silentTarget(t)
	for name, end := range map[string]func(e *engine.Engine, cancel func()){
		"the context": func(_ *engine.Engine, cancel func()) { cancel() },
		"SCRIPT KILL": func(e *engine.Engine, _ func()) {
			_, err := e.DoStrings(context.Background(), "SCRIPT", "KILL")
			require.NoError(t, err)
		},
		"Close": func(e *engine.Engine, _ func()) { require.NoError(t, e.Close()) },
	} {
		t.Run(name, func(t *testing.T) {
			e, err := engine.New(engine.Options{ScriptMigrate: true, Config: map[string]string{"busy-reply-threshold": "1"}})
			require.NoError(t, err)
			defer e.Close()
			_, err = e.Do(context.Background(), "SET", "k", "v")
			require.NoError(t, err)
			call, cancel := context.WithCancel(context.Background())
			defer cancel()
			done := make(chan error, 1)
			go func() {
				_, err := e.Eval(call, migrating, []string{"k"}, host, port)
				done <- err
			}()
			patience.Until(t, func() bool {
				_, err := e.DoStrings(context.Background(), "PING")
				return errors.Is(err, engine.ErrBusy)
			}, "the script waits, and another client is answered")
			end(e, cancel)
			require.Error(t, patience.Receive(t, done))
			if name != "Close" {
				v, err := e.DoStrings(context.Background(), "GET", "k")
				require.NoError(t, err)
				require.Equal(t, "v", v.Text(), "the key is still here")
				v, err = e.DoStrings(context.Background(), "EVAL", "return 1", "0")
				require.NoError(t, err)
				require.Equal(t, "1", v.Text())
			}
		})
	}
}
