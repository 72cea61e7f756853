package engine_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/datastore"
	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/testing/tier"
)

// longText returns a text that takes long to compile and ends with the given text.
func longText(behind string) string { return strings.Repeat("a=a+1 ", 2_000_000) + behind }

// killing runs a command that compiles on the loop. It waits until other calls get BUSY, kills the
// compilation, and returns the result of the command.
func killing(t *testing.T, e *engine.Engine, sess *engine.Session, subject string, args ...any) (engine.Value, error) {
	t.Helper()
	type outcome struct {
		v   engine.Value
		err error
	}
	ended := make(chan outcome, 1)
	go func() {
		v, err := sess.Do(context.Background(), args...)
		ended <- outcome{v, err}
	}()
	untilBusy(t, e)
	_, err := e.Do(context.Background(), map[string]string{"SCRIPT": "FUNCTION", "FUNCTION": "SCRIPT"}[subject], "KILL")
	require.ErrorIs(t, err, engine.ErrBusy)
	require.ErrorContains(t, err, "You can only call "+subject+" KILL")
	_, err = e.Do(context.Background(), subject, "KILL")
	require.NoError(t, err)
	o := <-ended
	require.NoError(t, e.Check(context.Background()))
	return o.v, o.err
}

const killed = "ERR Script killed by user with SCRIPT KILL..."

func TestATextInATransactionCanBeKilledWhileItIsCompiled(t *testing.T) {
	e, sess := newBusy(t, engine.Options{})
	for subject, args := range map[string][]any{
		"SCRIPT":   {"EVAL", longText("return 1"), 0},
		"FUNCTION": {"FUNCTION", "LOAD", "#!lua name=l\n" + longText("")},
	} {
		for _, command := range [][]any{{"MULTI"}, {"SET", "k", "v"}, args} {
			_, err := sess.Do(context.Background(), command...)
			require.NoError(t, err)
		}
		v, err := killing(t, e, sess, subject, "EXEC")
		require.NoError(t, err)
		require.Equal(t, "OK", v.Slice()[0].Text())
		require.EqualError(t, v.Slice()[1].Err(), killed)
	}
}

func TestADroppedScriptCanBeKilledWhileItIsCompiledAgain(t *testing.T) {
	tier.Landing(t)
	ctx := context.Background()
	e, sess := newBusy(t, engine.Options{ScriptMemory: 256 << 20})
	sha, err := e.Do(ctx, "SCRIPT", "LOAD", longText("return 1"))
	require.NoError(t, err)
	_, err = e.Do(ctx, "SCRIPT", "LOAD", longText("return 2")) // evicts the first
	require.NoError(t, err)
	_, err = killing(t, e, sess, "SCRIPT", "EVALSHA", sha.Text(), 0)
	require.EqualError(t, err, killed)
}

func TestARestoredLibraryCanBeKilledWhileItIsCompiled(t *testing.T) {
	tier.Landing(t)
	ctx := context.Background()
	e, sess := newBusy(t, engine.Options{})
	_, err := e.Do(ctx, "FUNCTION", "LOAD", "#!lua name=l\nif redis then redis.register_function('f', function() return 8 end) return end "+
		longText(""))
	require.NoError(t, err)
	dump, err := e.Do(ctx, "FUNCTION", "DUMP")
	require.NoError(t, err)
	_, err = e.Do(ctx, "FUNCTION", "FLUSH")
	require.NoError(t, err)
	_, err = killing(t, e, sess, "FUNCTION", "FUNCTION", "RESTORE", dump.Text())
	require.EqualError(t, err, killed)
	list, err := e.Do(ctx, "FUNCTION", "LIST")
	require.NoError(t, err)
	require.Empty(t, list.Slice())
	_, err = sess.Do(ctx, "FUNCTION", "RESTORE", dump.Text())
	require.NoError(t, err)
	v, err := e.FCall(ctx, "f", nil)
	require.NoError(t, err)
	require.EqualValues(t, 8, v.MustInt())
}

// The text of a library runs for half a second at most, but a dump may have many.
func TestLibrariesCanBeKilledWhileTheyAreRestored(t *testing.T) {
	e, sess := newBusy(t, engine.Options{})
	dump := string(datastore.DumpFunctions([]string{"#!lua name=l\nwhile true do end"}, datastore.DumpOptions{}))
	_, err := killing(t, e, sess, "FUNCTION", "FUNCTION", "RESTORE", dump)
	require.EqualError(t, err, killed)
}
