package engine_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/engine"
)

func openSession(t testing.TB, e *engine.Engine) *engine.Session {
	sess, err := e.NewSession()
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, sess.Close()) })
	return sess
}

// TestAPipelineMayBeUsedAgain runs batch after batch on one pipeline. Commands of earlier batches
// must not run again, and earlier replies must not change.
func TestAPipelineMayBeUsedAgain(t *testing.T) {
	ctx := context.Background()
	for name, open := range map[string]func() *engine.Pipeline{
		"engine":  newEngine(t, engine.Options{}).Pipeline,
		"session": openSession(t, newEngine(t, engine.Options{})).Pipeline,
		"cluster": newCluster(t, 2, engine.Options{}).Pipeline,
	} {
		t.Run(name, func(t *testing.T) {
			p := open()
			_, err := p.DoStrings("CONFIG", "SET", "slowlog-log-slower-than", "0").Exec(ctx)
			require.NoError(t, err)
			var all [][]engine.Value
			line := make([]string, 3)
			for i := range 100 {
				key := fmt.Sprint("k", i)
				line[0], line[1], line[2] = "SET", key, fmt.Sprint("v", i)
				p.DoStrings(line...).Do("APPEND", key, i)
				for range i { // batches grow
					p.DoStrings("GET", key)
				}
				require.Equal(t, i+2, p.Len())
				line[0], line[1], line[2] = "what", "was", "sent"
				replies, err := p.Exec(ctx)
				require.NoError(t, err)
				require.Len(t, replies, i+2)
				require.Zero(t, p.Len())
				all = append(all, replies)
			}
			for i, replies := range all {
				for _, v := range replies[2:] {
					require.Equal(t, fmt.Sprintf("v%d%d", i, i), v.Text())
				}
			}
			replies, err := p.Exec(ctx)
			require.NoError(t, err)
			require.Empty(t, replies)

			_, err = p.Do("SET", "k", struct{}{}).Do("SET", "l", "x").Exec(ctx)
			require.Error(t, err, "of no type that can be sent")
			replies, err = p.DoStrings("EXISTS", "l").Exec(ctx)
			require.NoError(t, err)
			require.Equal(t, int64(0), replies[0].MustInt())
		})
	}
}

// TestATransactionOutlivesItsPipelines has MULTI, its commands and EXEC in batches of their own.
func TestATransactionOutlivesItsPipelines(t *testing.T) {
	ctx := context.Background()
	p := openSession(t, newEngine(t, engine.Options{})).Pipeline()
	for _, line := range [][]string{{"MULTI"}, {"SET", "k", "first"}, {"GET", "k"}, {"ECHO", "other"}} {
		_, err := p.DoStrings(line...).Exec(ctx)
		require.NoError(t, err)
	}
	replies, err := p.DoStrings("EXEC").Exec(ctx)
	require.NoError(t, err)
	require.Equal(t, []string{"OK", "first", "other"}, replies[0].Strings())
}
